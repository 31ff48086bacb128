// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.inspect.NodeView;
import dev.espalier.io.PoolStatistics;
import dev.espalier.io.StoreDescription;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what is in an index file. */
@Command(
    name = "inspect",
    description = {
      "Shows an index file's header, and the tree's nodes level by level; of a file with several"
          + " indexes, a list of them.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Level 0 has the leaves. A node is a page, except in a CacheFirstFpbPlusTree, which places"
          + " several nodes in one page. Fill is keys per slot. Counting the nodes takes a pass"
          + " over the file, which the line about the pool is of. If the file was not closed,"
          + " entries and pages are as of the last checkpoint, and nodes are counted with what is"
          + " in the log.",
      "",
      "Exit status: 0 success; 1 if the file can't be read or the output can't be written; 2 wrong"
          + " arguments."
    })
final class InspectCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final ReaderArguments reader = new ReaderArguments();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write all of it to this file, as JSON.")
  private @Nullable Path json;

  @Override
  public Integer call() {
    if (json != null) {
      Json.checkWritable(json, IndexFiles.all(reader.path(), reader.options()), spec);
    }
    StoreDescription store = IndexFiles.describeStore(reader.path(), reader.options());
    if (store.indexes().size() > 1 && !reader.isNamed()) {
      return list(store);
    }
    IndexSummary description = reader.describe();
    long bytes = IndexFiles.bytes(reader.path(), reader.options());
    PrintWriter out = spec.commandLine().getOut();
    print(description, bytes, out);
    List<TreeLevels.Level> levels = new ArrayList<>();
    AtomicReference<PoolStatistics> pool = new AtomicReference<>();
    reader.read(
        longs -> {
          levels.addAll(count(longs.rootView(), description));
          return ExitCode.OK;
        },
        strings -> {
          levels.addAll(count(strings.rootView(), description));
          return ExitCode.OK;
        },
        opened -> pool.set(opened.statistics().pool()));
    print(out, "Pool", pool(pool.get()));
    out.printf("%n%s", table(levels));
    out.flush();
    if (json != null) {
      Json.writeTo(json, toJson(description, bytes, pool.get(), levels));
    }
    return ExitCode.OK;
  }

  /** Shows all indexes, where one could be named. */
  private int list(StoreDescription store) {
    PrintWriter out = spec.commandLine().getOut();
    print(out, "File", store.path().toString());
    print(out, "Format", "version " + store.version());
    print(out, "Clean", cleanness(store));
    print(out, "Stripes", number(store.stripes()));
    print(out, "Engine", store.engine().toString());
    TextTable table = new TextTable("index", "tree", ">entries", ">height", ">pages");
    for (StoreDescription.Index index : store.indexes()) {
      table.add(
          index.name(),
          index.kind(),
          index.entries() < 0 ? "unknown" : number(index.entries()),
          number(index.height()),
          number(index.pages()));
    }
    out.printf("%n%s%nFor more about one of them: --index NAME%n", table);
    out.flush();
    if (json != null) {
      Json.writeTo(json, toJson(store));
    }
    return ExitCode.OK;
  }

  private static Map<String, Object> toJson(StoreDescription store) {
    List<Map<String, Object>> indexes = new ArrayList<>();
    for (StoreDescription.Index index : store.indexes()) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("name", index.name());
      object.put("tree", index.kind());
      object.put("codecs", index.codecs());
      object.put("entries", index.entries());
      object.put("height", index.height());
      object.put("pages", index.pages());
      object.put("freePages", index.freePages());
      indexes.add(object);
    }
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("file", store.path().toString());
    object.put("version", store.version());
    object.put("clean", store.isClean());
    object.put("logBytes", store.logBytes());
    object.put("pageBytes", store.pageBytes());
    object.put("stripes", store.stripes());
    object.put("engine", store.engine().toString());
    object.put("indexes", indexes);
    return object;
  }

  private static String cleanness(StoreDescription store) {
    return store.isClean()
        ? "yes"
        : "no: the last writes are in the log of %s bytes".formatted(number(store.logBytes()));
  }

  private static void print(IndexSummary file, long bytes, PrintWriter out) {
    print(out, "File", file.path().toString());
    print(out, "Format", "version " + file.version() + ", " + file.codecs());
    print(out, "Tree", file.kind());
    print(out, "Clean", cleanness(file.store()));
    print(
        out,
        "Entries",
        file.entries() < 0 ? "unknown: this tree does not keep count" : number(file.entries()));
    print(out, "Height", number(file.height()));
    print(
        out,
        "Pages",
        "%s of %s bytes; %s more are free"
            .formatted(number(file.pages()), number(file.pageBytes()), number(file.freePages())));
    print(out, "Stripes", number(file.stripes()));
    print(
        out,
        "Bytes",
        file.entries() <= 0
            ? number(bytes)
            : String.format(
                Locale.ROOT, "%,d, %.1f per entry", bytes, bytesPerEntry(bytes, file.entries())));
    print(out, "Engine", file.engine().toString());
    out.flush();
  }

  /** Returns how large the pool is and how full, and what it was worth while nodes were counted. */
  private static String pool(PoolStatistics pool) {
    return String.format(
        Locale.ROOT,
        "%,d of %,d KiB%s; of %,d pages asked for, %.0f%% were there",
        pool.usedBytes() >> 10,
        pool.mostBytes() >> 10,
        pool.isShared() ? ", shared" : "",
        pool.counters().hits() + pool.counters().misses(),
        100 * pool.hitShare());
  }

  private static Map<String, Object> toJson(PoolStatistics pool) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("shared", pool.isShared());
    object.put("mostBytes", pool.mostBytes());
    object.put("usedBytes", pool.usedBytes());
    object.put("hits", pool.counters().hits());
    object.put("misses", pool.counters().misses());
    return object;
  }

  private static void print(PrintWriter out, String name, String text) {
    out.printf("%-8s %s%n", name, text);
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Returns the file's bytes per entry, or 0 for a tree that is empty or has not counted. */
  private static double bytesPerEntry(long bytes, long entries) {
    return entries <= 0 ? 0 : (double) bytes / entries;
  }

  private static List<TreeLevels.Level> count(NodeView root, IndexSummary file) {
    try (ProgressBar progress = ProgressBar.open()) {
      return TreeLevels.count(
          root, file.pages(), progress.listener("counting nodes of " + file.path()));
    }
  }

  private static TextTable table(List<TreeLevels.Level> levels) {
    TextTable table = new TextTable(">level", ">nodes", ">bytes", ">keys", ">fill");
    for (TreeLevels.Level level : levels) {
      table.add(
          number(level.level()),
          number(level.nodes()),
          number(level.bytes()),
          number(level.keys()),
          String.format(Locale.ROOT, "%.3f", level.fill()));
    }
    return table;
  }

  private static Map<String, Object> toJson(
      IndexSummary file, long bytes, PoolStatistics pool, List<TreeLevels.Level> levels) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("file", file.path().toString());
    object.put("version", file.version());
    object.put("codecs", file.codecs());
    object.put("tree", file.kind());
    object.put("clean", file.isClean());
    object.put("logBytes", file.logBytes());
    object.put("entries", file.entries());
    object.put("height", file.height());
    object.put("pages", file.pages());
    object.put("pageBytes", file.pageBytes());
    object.put("freePages", file.freePages());
    object.put("stripes", file.stripes());
    object.put("bytes", bytes);
    object.put("bytesPerEntry", bytesPerEntry(bytes, file.entries()));
    object.put("engine", file.engine().toString());
    object.put("pool", toJson(pool));
    object.put("levels", levels.stream().map(TreeLevels.Level::toJson).toList());
    return object;
  }
}
