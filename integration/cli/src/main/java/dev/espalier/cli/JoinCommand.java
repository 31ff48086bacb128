// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.TreeVariant;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.family.Family;
import dev.espalier.io.BufferPool;
import dev.espalier.io.FileDescription;
import dev.espalier.io.FileOptions;
import dev.espalier.join.JoinOptions;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Prefetch;
import java.io.PrintWriter;
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
      "",
      "With --file, joins lineitem with orders alone, and the index is in a file.",
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
      "Methods: single looks up row by row; group some dozens of rows together, whose cache misses"
          + " overlap; sorted sorts a batch first; buffered lets probes wait at the nodes until"
          + " there are many; auto chooses, for each batch, by what a probe costs.",
      "",
      "With --file: build is the time to open the file; bytes per entry are its pages. Hits, misses"
          + " and waves are those of the buffer pool in one pass, in pages: hits were in the pool,"
          + " misses had to be read. A wave is a batch of reads handed to the device at once; depth"
          + " is pages per wave. What the pool has no room for is read again and again, from the"
          + " page cache of the system unless the engine goes past it.",
      "",
      "Exit status: 0 if every result has the rows and the checksum of a hash join, 1 if not, 2 for"
          + " wrong arguments."
    })
final class JoinCommand implements Callable<Integer> {
  private static final String ALL = "all";

