// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

/**
 * All indexes of a store as they were at one moment, which can be read while the store is written
 * to. Made by {@link IndexStore#snapshot()}.
 *
 * <p>A snapshot is a checkpoint whose places in the file are not used for anything else until the
 * snapshot is closed, so the file grows by what is changed meanwhile. It is read through the
 * store's buffer pool, beside the store's own pages. Any number of snapshots may be open at once.
 * They end with the store at the latest, and nothing of them is left after a crash.
 *
 * <p>A snapshot stays readable when the store takes no more changes because its device failed.
 *
 * <p><b>Threads.</b> Any number of threads may use a snapshot, and may read the same index of it.
 */
public final class Snapshot implements AutoCloseable {
  private final StoreState state;
  private final StoreHeader header;

  /** The slots of the checkpoint, which nothing else may use. */
  private final BitSet slots;

  private final Catalogue catalogue;
  private final List<Integer> catalogueSlots;

  /** Refuses all writes. */
  private final StoreWriter writer;

  /** Held while the snapshot is being closed, and where it must not be closed. */
  final ReentrantLock lock = new ReentrantLock();

  private final Map<String, OpenIndex> open = new LinkedHashMap<>();
  private boolean closed;

  private Snapshot(
      StoreState state,
      StoreHeader header,
      BitSet slots,
      Catalogue catalogue,
      List<Integer> catalogueSlots,
      StoreWriter writer) {
    this.state = state;
    this.header = header;
    this.slots = slots;
    this.catalogue = catalogue;
    this.catalogueSlots = catalogueSlots;
    this.writer = writer;
  }

  /**
   * Makes a checkpoint, unless the last one has all that was written, and holds it.
   *
   * @throws PageFileException if there is no room for a checkpoint, or the device fails
   */
  static Snapshot take(StoreState state, Checkpoints checkpoints) {
    checkpoints.lock.lock();
    try {
      state.condition.checkUsable();
      if (!isAllDurable(state)) {
        checkpoints.make(false);
      }
      // No other checkpoint can be made meanwhile, so this is still the one in the file.
      Snapshot snapshot = hold(state, new StoreWriter(state, checkpoints));
      state.snapshots.add(snapshot);
      return snapshot;
    } finally {
      checkpoints.lock.unlock();
    }
  }

  private static boolean isAllDurable(StoreState state) {
    state.gate.enterAlone();
    try {
      return state.condition.isReadOnly() || state.log.appended() == state.header.sequence();
    } finally {
      state.gate.leaveAlone();
    }
  }

  /** Holds the last durable checkpoint; no other one may be made meanwhile. */
  static Snapshot hold(StoreState state, StoreWriter writer) {
    StoreHeader header = state.header;
    BitSet slots;
    state.pool.frames.lock.lock();
    try {
      slots = state.space.hold();
    } finally {
      state.pool.frames.lock.unlock();
    }
    try (PageReader reader = new PageReader(state.file, state.pageBytes())) {
      Catalogue.Place place =
          new Catalogue.Place(header.catalogueSlot(), header.catalogueChecksum());
      List<Integer> catalogueSlots = new ArrayList<>();
      Catalogue catalogue = Catalogue.read(place, own(state), reader, catalogueSlots);
      return new Snapshot(state, header, slots, catalogue, catalogueSlots, writer);
    } catch (RuntimeException | Error failed) {
      letGo(state, slots);
      throw failed;
    }
  }

  /**
   * Returns a space in which maps may note their slots: the store's own account has them already.
   */
  private static SlotSpace own(StoreState state) {
    return new SlotSpace(state.file, state.pageBytes(), null);
  }

