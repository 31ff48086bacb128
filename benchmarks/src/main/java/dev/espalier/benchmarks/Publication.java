// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.cli.CommandFailure;
import dev.espalier.cli.Json;
import dev.espalier.cli.RunFacts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The tables of a command that measures: they are printed, and with {@code --json} written to a
 * file with all digits, the command and the machine, for {@code docs/measurements/runs}.
 */
public final class Publication {
  /** Where {@code benchmarks/run} says how it was called, without the name of the command. */
  private static final String CALL = "ESPALIER_BENCHMARKS";

  private final List<PrintedTable> tables = new ArrayList<>();

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  private @Nullable Path file;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the tables to a file, with all digits.")
  void setFile(Path named) {
    try {
      Json.checkWritable(named);
    } catch (CommandFailure e) {
      throw new ParameterException(spec().commandLine(), e.getMessage(), e);
    }
    file = named;
  }

  private CommandSpec spec() {
    return Objects.requireNonNull(command);
  }

  /** Prints a table, and keeps it for the file. */
  public void print(PrintedTable table) {
    table.lines().forEach(System.out::println);
    tables.add(table);
  }

  /** Writes the file, if one is wanted, with all tables that were printed. */
  public void write() {
    if (file == null) {
      return;
    }
    Map<String, Object> written = facts(spec());
    written.put("tables", tables.stream().map(PrintedTable::toJson).toList());
    Json.writeTo(file, written);
  }

  /**
   * Returns what every file of figures begins with, to which the figures are to be added: the
   * command, and the machine.
   */
  public static Map<String, Object> facts(CommandSpec command) {
    boolean quick = command.commandLine().getParseResult().hasMatchedOption("--quick");
    String call = System.getenv().getOrDefault(CALL, "benchmarks/run");
    return RunFacts.ofCommand(call, command, quick);
  }
}
