// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.CodecMarks;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Makes, opens, closes and drops the indexes of a store. */
final class StoreIndexes {
  private final StoreState state;
  private final Checkpoints checkpoints;
  private final StoreWriter writer;
  private final Runnable closeStore;
  private Consumer<String> whenIndexCloses = this::closeIndex;

  StoreIndexes(StoreState state, Checkpoints checkpoints, StoreWriter writer, Runnable closeStore) {
    this.state = state;
    this.checkpoints = checkpoints;
    this.writer = writer;
    this.closeStore = closeStore;
  }

  List<String> names() {
    state.gate.enterAlone();
    try {
      state.condition.checkUsable();
      return List.copyOf(state.indexes.keySet());
    } finally {
      state.gate.leaveAlone();
    }
  }

  /** Opens an index of longs, or makes one with the tree of the store's options. */
  StoreIndex index(String name, CodecMarks marks) {
    return index(name, knownVariant(name), marks);
  }

  private TreeVariant knownVariant(String name) {
    state.gate.enterAlone();
    try {
      IndexPages pages = state.indexes.get(Objects.requireNonNull(name, "name"));
      return pages == null
          ? state.newVariant()
          : state.variant(state.checkHasLongs(name, pages.codecs, pages.kind));
    } finally {
      state.gate.leaveAlone();
    }
  }

  /** Opens an index of longs, or makes one that remembers some marks. */
  StoreIndex index(String name, TreeVariant variant, CodecMarks marks) {
    state.gate.enterAlone(checkpoints.lock);
    try {
      state.condition.checkUsable();
      IndexPages pages = state.indexes.get(name);
      if (pages != null && !pages.kind.equals(variant.name())) {
        throw new IllegalArgumentException(
            "variant is %s, but index '%s' of %s is a %s"
                .formatted(variant.name(), name, state.path, pages.kind));
      }
      if (pages != null) {
        state.checkCodecs(pages, marks);
      }
      if (state.open.get(name) instanceof StoreIndex open) {
        return open;
      }
      if (pages != null) {
        return open(pages, variant);
      }
      if (variant.medium() != TreeVariant.Medium.PAGES) {
        throw new IllegalArgumentException(
            "variant is " + variant.name() + ", which does not live in pages");
      }
      return make(name, variant.name(), StoredCodecs.ofLongs(marks), made -> open(made, variant));
    } finally {
      state.gate.leaveAlone();
      checkpoints.lock.unlock();
    }
  }

  /** Opens an index of byte strings, or makes one that remembers some marks. */
  StoreBytesIndex bytesIndex(String name, CodecMarks marks) {
    state.gate.enterAlone(checkpoints.lock);
    try {
      state.condition.checkUsable();
      IndexPages pages = state.indexes.get(Objects.requireNonNull(name, "name"));
      if (pages == null) {
        return make(name, StoreBytesIndex.KIND, StoredCodecs.ofByteStrings(marks), this::openBytes);
      }
      state.checkHasByteStrings(name, pages.codecs, pages.kind);
      state.checkCodecs(pages, marks);
      return state.open.get(name) instanceof StoreBytesIndex open ? open : openBytes(pages);
    } finally {
      state.gate.leaveAlone();
      checkpoints.lock.unlock();
    }
  }

  /**
   * Opens an index of longs.
   *
   * @throws IllegalArgumentException if there is none of this name, or it has byte strings
   */
  StoreIndex existing(String name) {
    return existing(name, () -> index(name, CodecMarks.NONE));
  }

  /**
   * Opens an index of byte strings.
   *
   * @throws IllegalArgumentException if there is none of this name, or it has longs
   */
  StoreBytesIndex existingBytes(String name) {
    return existing(name, () -> bytesIndex(name, CodecMarks.NONE));
  }

