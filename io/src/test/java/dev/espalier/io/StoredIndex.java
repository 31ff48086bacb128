// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An index of a store as a map of longs, whatever its keys are, for those who test what a store
 * does with the writes.
 */
interface StoredIndex {
  /**
   * Opens an index of a store, or makes one: of byte strings if that is the tree, else of longs.
   */
  static StoredIndex of(IndexStore store, String tree, String name) {
    return tree.equals(StoreBytesIndex.KIND)
        ? new StoredStrings(store.bytesIndex(name))
        : new Longs(store.index(name));
  }

  /** Opens an index of a snapshot. */
  static StoredIndex of(Snapshot snapshot, String tree, String name) {
    return tree.equals(StoreBytesIndex.KIND)
        ? new StoredStrings(snapshot.bytesIndex(name))
        : new Longs(snapshot.index(name));
  }

  void set(long key, long value);

  void put(long key, long value);

  void putIfAbsent(long key, long value);

  void putAll(long[] keys, long[] values);

  void delete(long key);

  void remove(long key);

  /** Removes the entries between two keys, both included. */
  void removeRange(long from, long to);

  void clear();

  void bulkload(long[] keys, long[] values);

  void addSet(WriteBatch batch, long key, long value);

  void addDelete(WriteBatch batch, long key);

  /** Returns a cursor on the first entry from a key on; null if there is none. */
  @Nullable Place ceiling(long key);

  long size();

  /** Returns all entries. */
  SequencedMap<Long, Long> entries();

  void verify();

  void close();

  /** A cursor on an entry, which may change it. */
  record Place(long key, LongConsumer setValue, Runnable remove) {}

  /** An index of longs. */
  record Longs(LongIndex index) implements StoredIndex {
    @Override
    public void set(long key, long value) {
      index.set(key, value);
    }

    @Override
    public void put(long key, long value) {
      index.put(key, value);
    }

    @Override
    public void putIfAbsent(long key, long value) {
      index.putIfAbsent(key, value);
    }

    @Override
    public void putAll(long[] keys, long[] values) {
      index.putAll(keys, values);
    }

    @Override
    public void delete(long key) {
      index.delete(key);
    }

    @Override
    public void remove(long key) {
      index.remove(key);
    }

    @Override
    public void removeRange(long from, long to) {
      index.removeRange(from, true, to, true);
    }

    @Override
    public void clear() {
      index.clear();
    }

    @Override
    public void bulkload(long[] keys, long[] values) {
      index.bulkload(keys, values);
    }

    @Override
    public void addSet(WriteBatch batch, long key, long value) {
      batch.set(index, key, value);
    }

    @Override
    public void addDelete(WriteBatch batch, long key) {
      batch.delete(index, key);
    }

    @Override
    public @Nullable Place ceiling(long key) {
      LongCursor cursor = index.cursor();
      return cursor.ceiling(key) ? new Place(cursor.key(), cursor::setValue, cursor::remove) : null;
    }

    @Override
    public long size() {
      return index.size();
    }

    @Override
    public SequencedMap<Long, Long> entries() {
      SequencedMap<Long, Long> entries = new TreeMap<>();
      LongCursor cursor = index.cursor();
      while (cursor.next()) {
        entries.put(cursor.key(), cursor.value());
      }
      return entries;
    }

    @Override
    public void verify() {
      index.verify();
    }

    @Override
    public void close() {
      index.close();
    }
  }
}
