// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.CodecMarks;
import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.family.Family;
import dev.espalier.memory.PageStore;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of an open store share: its file, its slots, its log, its indexes, and the gate
 * through which all its writers go.
 */
final class StoreState {
  final Path path;
  final StoreOptions options;
  final StoreEnvironment environment;
  final PageFile file;
  final BufferPool pool;
  final SlotSpace space;

  /** How many pages of the file were changed in memory and are to be written. */
  final AtomicInteger changedPages = new AtomicInteger();

  /** Whether the store takes changes; closed when the store is. */
  final StoreCondition condition;

  /** What has befallen it, and so all of its indexes. */
  final StoreCondition.Damage damage;

  /** Whoever changes anything is within, from the first change until its record is in the log. */
  final WriterGate gate;

  final Transactions transactions;

  // What follows is changed by the thread that is alone there, or while the store is opened.

  /** All indexes, by name, in the order in which they were made. */
  final Map<String, IndexPages> indexes = new LinkedHashMap<>();

  /** Those of them that are open. */
  final Map<String, OpenIndex> open = new LinkedHashMap<>();

  int nextId;
  byte[] note = {};

  /** The record of the thread that is alone. */
  final LogRecord record = new LogRecord();

  /** The snapshots that are open. */
  final Set<Snapshot> snapshots = ConcurrentHashMap.newKeySet();

  /** The header of the last durable checkpoint. */
  volatile StoreHeader header;

  /** The checkpoint that was captured last, durable or not yet. */
  volatile long captured;

  /**
   * Keeps others from opening the file. Kept here because a pool may have pages of a store that was
   * dropped, and write them: the file is not to be opened again before that.
   */
  OpenFiles.@Nullable Claim claim;

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
    this.gate = new WriterGate(environment.keeps(Rule.CAPTURE_WAITS_FOR_WRITERS));
    this.transactions = new Transactions(gate, environment);
    this.condition = new StoreCondition(path, "the store " + path, readOnly, damage);
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
            new StoreCondition(path, subject(index), condition.isReadOnly(), damage),
            changedPages,
            index,
            space,
            () -> captured + 1,
            gate,
            !options.files().flags().contains(FileOption.WITHOUT_READ_AHEAD));
    pool.enter(store);
    return store;
  }

  /**
   * Checks that codecs may be used with an index.
   *
   * @throws IllegalArgumentException if it was made with others
   */
  void checkCodecs(IndexPages index, CodecMarks given) {
    StoredCodecs.marks(index.codecs).check(subject(index), given);
  }

  /** Returns what messages call an index: its users may not know the name that is the default. */
  private String subject(IndexPages index) {
    return isOnly(index.name)
        ? "the index in " + path
        : "index '%s' of %s".formatted(index.name, path);
  }

  /** Tells whether an index has the name of those that {@link Espalier} opens. */
  private static boolean isOnly(String name) {
    return name.equals(Espalier.NAME);
  }

  /** Returns the tree of new indexes. */
  TreeVariant newVariant() {
    return options.files().variant().orElse(FpbLinkTree.VARIANT);
  }

  /**
   * Returns the tree of a name: that of the options, which may have a geometry, or the family's. A
   * tree that is there already keeps its own geometry.
   */
  TreeVariant variant(String kind) {
    TreeVariant given = options.files().variant().orElse(null);
    if (given == null || !given.name().equals(kind)) {
      return Family.named(kind);
    }
    return TreeVariant.inPages(
        kind, given.paper(), given.factory(), (index, pages) -> openAsMade(given, index, pages));
  }

  /**
   * Opens a tree by a given variant or, if that is of another geometry, by what its pages say; one
   * that has no pages yet, by what its words say.
   */
  private static LongIndex openAsMade(TreeVariant given, IndexOptions options, PageStore pages) {
    TreeVariant plain =
        Family.all().stream()
            .filter(tree -> tree.name().equals(given.name()))
            .findFirst()
            .orElse(given);
    if (pages.pagesInUse() == 0) {
      return plain.open(options, pages);
    }
    try {
      return given.open(options, pages);
    } catch (IllegalArgumentException refused) {
      return plain.open(options, pages);
    }
  }

  /** Returns the name of the tree of an index, if it is one of longs. */
  String checkHasLongs(String name, String codecs, String kind) {
    if (StoredCodecs.areByteStrings(codecs)) {
      throw new IllegalArgumentException(
          "index '%s' of %s has byte strings; open it with %s"
              .formatted(
                  name, path, isOnly(name) ? "Espalier.openBytes" : "IndexStore.bytesIndex"));
    }
    return kind;
  }

  /** Checks that an index is one of byte strings. */
  void checkHasByteStrings(String name, String codecs, String kind) {
    if (!StoredCodecs.areByteStrings(codecs)) {
      throw new IllegalArgumentException(
          "index '%s' of %s is a %s, which has longs; open it with %s"
              .formatted(name, path, kind, isOnly(name) ? "Espalier.open" : "IndexStore.index"));
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
    } catch (RuntimeException failed) {
      store.close();
      throw IndexFailures.ofOpening(path, index.name, failed);
    } catch (Error failed) {
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
      ConcurrentPrefixBPlusTree tree = ConcurrentPrefixBPlusTree.open(store);
      return new StoreBytesIndex(writer, index, store, tree, whenClosed);
    } catch (RuntimeException failed) {
      store.close();
      throw IndexFailures.ofOpening(path, index.name, failed);
    } catch (Error failed) {
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

  /** Removes an index, and gives up its pages. */
  void remove(IndexPages pages) {
    indexes.remove(pages.name);
    OpenIndex index = open.remove(pages.name);
    if (index != null) {
      index.pages().condition.noteDropped();
      index.closeTree();
    }
    pool.frames.lock.lock();
    try {
      pages.map.clear(space);
    } finally {
      pool.frames.lock.unlock();
    }
  }

  /** Stops answering, because a change was left halfway. Called by the thread that writes. */
  void noteHalfway(Throwable cause) {
    condition.noteHalfway(cause);
    open.values().forEach(index -> pool.invalidation.forget(index.pages()));
  }

  /** Lets go of everything, whatever becomes of one, and of what the caller names at last. */
  void release(Runnable atEnd) {
    List<Runnable> steps = new ArrayList<>();
    snapshots.forEach(snapshot -> steps.add(snapshot::close));
    open.values().forEach(index -> steps.add(index::closeTree));
    steps.add(open::clear);
    if (log != null) {
      steps.add(log::close);
    }
    steps.add(file::close);
    steps.add(atEnd);
    ForEach.all(steps, Runnable::run);
  }

  /** Lets go of everything but the file, after an opening that has failed. */
  void abandon() {
    open.values().forEach(index -> index.pages().close());
    open.clear();
    if (log != null) {
      log.close();
    }
  }

  /** Returns the refusal of a store without the index that {@link Espalier} makes. */
  PageFileException hasNoOnlyIndex() {
    return new PageFileException(
        path,
        indexes.isEmpty()
            ? "has no index yet; opening it for writing makes one"
            : "is a store with the indexes %s; open it as an IndexStore"
                .formatted(indexes.keySet()),
        PageFileException.NO_ERRNO);
  }
}
