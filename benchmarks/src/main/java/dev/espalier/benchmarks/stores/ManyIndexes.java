// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.stores;

import dev.espalier.LongIndex;
import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.benchmarks.Publication;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.io.Espalier;
import dev.espalier.io.IndexStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What each of many small indexes in a store costs, and each of many open stores. */
@Command(
    name = "many",
    description = "What an index of one entry costs, and an open store of one.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class ManyIndexes implements Runnable {
  private static final double NANOS_PER_MILLI = 1e6;

  /** Where Linux lists the open files of the process. */
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  @Option(names = "--indexes", description = "Indexes in one store.")
  private int indexes = 2000;

  @Option(names = "--stores", description = "Open stores with an index each.")
  private int stores = 100;

  @Mixin private final Publication publication = new Publication();

  private ManyIndexes() {}

  public static void main(String[] arguments) {
    System.exit(AsciiDigits.execute(new CommandLine(new ManyIndexes()), arguments));
  }

  @Override
  public void run() {
    PrintedTable table =
        PrintedTable.inMarkdown(
            "| %s | %.3f | %.3f | %,d | %,d | %.1f | %.1f |",
            "each",
            "ms to make",
            "ms to open",
            "bytes of heap",
            "bytes on disk",
            "descriptors",
            "threads");
    try (StoreFolder folder = StoreFolder.create()) {
      addIndexes(table, folder);
    }
    try (StoreFolder folder = StoreFolder.create()) {
      addStores(table, folder);
    }
    publication.print(table);
    publication.write();
  }

  private void addIndexes(PrintedTable table, StoreFolder folder) {
    Usage before;
    Usage more;
    double made;
    try (IndexStore store = IndexStore.open(folder.store())) {
      store.index("first").set(1, 1);
      store.checkpoint();
      before = Usage.now(folder);
      long start = System.nanoTime();
      for (int i = 0; i < indexes; i++) {
        store.index("index" + i).set(i, i);
      }
      store.commit();
      made = millis(start) / indexes;
      store.checkpoint();
      more = Usage.now(folder);
    }
    long start = System.nanoTime();
    try (IndexStore store = IndexStore.open(folder.store())) {
      double opened = millis(start) / indexes;
      check(store.names().size() == indexes + 1);
      add(table, "index", made, opened, before, more, indexes);
    }
  }

  private void addStores(PrintedTable table, StoreFolder folder) {
    List<LongIndex> open = new ArrayList<>();
    Usage before = Usage.now(folder);
    double made = openAll(folder.path(), stores, open);
    Usage more = Usage.now(folder);
    open.forEach(LongIndex::close);
    open.clear();
    double opened = openAll(folder.path(), stores, open);
    open.forEach(index -> check(index.get(1) == 1));
    open.forEach(LongIndex::close);
    add(table, "open store", made, opened, before, more, stores);
  }

  /** Opens stores that are there or not, and returns the milliseconds for each. */
  private static double openAll(Path folder, int count, List<LongIndex> opened) {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      LongIndex index = Espalier.open(folder.resolve("store" + i));
      index.put(1, 1);
      opened.add(index);
    }
    return millis(start) / count;
  }

  private static void add(
      PrintedTable table,
      String what,
      double made,
      double opened,
      Usage before,
      Usage after,
      int count) {
    table.add(
        what,
        made,
        opened,
        (after.heap - before.heap) / count,
        (after.disk - before.disk) / count,
        (double) (after.descriptors - before.descriptors) / count,
        (double) (after.threads - before.threads) / count);
  }

  private static double millis(long start) {
    return (System.nanoTime() - start) / NANOS_PER_MILLI;
  }

  private static void check(boolean holds) {
    if (!holds) {
      throw new IllegalStateException("not all is there that was written");
    }
  }

  /** What the process uses; no descriptors are counted where the system does not tell. */
  private record Usage(long heap, long disk, long descriptors, int threads) {
    static Usage now(StoreFolder folder) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      long heap = runtime.totalMemory() - runtime.freeMemory();
      try (Stream<Path> files = Files.list(folder.path())) {
        long disk = files.mapToLong(file -> file.toFile().length()).sum();
        return new Usage(heap, disk, openFiles(), Thread.getAllStackTraces().size());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static long openFiles() throws IOException {
      if (!Files.isDirectory(DESCRIPTORS)) {
        return 0;
      }
      try (Stream<Path> open = Files.list(DESCRIPTORS)) {
        return open.count();
      }
    }
  }
}
