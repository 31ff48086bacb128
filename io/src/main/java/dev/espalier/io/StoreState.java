// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.family.Family;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.prefix.PrefixBPlusTree;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the parts of an open store share: its file, its slots, its log, its indexes, and the lock
 * that all its writers take.
 */
final class StoreState {
  final Path path;
  final StoreOptions options;
  final StoreEnvironment environment;
  final PageFile file;
  final BufferPool pool;
  final SlotSpace space;

  /** Whether the store takes changes; closed when the store is. */
  final StoreCondition condition;

  /** What has befallen it, and so all of its indexes. */
  final StoreCondition.Damage damage;

  /** Held by whoever changes anything, from the first change until its record is in the log. */
  final ReentrantLock writing = new ReentrantLock();

  // What follows changes under that lock, or while the store is opened.

  /** All indexes, by name, in the order in which they were made. */
  final Map<String, IndexPages> indexes = new LinkedHashMap<>();

  /** Those of them that are open. */
  final Map<String, OpenIndex> open = new LinkedHashMap<>();

  int nextId;
  byte[] note = {};
  final LogRecord record = new LogRecord();

  /** The snapshots that are open. */
  final Set<Snapshot> snapshots = ConcurrentHashMap.newKeySet();

  /** The header of the last durable checkpoint. */
  volatile StoreHeader header;

  /** The checkpoint that was captured last, durable or not yet. */
  volatile long captured;

  Log log;

  @SuppressWarnings("NullAway.Init") // The log is begun when the old one has been replayed.
  StoreState(
      Path path,
      StoreOptions options,
      StoreEnvironment environment,
      PageFile file,
      BufferPool pool,
      StoreHeader header) {
    this.path = path;
    this.options = options;
    this.environment = environment;
    this.file = file;
    this.pool = pool;
    this.header = header;
    this.captured = header.checkpoint();
    this.damage = new StoreCondition.Damage();
    Set<FileOption> flags = options.files().flags();
    // One that was not closed takes changes until it is recovered.
    boolean readOnly =
        flags.contains(FileOption.LAST_CHECKPOINT)
            || (flags.contains(FileOption.READ_ONLY) && header.clean());
    this.condition = new StoreCondition(path, readOnly, damage);
    this.space =
        new SlotSpace(
            file,
            header.pageBytes(),
            environment.scatters() ? environment.random() : null,
            environment.without());
  }

  int pageBytes() {
    return header.pageBytes();
  }

  /** Makes the page store of an index that has none. */
  SlotPageStore pages(IndexPages index) {
    SlotPageStore store =
        new SlotPageStore(
            file,
            pool,
            new StoreCondition(path, condition.isReadOnly(), damage),
            index,
            space,
            () -> captured + 1,
            !options.files().flags().contains(FileOption.WITHOUT_READ_AHEAD));
    pool.enter(store);
    return store;
  }

  /** Returns the tree of new indexes. */
  TreeVariant newVariant() {
    return options.files().variant().orElse(DiskFirstFpbPlusTree.VARIANT);
  }

  /**
   * Returns the tree of a name: that of the options, which may have a geometry, or the family's.
   */
  TreeVariant variant(String kind) {
    return options
        .files()
        .variant()
        .filter(variant -> variant.name().equals(kind))
        .orElseGet(() -> Family.named(kind));
  }

  /** Returns the name of the tree of an index, if it is one of longs. */
  String checkHasLongs(String name, String codecs, String kind) {
    if (codecs.equals(Catalogue.BYTES_CODECS)) {
      throw new IllegalArgumentException(
          "index '%s' of %s has byte strings; open it with bytesIndex".formatted(name, path));
    }
    return kind;
  }

  /** Checks that an index is one of byte strings. */
  void checkHasByteStrings(String name, String codecs, String kind) {
    if (!codecs.equals(Catalogue.BYTES_CODECS)) {
      throw new IllegalArgumentException(
          "index '%s' of %s is a %s, which has longs; open it with index"
              .formatted(name, path, kind));
    }
  }

  /** Opens the tree of an index, and has its pages in the pool until it is closed. */
  StoreIndex openTree(
      IndexPages index, TreeVariant variant, StoreWriter writer, Runnable whenClosed) {
    SlotPageStore store = pages(index);
    try {
      IndexOptions withMissing =
          IndexOptions.DEFAULT.withMissingValue(options.files().missingValue());
      LongIndex tree = variant.open(withMissing, store);
      return new StoreIndex(writer, index, store, tree, whenClosed);
    } catch (RuntimeException | Error failed) {
      store.close();
      throw failed;
    }
  }

  /**
   * Opens the tree of an index of byte strings, and has its pages in the pool until it is closed.
   */
  StoreBytesIndex openBytes(IndexPages index, StoreWriter writer, Runnable whenClosed) {
    SlotPageStore store = pages(index);
    try {
      BytesIndex tree = PrefixBPlusTree.open(store);
      return new StoreBytesIndex(writer, index, store, tree, whenClosed);
    } catch (RuntimeException | Error failed) {
      store.close();
      throw failed;
    }
  }

  /** Opens the tree of an index by what the catalogue says of it. */
  OpenIndex openAny(IndexPages index, StoreWriter writer) {
    return index.hasByteStrings()
        ? openBytes(index, writer, () -> {})
        : openTree(index, variant(index.kind), writer, () -> {});
  }

  /** Stops answering, because a change was left halfway. Called by the thread that writes. */
  void noteHalfway(Throwable cause) {
    condition.noteHalfway(cause);
    open.values().forEach(index -> pool.waves.forget(index.pages()));
  }

  /** Lets go of everything but the file, after an opening that has failed. */
  void abandon() {
    open.values().forEach(index -> index.pages().close());
    open.clear();
    if (log != null) {
      log.close();
    }
  }

  /** Returns what the catalogue would say if nothing but its length mattered. */
  Catalogue catalogue() {
    return new Catalogue(
        nextId,
        indexes.values().stream()
            .map(
                index ->
                    new Catalogue.Entry(
                        index.id,
                        index.name,
                        index.kind,
                        index.codecs,
                        index.meta,
                        0,
                        PageMap.Root.NONE))
            .toList(),
        note);
  }
}
