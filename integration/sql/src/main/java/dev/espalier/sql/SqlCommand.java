// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sql;

import dev.espalier.calcite.EspalierSchema;
import dev.espalier.cli.CommandFailure;
import dev.espalier.cli.Espalier;
import dev.espalier.cli.ProgressBar;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.StoreOptions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.Driver;
import org.apache.calcite.runtime.CalciteException;
import org.apache.calcite.schema.Schema;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a query: a command of {@link Espalier}, added to it here. */
@Command(
    name = "sql",
    description = {
      "Runs a query, by Apache Calcite, over the indexes of a file or over TPC-H's tables.",
      "",
      "In a file, each index whose keys are longs is a table of two columns, K and V. Of TPC-H,"
          + " tables that the query names are generated in memory, with indexes on primary keys,"
          + " and without columns of comments.",
      ""
    },
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Names of tables and columns are found in upper and lower case; in double quotes they may"
          + " be any text. --explain shows which index a join looks up keys in, and how.",
      "",
      "Examples:",
      "  espalier sql --tpch 0.1 \"SELECT o_orderpriority, COUNT(*) FROM lineitem JOIN orders ON"
          + " l_orderkey = o_orderkey GROUP BY o_orderpriority\"",
      "  espalier sql shop.esp \"SELECT * FROM prices WHERE k BETWEEN 10 AND 20\"",
      "",
      "Exit status: 0 success; 1 if the query fails while it runs, the file can't be read or the"
          + " output can't be written; 2 wrong arguments, the query among them."
    })
public final class SqlCommand implements Callable<Integer> {
  private static final double MIN_SCALE = 0.0001;

  /** The scale above which lineitem would not fit into an array. */
  private static final double MAX_SCALE = 300;

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Parameters(
      arity = "1..2",
      paramLabel = "[STORE] SQL",
      description = "The index file, unless --tpch is given, and the query.")
  private List<String> arguments = List.of();

  @Option(
      names = "--tpch",
      paramLabel = "SCALE",
      description =
          "Generate TPC-H's tables at this scale; 1 is 6 million rows of lineitem, which takes"
              + " about 2 GB of heap.")
  private @Nullable Double scale;

  @Option(names = "--explain", description = "Show the plan, and do not run the query.")
  private boolean explain;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "TABLE",
      description = "table, csv or json, which has an object per line. Default: table.")
  private Format format = Format.TABLE;

  SqlCommand() {}

  /** Runs the command line with this command among the others. */
  public static void main(String[] args) {
    Espalier.mainWith(List.of(new SqlCommand()), args);
  }

  @Override
  public Integer call() {
    if (scale != null) {
      if (arguments.size() != 1) {
        throw wrongArgument("with --tpch, give the query alone");
      }
      return queryTpch(scale, arguments.getFirst());
    }
    if (arguments.size() != 2) {
      throw wrongArgument("give an index file or --tpch, and the query");
    }
    return queryStore(path(arguments.getFirst()), arguments.getLast());
  }

  private Path path(String store) {
    try {
      return Path.of(store);
    } catch (InvalidPathException e) {
      throw wrongArgument("STORE can't be the name of a file here: " + e.getMessage());
    }
  }

  private int queryStore(Path path, String sql) {
    if (!Files.isRegularFile(path)) {
      throw new CommandFailure(
          path + (Files.isDirectory(path) ? ": is a folder" : ": no such file"));
    }
    FileOptions options = FileOptions.DEFAULT.withFlags(FileOption.READ_ONLY);
    try (IndexStore store = IndexStore.open(path, StoreOptions.DEFAULT.withFiles(options))) {
      return query(EspalierSchema.of(store), sql);
    }
  }

  private int queryTpch(double scale, String sql) {
    if (!(scale >= MIN_SCALE && scale <= MAX_SCALE)) {
      throw wrongArgument("--tpch is %s; it must be from %s to 300".formatted(scale, "0.0001"));
    }
    String lower = sql.toLowerCase(Locale.ROOT);
    Set<String> names = new TreeSet<>(TpchSchema.NAMES);
    names.removeIf(name -> !lower.contains(name));
    try (TpchSchema tables = generate(scale, names)) {
      return query(tables.schema(), sql);
    }
  }

  private static TpchSchema generate(double scale, Set<String> names) {
    try (ProgressBar progress = ProgressBar.open()) {
      progress.show("generating " + String.join(", ", names), 0);
      return TpchSchema.generate(scale, names);
    } catch (OutOfMemoryError e) {
      throw new CommandFailure(
          "the tables need more heap; set ESPALIER_JAVA_OPTS=-Xmx8g, or so, or take a smaller"
              + " scale",
          e);
    }
  }

  private int query(Schema schema, String sql) {
    Properties properties = new Properties();
    properties.setProperty("caseSensitive", "false");
    try (Connection connection = new Driver().connect("jdbc:calcite:", properties)) {
      CalciteConnection calcite = connection.unwrap(CalciteConnection.class);
      calcite.getRootSchema().add("ESPALIER", schema);
      calcite.setSchema("ESPALIER");
      run(connection, sql);
      return ExitCode.OK;
    } catch (SQLException e) {
      SqlFailure failure = SqlFailure.of(e);
      if (failure.isWrongSql()) {
        throw wrongArgument(failure.message());
      }
      throw new CommandFailure(failure.message(), e);
    } catch (ArithmeticException | CalciteException | IllegalArgumentException e) {
      // Of values, such as a division by zero; thrown between rows.
      throw new CommandFailure(SqlFailure.of(e).message(), e);
    }
  }

  private void run(Connection connection, String sql) throws SQLException {
    PrintWriter out = spec.commandLine().getOut();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(explain ? "EXPLAIN PLAN FOR " + sql : sql)) {
      if (explain) {
        rows.next();
        out.print(rows.getString(1).stripTrailing() + "\n");
      } else {
        format.print(rows, out);
      }
    }
    out.flush();
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
