// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.TreeVariant;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.css.CssTree;
import dev.espalier.family.Family;
import dev.espalier.io.BufferPool;
import dev.espalier.io.FileOptions;
import dev.espalier.join.JoinOptions;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.node.Keys;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.prefetch.Prefetch;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Joins TPC-H tables through several indexes, and compares the results with a hash join's. */
@Command(
    name = "join",
    description = {
      "Joins TPC-H tables through several indexes, checks the results, and compares their speed.",
      "",
      "Without options it takes less than a minute. It generates the tables lineitem, orders and"
          + " part in memory. Then it joins lineitem, in ship-date order, with orders on the order"
          + " key and with part on the part key. These are index nested-loop joins whose inner side"
          + " is bulkloaded. For comparison, the JDK's TreeMap and fastutil's hash map, filled by"
          + " put, join the same tables.",
      "",
      "With --file, the index is in a file, and lineitem is joined with orders only.",
      "",
      "With --key, orders is joined with customer instead, on the customer's name or comment.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "How it measures: one thread, or those of --threads. Every index first joins a sample, so"
          + " that all code is compiled. Then each build and each join is repeated; the table shows"
          + " medians. Probes/s are rows of lineitem per second, including the hash of each joined"
          + " pair for the checksum. B/entry are bytes per entry: the nodes of an index, or the"
          + " growth of the heap for a map. The last column says whether the result has the rows"
          + " and the checksum of a hash join.",
      "",
      "Methods: single looks up one row at a time; group looks up dozens of rows together, so that"
          + " their cache misses overlap; sorted sorts each batch first; buffered collects probes"
          + " at the nodes until there are many; auto chooses for each batch by what a probe"
          + " costs.",
      "",
      "With --file, build is the time to open the file, and B/entry counts its pages. Hits and"
          + " misses are pages that one pass found in the buffer pool or had to read. A wave is a"
          + " batch of reads given to the device at once, and depth is the pages in a wave. Pages"
          + " that do not fit into the pool are read again and again, from the system's page cache"
          + " unless the engine bypasses it.",
      "",
      "With --key, names are in a PrefixBPlusTree; comments, which several customers may share, in"
          + " a SecondaryIndex, whose rows come in any order. The maps have strings as keys.",
      "",
      "If interrupted, it deletes the file that it created.",
      "",
      "Exit status: 0 if every result agrees with the hash join; 1 if not, or on failure; 2 wrong"
          + " arguments."
    })
final class JoinCommand implements Callable<Integer> {
  private static final String ALL = "all";

  /** Those to choose from first: for memory, for data that rarely changes, and for pages. */
  private static final List<TreeVariant> USUAL =
      List.of(PbPlusTree.VARIANT, CssTree.VARIANT, DiskFirstFpbPlusTree.VARIANT);

  private static final Set<String> TREE_MAPS = Set.of(TreeMapInnerSide.KIND.name());

  private static final Set<String> HASH_MAPS =
      Set.of(HashMapInnerSide.KIND.name(), TextMapInnerSide.HASH_MAP.name());

  /** Beyond use: every node of the inner side is met often enough. */
  private static final int MAX_BATCH = 1 << 24;

  /** More than that gain nothing on any machine of today's. */
  private static final int MAX_THREADS = 1024;

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Option(
      names = "--scale",
      paramLabel = "SF",
      defaultValue = "0.5",
      description =
          "TPC-H scale factor, fractions allowed. At scale 1, lineitem has 6 million rows. Default:"
              + " 0.5.")
  private double scale;

  @Option(
      names = "--variant",
      paramLabel = "NAME",
      description =
          "A tree, or 'all', which takes several minutes; 'espalier variants' lists them. Default:"
              + " PbPlusTree, CssTree and DiskFirstFpbPlusTree.")
  private @Nullable String variant;

  @Option(
      names = "--method",
      paramLabel = "METHOD",
      split = ",",
      defaultValue = "single,auto",
      description =
          "How to probe the indexes: single, group, sorted, buffered or auto. Separate several by"
              + " commas. Default: single,auto.")
  private List<ProbeMethod> methods = List.of();