  private static void letGo(StoreState state, BitSet slots) {
    state.pool.frames.lock.lock();
    try {
      state.space.letGo(slots);
    } finally {
      state.pool.frames.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- read

  /** Returns the number of the checkpoint. */
  public long checkpoint() {
    return header.checkpoint();
  }

  /** Returns the names of all indexes, in the order in which they were made. */
  public List<String> names() {
    lock.lock();
    try {
      checkOpen();
      return catalogue.entries().stream().map(Catalogue.Entry::name).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the note of the last commit that had one; empty if there was none. */
  public byte[] note() {
    lock.lock();
    try {
      checkOpen();
      return catalogue.note().clone();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Opens an index, as {@link #index(String, TreeVariant)} does. Its tree is that of the store's
   * options if the names agree, and otherwise the tree of its name in its usual geometry.
   */
  public LongIndex index(String name) {
    Catalogue.Entry entry = entry(name);
    return index(
        name, state.variant(state.checkHasLongs(entry.name(), entry.codecs(), entry.kind())));
  }

  /**
   * Opens an index with a given tree. All writes to it throw an {@link
   * UnsupportedOperationException}. It stays open until it, the snapshot or the store is closed;
   * opening it again meanwhile returns the same object. Opening it for the first time reads where
   * its pages are, 8 bytes for each.
   *
   * @throws IllegalArgumentException if there is no such index, or it has another tree
   * @throws CorruptPageException if a page is damaged
   */
  public LongIndex index(String name, TreeVariant variant) {
    lock.lock();
    try {
      Catalogue.Entry entry = entry(name);
      if (!entry.kind().equals(variant.name())) {
        throw new IllegalArgumentException(
            "variant is %s, but index '%s' of %s is a %s"
                .formatted(variant.name(), name, state.path, entry.kind()));
      }
      if (open.get(name) instanceof StoreIndex known) {
        return known;
      }
      StoreIndex index =
          open(
              entry,
              (pages, store) -> {
                IndexOptions options =
                    IndexOptions.DEFAULT.withMissingValue(state.options.files().missingValue());
                LongIndex tree = variant.open(options, store);
                return new StoreIndex(writer, pages, store, tree, () -> closeIndex(name));
              });
      open.put(name, index);
      return index;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Opens an index of byte strings. All writes to it throw an {@link
   * UnsupportedOperationException}. It stays open until it, the snapshot or the store is closed;
   * opening it again meanwhile returns the same object.
   *
   * @throws IllegalArgumentException if there is no such index, or it has longs
   * @throws CorruptPageException if a page is damaged
   */
  public BytesIndex bytesIndex(String name) {
    lock.lock();
    try {
      Catalogue.Entry entry = entry(name);
      state.checkHasByteStrings(name, entry.codecs(), entry.kind());
      if (open.get(name) instanceof StoreBytesIndex known) {
        return known;
      }
      StoreBytesIndex index =
          open(
              entry,
              (pages, store) -> {
                ConcurrentPrefixBPlusTree tree = ConcurrentPrefixBPlusTree.open(store);
                return new StoreBytesIndex(writer, pages, store, tree, () -> closeIndex(name));
              });
      open.put(name, index);
      return index;
    } finally {
      lock.unlock();
    }
  }

  private Catalogue.Entry entry(String name) {
    Objects.requireNonNull(name, "name");
    lock.lock();
    try {
      checkOpen();
      return catalogue.entries().stream()
          .filter(entry -> entry.name().equals(name))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "name is '%s', but the snapshot of %s has no such index; it has %s"
                          .formatted(name, state.path, names())));
    } finally {
      lock.unlock();
    }
  }

  /** Opens the pages of an index, and its tree over them. */
  private <T> T open(Catalogue.Entry entry, BiFunction<IndexPages, SlotPageStore, T> tree) {
    SlotSpace space = own(state);
    IndexPages pages = pages(entry, space);
    String subject =
        "index '%s' of the snapshot of checkpoint %d of %s"
            .formatted(entry.name(), checkpoint(), state.path);
    String refusal =
        "index '%s' of the snapshot of checkpoint %d takes no changes"
            .formatted(entry.name(), checkpoint());
    SlotPageStore store =
        new SlotPageStore(
            state.file,
            state.pool,
            StoreCondition.readOnly(state.path, subject, refusal),
            new AtomicInteger(), // of a snapshot nothing is changed
            pages,
            space,
            this::checkpoint,
            state.gate,
            !state.options.files().flags().contains(FileOption.WITHOUT_READ_AHEAD));
    state.pool.enter(store);
    try {
      return tree.apply(pages, store);
    } catch (RuntimeException failed) {
      store.close();
      throw IndexFailures.ofOpening(state.path, entry.name(), failed);
    } catch (Error failed) {
      store.close();
      throw failed;
    }
  }

  private IndexPages pages(Catalogue.Entry entry, SlotSpace space) {
    try (PageReader reader = new PageReader(state.file, state.pageBytes())) {
      return new IndexPages(
          entry, PageMap.read(entry.map(), entry.top(), space, reader, entry.id()));
    }
  }

  /**
   * What a checkpoint says about its indexes.
   *
   * @param slots all slots that its maps and its catalogue refer to
   */
  record Contents(List<IndexPages> indexes, BitSet slots) {}

  /**
   * Reads the maps of all indexes.
   *
   * @throws CorruptPageException if a map is damaged, or a slot has two pages
   */
  Contents contents() {
    SlotSpace space = own(state);
    catalogueSlots.forEach(space::noteLoaded);
    List<IndexPages> indexes =
        catalogue.entries().stream().map(entry -> pages(entry, space)).toList();
    return new Contents(indexes, space.account().current());
  }

  /** Returns the slots that are held. */
  BitSet slots() {
    return slots;
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  Catalogue catalogue() {
    return catalogue;
  }

  // ---------------------------------------------------------------- close

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "the snapshot of checkpoint %d of %s is closed".formatted(checkpoint(), state.path));
    }
  }

  private void closeIndex(String name) {
    lock.lock();
    try {
      OpenIndex index = open.remove(name);
      if (index != null) {
        index.closeTree();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the snapshot's indexes, and lets the store use its places again. A second call does
   * nothing.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        try {
          ForEach.all(open.values(), OpenIndex::closeTree);
        } finally {
          open.clear();
          state.snapshots.remove(this);
          letGo(state, slots);
        }
      }
    } finally {
      lock.unlock();
    }
  }
}
