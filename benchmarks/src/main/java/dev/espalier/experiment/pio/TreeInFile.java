// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PageFiles;
import dev.espalier.io.PoolCounters;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.pio.PioBTree;
import dev.espalier.pio.PioBTree.Geometry;
import java.nio.file.Path;

/** A tree in a file of its own, bulkloaded as in the paper, behind a small pool. */
final class TreeInFile implements AutoCloseable {
  static final int PAGE_BYTES = 4 << 10;
  static final String B_PLUS = "B+-tree";

  /** As few as trees need to work at all. */
  private static final long LEAST_POOL_BYTES = 32L * PAGE_BYTES;

  /** More is no use while entries are loaded in order. */
  private static final long MOST_LOADING_BYTES = 1L << 29;

  /** Bytes of a file for each entry, room in pages included. */
  private static final int BYTES_PER_ENTRY = 40;

  private final Path path;
  private final FileOptions options;
  private final String label;
  private final int pageBytes;
  private BufferPool pool;
  private LongIndex index;

  private TreeInFile(
      ScratchFolder folder, String label, TreeVariant variant, int pageBytes, int entries) {
    this.pageBytes = pageBytes;
    this.path = folder.file(label.replace('+', 'p').replace(' ', '-'));
    this.options =
        FileOptions.DEFAULT
            .withEngine(PageFiles.DIRECT)
            .withVariant(variant)
            .withPageBytes(pageBytes);
    this.label = label;
    long loading = Math.clamp(bytes(entries), LEAST_POOL_BYTES, MOST_LOADING_BYTES);
    this.pool = BufferPool.create(loading, pageBytes);
    this.index = Espalier.open(path, options.withPool(pool));
    PaperSizes.load(index, entries);
  }

  static TreeInFile bPlus(ScratchFolder folder, int entries) {
    return new TreeInFile(folder, B_PLUS, DiskOptimizedBPlusTree.VARIANT, PAGE_BYTES, entries);
  }

  static TreeInFile of(ScratchFolder folder, TunedTree tree, int entries) {
    return new TreeInFile(folder, tree.label(), tree.variant(), tree.pageBytes(), entries);
  }

  static TreeInFile pio(ScratchFolder folder, String label, Geometry geometry, int entries) {
    TreeVariant usual = PioBTree.VARIANT;
    TreeVariant variant =
        new TreeVariant(
            usual.name(),
            usual.paper(),
            usual.medium(),
            usual.capabilities(),
            usual.factory(),
            (options, store) -> PioBTree.open(options, store, geometry));
    return new TreeInFile(folder, label, variant, PAGE_BYTES, entries);
  }

  /** Returns the bytes that a file for so many entries has at most. */
  static long bytes(int entries) {
    return (long) entries * BYTES_PER_ENTRY;
  }

  String label() {
    return label;
  }

  LongIndex index() {
    return index;
  }

  PoolCounters counters() {
    return pool.counters();
  }

  /** Opens it anew behind a pool of so many bytes, with nothing in it. */
  void reopen(long poolBytes, boolean readsAhead) {
    close();
    pool = BufferPool.create(Math.max(poolBytes, LEAST_POOL_BYTES), pageBytes);
    FileOptions with = options.withPool(pool);
    index = Espalier.open(path, readsAhead ? with : with.withFlags(FileOption.WITHOUT_READ_AHEAD));
  }

  /** Returns which engine reads it, and how; it is closed and opened for that. */
  String engine(long poolBytes) {
    index.close();
    String engine = Espalier.describe(path, options).engine().toString();
    index = Espalier.open(path, options.withPool(pool));
    reopen(poolBytes, true);
    return engine;
  }

  @Override
  public void close() {
    index.close();
    pool.close();
  }
}