  /** Opens an index that nobody drops meanwhile. */
  private <T> T existing(String name, Supplier<T> index) {
    state.gate.enterAlone(checkpoints.lock);
    try {
      state.condition.checkUsable();
      if (!state.indexes.containsKey(name)) {
        throw new IllegalArgumentException(
            "name is '%s', but %s has no such index; make it before the transaction begins"
                .formatted(name, state.path));
      }
      return index.get();
    } finally {
      state.gate.leaveAlone();
      checkpoints.lock.unlock();
    }
  }

  private StoreBytesIndex openBytes(IndexPages pages) {
    StoreBytesIndex index =
        state.openBytes(pages, writer, () -> whenIndexCloses.accept(pages.name));
    state.open.put(pages.name, index);
    return index;
  }

  /** Opens or makes the index that {@link Espalier} does; closing it closes the store. */
  LongIndex only() {
    return only(
        () ->
            index(
                Espalier.NAME,
                state.options.files().variant().orElseGet(() -> knownVariant(Espalier.NAME)),
                CodecMarks.NONE));
  }

  /** Does the same as {@link #only}, with an index of byte strings. */
  BytesIndex onlyBytes() {
    return only(() -> bytesIndex(Espalier.NAME, CodecMarks.NONE));
  }

  private <T> T only(Supplier<T> index) {
    state.gate.enterAlone(checkpoints.lock);
    try {
      if (!state.indexes.containsKey(Espalier.NAME)
          && (!state.indexes.isEmpty() || state.condition.isReadOnly())) {
        throw state.hasNoOnlyIndex();
      }
      whenIndexCloses = _ -> closeStore.run();
      return index.get();
    } finally {
      state.gate.leaveAlone();
      checkpoints.lock.unlock();
    }
  }

  private StoreIndex open(IndexPages pages, TreeVariant variant) {
    StoreIndex index =
        state.openTree(pages, variant, writer, () -> whenIndexCloses.accept(pages.name));
    state.open.put(pages.name, index);
    return index;
  }

  private <T extends OpenIndex> T make(
      String name, String kind, String codecs, Function<IndexPages, T> open) {
    state.condition.checkTakesChanges();
    if (name.isEmpty() || name.length() > 200) {
      throw new IllegalArgumentException(
          "name is '" + name + "'; it must have from 1 to 200 characters");
    }
    if (state.nextId == IndexStore.MOST_INDEXES) {
      throw new IllegalStateException(
          state.path
              + ": has had the most indexes that a store can have, "
              + IndexStore.MOST_INDEXES);
    }
    IndexPages pages = new IndexPages(state.nextId, name, kind, codecs, state.pageBytes());
    long sequence;
    T index;
    try {
      writer.beginMaking(pages);
      state.nextId++;
      state.indexes.put(name, pages);
      index = open.apply(pages);
      sequence = writer.make(pages);
    } catch (RuntimeException | Error failed) {
      state.remove(pages);
      throw failed;
    }
    writer.acknowledge(sequence);
    return index;
  }

  /**
   * Closes an index: its pages make room for others, and its next opening finds them as they are.
   */
  private void closeIndex(String name) {
    state.gate.enterAlone(checkpoints.lock);
    try {
      OpenIndex index = state.open.get(name);
      if (index == null) {
        return;
      }
      if (!state.condition.isReadOnly() && !state.condition.hasFailed()) {
        index.pages().flush();
        writer.commit();
      }
      state.open.remove(name);
      index.closeTree();
    } finally {
      state.gate.leaveAlone();
      checkpoints.lock.unlock();
    }
  }

  boolean drop(String name) {
    state.transactions.checkNotWriting();
    state.gate.enterAlone(checkpoints.lock);
    try {
      state.condition.checkTakesChanges();
      IndexPages pages = state.indexes.get(name);
      if (pages == null) {
        return false;
      }
      state.remove(pages);
      writer.skip();
      return true;
    } finally {
      state.gate.leaveAlone();
      checkpoints.lock.unlock();
    }
  }
}