  @Option(
      names = "--batch",
      paramLabel = "N",
      description =
          "Rows of lineitem per batch. Default: 256 or a million, whichever suits the method.")
  private @Nullable Integer batch;

  @Option(
      names = "--any-order",
      description = "Allow joined rows in any order, which saves buffered probes some work.")
  private boolean anyOrder;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Also join each index with so many threads, batch by batch: the lines NAME xN. --batch"
              + " should leave each of them many batches. Default: 1.")
  private int threads;

  @Option(
      names = "--passes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often to repeat each build and each join. Default: 3.")
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
      description =
          "Also write the results to this file, with the command and the machine, as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description =
          "Join through the index in this file. If there is no such file, create it and load orders"
              + " into the tree that --variant names, by default an FpbLinkTree.")
  private @Nullable Path file;

  @Option(
      names = "--pool",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description =
          "With --file, memory for the file's pages. The units K, M and G are 1024, 1024² and 1024³"
              + " bytes. Choose less than the file's size to make the join read. Default: a quarter"
              + " of the memory of the process at most.")
  private @Nullable Long poolBytes;

  @Option(
      names = "--key",
      paramLabel = "COLUMN",
      description = "Join on a text: the customer's name or comment.")
  private @Nullable TextKey key;

  @Override
  public Integer call() {
    List<TreeVariant> trees = checkArguments();
    PrintWriter out = spec.commandLine().getOut();
    List<JoinResult> results = key == null ? joinTables(trees, out) : joinTexts(key, out);
    print(results, out);
    if (json != null) {
      Map<String, Object> written = RunFacts.ofCommand("./espalier", spec, false);
      written.put("results", results.stream().map(result -> toJson(result, results)).toList());
      Json.writeTo(json, written);
    }
    checkAgreement(results);
    out.printf(
        Locale.ROOT,
        "%nAll %d results have the rows and the checksum of the hash join.%n",
        results.size());
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
    if (key != null) {
      checkForTexts(key);
    }
    if (batch != null && (batch < 1 || batch > MAX_BATCH)) {
      throw wrongArgument("--batch is " + batch + "; it must be from 1 to " + MAX_BATCH);
    }
    if (threads < 1 || threads > MAX_THREADS) {
      throw wrongArgument("--threads is " + threads + "; it must be from 1 to " + MAX_THREADS);
    }
    if (passes < 1) {
      throw wrongArgument("--passes is " + passes + "; it must be positive");
    }
    if (json != null) {
      List<Path> worked = file == null ? List.of() : IndexFiles.all(file, FileOptions.DEFAULT);
      Json.checkWritable(json, worked, spec);
    }
    if (poolBytes != null && file == null) {
      throw wrongArgument("--pool needs --file: it is the memory for that file's pages");
    }
    if (file != null) {
      FileOptions options = fileOptions();
      if (Files.exists(file)) {
        IndexFiles.checkOpens(file, options);
      } else {
        IndexFiles.checkNew(file, options);
      }
    }
    return chosenVariants();
  }

  private void checkForTexts(TextKey column) {
    if (variant != null || file != null) {
      throw wrongArgument(
          "give --key or %s, not both".formatted(file == null ? "--variant" : "--file"));
    }
    if (threads > 1) {
      throw wrongArgument("--threads is %d; with --key, one thread joins".formatted(threads));
    }
    if (scale > TpchCustomers.MAX_SCALE) {
      throw wrongArgument(
          "--scale is %s; with --key, it must be at most %s"
              .formatted(TpchScale.text(scale), TpchScale.text(TpchCustomers.MAX_SCALE)));
    }
    for (ProbeMethod method : methods) {
      boolean isForIt =
          column == TextKey.NAME
              ? method != ProbeMethod.BUFFERED
              : SecondaryInnerSide.METHODS.contains(method);
      if (!isForIt) {
        throw wrongArgument(
            "--method %s is not for --key %s"
                .formatted(method.name().toLowerCase(Locale.ROOT), column));
      }
    }
  }

  /** Returns what an index file is made with. */
  private FileOptions fileOptions() {
    if (variant == null) {
      return FileOptions.DEFAULT;
    }
    if (variant.equalsIgnoreCase(ALL)) {
      throw wrongArgument("give --file or --variant all, not both: a file holds one tree");
    }
    return VariantName.onPages(spec, variant, FileOptions.DEFAULT);
  }

  private List<TreeVariant> chosenVariants() {
    if (variant == null) {
      return USUAL;
    }
    return variant.equalsIgnoreCase(ALL) ? Family.all() : List.of(VariantName.tree(spec, variant));
  }

  private List<JoinResult> joinTexts(TextKey column, PrintWriter out) {
    try (ProgressBar progress = ProgressBar.open()) {
      TextJoinInput input = TpchCustomers.generate(scale, column, progress);
      out.printf(
          Locale.ROOT,
          "TPC-H at scale %s: %,d orders, %,d customers.%n",
          TpchScale.text(scale),
          input.outerCount(),
          input.innerCount());
      printConditions(out);
      InnerSide.Kind<TextJoinInput> index =
          column == TextKey.NAME ? BytesInnerSide.kind(methods) : SecondaryInnerSide.kind(methods);
      List<InnerSide.Kind<TextJoinInput>> kinds =
          List.of(index, TextMapInnerSide.TREE_MAP, TextMapInnerSide.HASH_MAP);
      return new JoinExperiment<>(kinds, joinOptions(), passes, mostWarmUpRows, progress)
          .run(List.of(input));
    } catch (OutOfMemoryError | MemoryLimitException e) {
      throw tooLarge(e);
    }
  }

  private void printConditions(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "Batches of %s rows, median of %d. Prefetch %s, SIMD %s.%n",
        batch == null ? "256 or a million" : batch,
        passes,
        Prefetch.isNative() ? "on" : "off",
        Keys.SIMD ? "on" : "off");
    out.flush();
  }

  private CommandFailure tooLarge(Throwable e) {
    return new CommandFailure(
        "scale %s is too large for the memory (%s); the heap is limited to %d MiB, which -Xmx raises"
            .formatted(
                TpchScale.text(scale), e.getMessage(), Runtime.getRuntime().maxMemory() >> 20),
        e);
  }

  private List<JoinResult> joinTables(List<TreeVariant> trees, PrintWriter out) {
    try {
      TpchTables tables = generateTables();
      out.printf(
          Locale.ROOT,
          "TPC-H at scale %s: %,d lineitems, %,d orders, %,d parts.%n",
          TpchScale.text(scale),
          tables.lineItems().length,
          tables.orderKeys().length,
          tables.partKeys().length);
      printConditions(out);
      try (ProgressBar progress = ProgressBar.open()) {
        return file == null
            ? joinInMemory(trees, tables, progress)
            : joinThroughFile(file, fileOptions(), tables, progress, out);
      }
    } catch (OutOfMemoryError | MemoryLimitException e) {
      throw tooLarge(e);
    }
  }

  private List<JoinResult> joinInMemory(
      List<TreeVariant> trees, TpchTables tables, ProgressBar progress) {
    List<InnerSide.Kind<LongJoinInput>> kinds = new ArrayList<>();
    for (TreeVariant tree : trees) {
      for (int count : threadCounts()) {
        kinds.add(IndexInnerSide.kind(tree, methods, count));
      }
    }
    kinds.add(TreeMapInnerSide.KIND);
    kinds.add(HashMapInnerSide.KIND);
    return new JoinExperiment<>(kinds, joinOptions(), passes, mostWarmUpRows, progress)
        .run(tables.joins());
  }

  private List<JoinResult> joinThroughFile(
      Path path, FileOptions options, TpchTables tables, ProgressBar progress, PrintWriter out) {
    LongJoinInput orders = tables.joins().getFirst();
    IndexSummary index = FileInnerSide.load(path, options, orders.innerKeys(), progress);
    long bytes = poolBytes == null ? BufferPool.mostSharedBytes() : poolBytes;
    // The file stays once the join has ended, well or not.
    try (BufferPool pool = IndexFiles.pool(bytes, index.pageBytes())) {
      out.printf(
          Locale.ROOT,
          "%s: %,d pages of %,d bytes; the pool has room for %,d.%nEngine: %s.%n",
          path,
          index.pages(),
          index.pageBytes(),
          pool.frames(),
          index.engine());
      out.flush();
      List<InnerSide.Kind<LongJoinInput>> kinds = new ArrayList<>();
      for (int count : threadCounts()) {
        kinds.add(FileInnerSide.kind(index, pool, methods, count));
      }
      kinds.add(TreeMapInnerSide.KIND);
      kinds.add(HashMapInnerSide.KIND);
      return new JoinExperiment<>(kinds, joinOptions(), passes, mostWarmUpRows, progress)
          .run(List.of(orders));
    } finally {
      Interruption.keep(List.of(path));
    }
  }

  /** Returns by how many threads each index is probed, one first, which the others compare with. */
  private List<Integer> threadCounts() {
    return threads == 1 ? List.of(1) : List.of(1, threads);
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

  private static void print(List<JoinResult> results, PrintWriter out) {
    Map<String, List<JoinResult>> joins = new LinkedHashMap<>();
    for (JoinResult result : results) {
      joins.computeIfAbsent(result.join(), _ -> new ArrayList<>()).add(result);
    }
    joins.forEach((join, ofJoin) -> out.printf("%n%s%n%n%s", join, table(ofJoin)));
    if (results.stream().anyMatch(result -> result.threads() > 1)) {
      out.printf("%nSeveral threads against one%n%n%s", threadsTable(results));
    }
    if (results.stream().anyMatch(result -> result.pool().isPresent())) {
      out.printf("%nBuffer pool, per pass%n%n%s", poolTable(results));
    }
    out.flush();
  }

  private static Map<String, Object> toJson(JoinResult result, List<JoinResult> all) {
    List<JoinResult> sameJoin =
        all.stream().filter(other -> other.join().equals(result.join())).toList();
    Map<String, Object> object = result.toJson();
    object.put("timesHashMap", result.probesPerSecond() / probesPerSecond(sameJoin, HASH_MAPS));
    return object;
  }

  private static TextTable table(List<JoinResult> results) {
    TextTable table =
        new TextTable("index", "method", ">build s", ">B/entry", ">probes/s", ">x TreeMap", "ok");
    for (JoinResult result : results) {
      double ratio = result.probesPerSecond() / probesPerSecond(results, TREE_MAPS);
      table.add(
          result.indexName(),
          result.methodName(),
          String.format(Locale.ROOT, "%.3f", result.buildSeconds()),
          String.format(Locale.ROOT, "%.1f", result.bytesPerEntry()),
          String.format(Locale.ROOT, "%,.0f", result.probesPerSecond()),
          String.format(Locale.ROOT, "%.2f", ratio),
          result.agrees() ? "yes" : "NO");
    }
    return table;
  }

  private static TextTable threadsTable(List<JoinResult> results) {
    TextTable table = new TextTable("join", "index", "method", ">threads", ">x one");
    for (JoinResult result : results) {
      if (result.threads() > 1) {
        double one =
            results.stream()
                .filter(other -> other.threads() == 1 && other.isLike(result))
                .findFirst()
                .orElseThrow()
                .probesPerSecond();
        table.add(
            result.join(),
            result.index(),
            result.methodName(),
            Integer.toString(result.threads()),
            String.format(Locale.ROOT, "%.2f", result.probesPerSecond() / one));
      }
    }
    return table;
  }

  private static TextTable poolTable(List<JoinResult> results) {
    TextTable table =
        new TextTable(
            "method", ">threads", ">probes/s", ">hits", ">misses", ">waves", ">mean depth");
    for (JoinResult result : results) {
      result
          .pool()
          .ifPresent(
              use ->
                  table.add(
                      result.methodName(),
                      Integer.toString(result.threads()),
                      String.format(Locale.ROOT, "%,.0f", result.probesPerSecond()),
                      String.format(Locale.ROOT, "%,.0f", use.hits()),
                      String.format(Locale.ROOT, "%,.0f", use.misses()),
                      String.format(Locale.ROOT, "%,.0f", use.waves()),
                      String.format(Locale.ROOT, "%.1f", use.meanDepth())));
    }
    return table;
  }

  private static double probesPerSecond(List<JoinResult> results, Set<String> indexes) {
    return results.stream()
        .filter(result -> indexes.contains(result.index()))
        .findFirst()
        .orElseThrow()
        .probesPerSecond();
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