  /** Beyond use: every node of the inner side is met often enough. */
  private static final int MAX_BATCH = 1 << 24;

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
      names = "--method",
      paramLabel = "METHOD",
      split = ",",
      defaultValue = "single,group,auto",
      description =
          "How to probe the indexes: single, group, sorted, buffered or auto; several with commas."
              + " Default: single,group,auto.")
  private List<ProbeMethod> methods = List.of();

  @Option(
      names = "--batch",
      paramLabel = "N",
      description =
          "Rows of lineitem per batch. Default: what the method gains from, 256 or a million.")
  private @Nullable Integer batch;

  @Option(
      names = "--any-order",
      description = "Let joined rows come in any order, which spares buffered probes some work.")
  private boolean anyOrder;

  @Option(
      names = "--passes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often to build and to join, for the median. Default: 3.")
  private int passes;

  @Option(
      names = "--warm-up",
      hidden = true,
      paramLabel = "N",
      description = "Rows of the sample at most, by each method. For tests, which measure nothing.")
  private int mostWarmUpRows = Integer.MAX_VALUE;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the results as JSON to this file.")
  private @Nullable Path json;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description =
          "Join through the index in this file. If it is not there, it is made, and orders loaded:"
              + " into the tree that --variant names, or a DiskFirstFpbPlusTree.")
  private @Nullable Path file;

  @Option(
      names = "--pool",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description =
          "With --file, memory that the file's pages may take, in bytes; K, M and G are units of"
              + " 1024, 1024² and 1024³. Less than the file has, for a join that reads. Default:"
              + " 64M.")
  private @Nullable Long poolBytes;

  @Override
  public Integer call() {
    List<TreeVariant> trees = checkArguments();
    PrintWriter out = spec.commandLine().getOut();
    List<JoinResult> results = joinTables(trees, out);
    out.print(table(results));
    if (file != null) {
      out.printf("%n%s", poolTable(results));
    }
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

  private List<TreeVariant> checkArguments() {
    TpchScale.check(spec, "--scale", scale);
    if (batch != null && (batch < 1 || batch > MAX_BATCH)) {
      throw wrongArgument("--batch is " + batch + "; it must be from 1 to " + MAX_BATCH);
    }
    if (passes < 1) {
      throw wrongArgument("--passes is " + passes + "; it must be positive");
    }
    if (json != null) {
      Json.checkWritable(json);
    }
    if (poolBytes != null && file == null) {
      throw wrongArgument("--pool is for the index in a file, which --file names");
    }
    List<TreeVariant> trees = chosenVariants();
    if (file != null) {
      fileOptions(trees);
    }
    return trees;
  }

  /** Returns what an index file is made with. */
  private FileOptions fileOptions(List<TreeVariant> trees) {
    try {
      return variant.equalsIgnoreCase(ALL)
          ? FileOptions.DEFAULT
          : FileOptions.DEFAULT.withVariant(trees.getFirst());
    } catch (IllegalArgumentException e) {
      throw wrongArgument("--variant: " + e.getMessage());
    }
  }

  private List<TreeVariant> chosenVariants() {
    if (variant.equalsIgnoreCase(ALL)) {
      return Family.all();
    }
    try {
      return List.of(Family.named(variant));
    } catch (IllegalArgumentException e) {
      throw wrongArgument("--variant: " + e.getMessage());
    }
  }

  private List<JoinResult> joinTables(List<TreeVariant> trees, PrintWriter out) {
    try {
      TpchTables tables = generateTables();
      out.printf(
          Locale.ROOT,
          "TPC-H at scale %s: lineitem has %,d rows, orders %,d, part %,d. "
              + "Batches of %s rows, median of %d.%nPrefetch %s, SIMD %s.%n%n",
          TpchScale.text(scale),
          tables.lineItems().length,
          tables.orderKeys().length,
          tables.partKeys().length,
          batch == null ? "256 or a million" : batch,
          passes,
          Prefetch.isNative() ? "on" : "off",
          Keys.SIMD ? "on" : "off");
      out.flush();
      try (ProgressBar progress = ProgressBar.open()) {
        return file == null
            ? joinInMemory(trees, tables, progress)
            : joinThroughFile(file, fileOptions(trees), tables, progress, out);
      }
    } catch (OutOfMemoryError | MemoryLimitException e) {
      throw new CommandFailure(
          "scale %s is too large for the memory (%s); the heap may take %d MiB, -Xmx makes it larger"
              .formatted(
                  TpchScale.text(scale), e.getMessage(), Runtime.getRuntime().maxMemory() >> 20),
          e);
    }
  }

  private List<JoinResult> joinInMemory(
      List<TreeVariant> trees, TpchTables tables, ProgressBar progress) {
    List<InnerSide.Kind> kinds = new ArrayList<>();
    for (TreeVariant tree : trees) {
      kinds.add(IndexInnerSide.kind(tree, methods));
    }
    kinds.add(TreeMapInnerSide.KIND);
    kinds.add(HashMapInnerSide.KIND);
    return new JoinExperiment(kinds, joinOptions(), passes, mostWarmUpRows, progress)
        .run(tables.joins());
  }

  private List<JoinResult> joinThroughFile(
      Path path, FileOptions options, TpchTables tables, ProgressBar progress, PrintWriter out) {
    JoinInput orders = tables.joins().getFirst();
    FileDescription index = FileInnerSide.load(path, options, orders.innerKeys(), progress);
    long bytes = poolBytes == null ? FileOptions.DEFAULT_POOL_BYTES : poolBytes;
    try (BufferPool pool = IndexFiles.pool(bytes, index.pageBytes())) {
      out.printf(
          Locale.ROOT,
          "%s: %,d pages of %,d bytes; the pool has room for %,d.%nEngine: %s.%n%n",
          path,
          index.pages(),
          index.pageBytes(),
          pool.frames(),
          index.engine());
      out.flush();
      List<InnerSide.Kind> kinds =
          List.of(
              FileInnerSide.kind(index, pool, methods),
              TreeMapInnerSide.KIND,
              HashMapInnerSide.KIND);
      return new JoinExperiment(kinds, joinOptions(), passes, mostWarmUpRows, progress)
          .run(List.of(orders));
    }
  }

  private JoinOptions joinOptions() {
    JoinOptions options = JoinOptions.DEFAULT.withInOrder(!anyOrder);
    return batch == null ? options : options.withBatchSize(batch);
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

  private static TextTable poolTable(List<JoinResult> results) {
    TextTable table =
        new TextTable("index", "method", ">probes/s", ">hits", ">misses", ">waves", ">mean depth");
    for (JoinResult result : results) {
      result
          .pool()
          .ifPresent(
              use ->
                  table.add(
                      result.index(),
                      result.methodName(),
                      String.format(Locale.ROOT, "%,.0f", result.probesPerSecond()),
                      String.format(Locale.ROOT, "%,.0f", use.hits()),
                      String.format(Locale.ROOT, "%,.0f", use.misses()),
                      String.format(Locale.ROOT, "%,.0f", use.waves()),
                      String.format(Locale.ROOT, "%.1f", use.meanDepth())));
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

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
