// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.TreeVariant;
import dev.espalier.join.JoinOptions;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Prefetch;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Joins TPC-H tables with every variant, and compares the outcome with a hash join's. */
@Command(
    name = "join",
    description = {
      "Joins TPC-H tables through each index, checks the outcome, and compares the speed.",
      "",
      "Generates the tables orders, lineitem and part in the process. Joins lineitem, in ship-date "
          + "order, with orders on the order key, and with part on the part key, by an "
          + "index-nested-loop join whose inner side is filled by bulkload. Beside the indexes of "
          + "the family stand the JDK's TreeMap and fastutil's hash map, filled by put.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "How it measures: every index first joins a sample, so that all are compiled. Then, for each,"
          + " the build and the join are repeated; the table shows the medians. One thread. Probes"
          + " per second counts rows of lineitem, and includes hashing each joined pair for the"
          + " checksum. Bytes per entry are an index's nodes; for the maps, by how much the used"
          + " heap grew, garbage collected before and after.",
      "",
      "Methods: single looks up row by row; batched looks up all keys of a batch together.",
      "",
      "Exit status: 0 if every result has the rows and the checksum of a hash join, 1 if not, 2 for"
          + " wrong arguments."
    })
final class JoinCommand implements Callable<Integer> {
  private static final String ALL = "all";

  /** Far beyond use: a batch is to stay in the cache. */
  private static final int MAX_BATCH = 1_000_000;

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Option(
      names = "--scale",
      paramLabel = "SF",
      defaultValue = "1",
      description =
          "TPC-H scale factor, fractions allowed: 1 is 6 million rows of lineitem. Default: 1.")
  private double scale;

  @Option(
      names = "--variant",
      paramLabel = "NAME",
      defaultValue = ALL,
      description = "The index to use, or all; 'espalier variants' lists them. Default: all.")
  private String variant = ALL;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "" + JoinOptions.DEFAULT_BATCH_SIZE,
      description = "Rows of lineitem per batch. Default: " + JoinOptions.DEFAULT_BATCH_SIZE + ".")
  private int batch;

  @Option(
      names = "--passes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often to build and to join, for the median. Default: 3.")
  private int passes;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the results as JSON to this file.")
  private @Nullable Path json;

  @Override
  public Integer call() {
    List<InnerSide.Kind> kinds = checkArguments();
    PrintWriter out = spec.commandLine().getOut();
    List<JoinResult> results = joinTables(kinds, out);
    out.print(table(results));
    out.flush();
    if (json != null) {
      Json.writeTo(json, Map.of("results", results.stream().map(JoinResult::toJson).toList()));
    }
    checkAgreement(results);
    out.printf(
        "%nAll %d results have the rows and the checksum of the hash join.%n", results.size());
    return ExitCode.OK;
  }

  /**
   * Checks what the exit status tells.
   *
   * @throws CommandFailure if a result does not agree with the hash join
   */
  static void checkAgreement(List<JoinResult> results) {
    long wrong = results.stream().filter(result -> !result.agrees()).count();
    if (wrong > 0) {
      throw new CommandFailure(
          wrong + " of " + results.size() + " results do not agree with the hash join");
    }
  }

  private List<InnerSide.Kind> checkArguments() {
    if (!(scale >= TpchTables.MIN_SCALE && scale <= TpchTables.MAX_SCALE)) {
      throw wrongArgument(
          "--scale is %s; it must be from %s to %s"
              .formatted(
                  number(scale), number(TpchTables.MIN_SCALE), number(TpchTables.MAX_SCALE)));
    }
    if (batch < 1 || batch > MAX_BATCH) {
      throw wrongArgument("--batch is " + batch + "; it must be from 1 to " + MAX_BATCH);
    }
    if (passes < 1) {
      throw wrongArgument("--passes is " + passes + "; it must be positive");
    }
    if (json != null) {
      Json.checkWritable(json);
    }
    List<InnerSide.Kind> kinds = new ArrayList<>();
    for (TreeVariant chosen : chosenVariants()) {
      kinds.add(IndexInnerSide.kind(chosen));
    }
    kinds.add(TreeMapInnerSide.KIND);
    kinds.add(HashMapInnerSide.KIND);
    return kinds;
  }

  private List<TreeVariant> chosenVariants() {
    if (variant.equalsIgnoreCase(ALL)) {
      return TreeVariant.all();
    }
    try {
      return List.of(TreeVariant.named(variant));
    } catch (IllegalArgumentException e) {
      throw wrongArgument("--variant: " + e.getMessage());
    }
  }

  private List<JoinResult> joinTables(List<InnerSide.Kind> kinds, PrintWriter out) {
    try {
      TpchTables tables = generateTables();
      out.printf(
          Locale.ROOT,
          "TPC-H at scale %s: lineitem has %,d rows, orders %,d, part %,d. "
              + "Batches of %d rows, median of %d.%nPrefetch %s, SIMD %s.%n%n",
          number(scale),
          tables.lineItems().length,
          tables.orderKeys().length,
          tables.partKeys().length,
          batch,
          passes,
          Prefetch.isNative() ? "on" : "off",
          Keys.SIMD ? "on" : "off");
      out.flush();
      try (ProgressBar progress = ProgressBar.open()) {
        return new JoinExperiment(kinds, batch, passes, progress).run(tables.joins());
      }
    } catch (OutOfMemoryError | MemoryLimitException e) {
      throw new CommandFailure(
          "scale %s is too large for the memory (%s); the heap may take %d MiB, -Xmx makes it larger"
              .formatted(number(scale), e.getMessage(), Runtime.getRuntime().maxMemory() >> 20),
          e);
    }
  }

  private TpchTables generateTables() {
    try (ProgressBar progress = ProgressBar.open()) {
      return TpchTables.generate(scale, progress);
    }
  }

  private static TextTable table(List<JoinResult> results) {
    TextTable table =
        new TextTable(
            "join",
            "index",
            "method",
            ">build s",
            ">bytes/entry",
            ">probes/s",
            ">x TreeMap",
            "agrees");
    for (JoinResult result : results) {
      double ratio = result.probesPerSecond() / treeMapProbesPerSecond(results, result.join());
      table.add(
          result.join(),
          result.index(),
          result.methodName(),
          String.format(Locale.ROOT, "%.3f", result.buildSeconds()),
          String.format(Locale.ROOT, "%.1f", result.bytesPerEntry()),
          String.format(Locale.ROOT, "%,.0f", result.probesPerSecond()),
          String.format(Locale.ROOT, "%.2f", ratio),
          result.agrees() ? "yes" : "NO");
    }
    return table;
  }

  private static double treeMapProbesPerSecond(List<JoinResult> results, String join) {
    return results.stream()
        .filter(r -> r.join().equals(join) && r.index().equals(TreeMapInnerSide.KIND.name()))
        .findFirst()
        .orElseThrow()
        .probesPerSecond();
  }

  /** As a person writes it: 1, not 1.0; 0.00001, not 1.0E-5. */
  private static String number(double value) {
    return Double.isFinite(value)
        ? new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString()
        : Double.toString(value);
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
