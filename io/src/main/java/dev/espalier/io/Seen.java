// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.io.IndexVersions.Version;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction sees of an index beside its tree: what keys were before later commits, and the
 * transaction's own writes, which nobody else sees.
 */
final class Seen<K, V> {
  /** A write of one key, of which the last one counts. */
  static final class Write<V> {
    /** The value, null if the entry is removed. */
    final @Nullable V value;

    /** Bytes of memory. */
    private final int bytes;

    private Write(@Nullable V value, int bytes) {
      this.value = value;
      this.bytes = bytes;
    }
  }

  final IndexVersions<K, V> versions;

  private final Transaction transaction;
  private final long time;
  private final NavigableMap<K, Write<V>> writes;

  /**
   * Begins without writes.
   *
   * @param writes an empty map in the order of the index
   */
  Seen(Transaction transaction, IndexVersions<K, V> versions, NavigableMap<K, Write<V>> writes) {
    this.transaction = transaction;
    this.time = transaction.time();
    this.versions = versions;
    this.writes = writes;
  }

  // ---------------------------------------------------------------- read

  /** Tells whether the index is what it was, and this transaction has not written to it. */
  boolean isTree() {
    return writes.isEmpty() && !isChanged();
  }

  /** Tells whether others have changed the index. */
  boolean isChanged() {
    return versions.isChangedAfter(time);
  }

  /** Returns what a key was if others may have changed it, else null; after the tree was read. */
  @Nullable Version<K, V> version(K key) {
    return isChanged() ? versions.at(key, time) : null;
  }

  /** Returns the first key at or after a key that others may have changed, null if none has. */
  @Nullable K changedUp(K key, boolean inclusive) {
    return isChanged() ? versions.ceiling(key, inclusive) : null;
  }

  /** Returns the last key at or before a key that others may have changed, null if none has. */
  @Nullable K changedDown(K key, boolean inclusive) {
    return isChanged() ? versions.floor(key, inclusive) : null;
  }

  /** Tells whether this transaction has written. */
  boolean hasWrites() {
    return !writes.isEmpty();
  }

  /** Returns this transaction's write of a key, null if there is none. */
  @Nullable Write<V> own(K key) {
    return writes.get(key);
  }

  /** Returns the first key at or after a key that this transaction has written, null if none. */
  @Nullable K ownUp(K key, boolean inclusive) {
    if (writes.isEmpty()) {
      return null;
    }
    return inclusive ? writes.ceilingKey(key) : writes.higherKey(key);
  }

  /** Returns the last key at or before a key that this transaction has written, null if none. */
  @Nullable K ownDown(K key, boolean inclusive) {
    if (writes.isEmpty()) {
      return null;
    }
    return inclusive ? writes.floorKey(key) : writes.lowerKey(key);
  }

  // ---------------------------------------------------------------- write

  /**
   * Writes a key.
   *
   * @param value null to remove its entry
   * @param bytes of memory of the write
   */
  void write(K key, @Nullable V value, int bytes) {
    transaction.checkOpen();
    transaction.checkAlive();
    Write<V> write = new Write<>(value, bytes);
    Write<V> before = writes.put(key, write);
    boolean keepsBefore = transaction.hasSavepoints();
    int more = bytes - (before == null || keepsBefore ? 0 : before.bytes);
    if (more != 0) {
      transaction.charge(more);
    }
    if (keepsBefore) {
      transaction.addUndo(() -> takeBack(key, write, before));
    }
  }

  private void takeBack(K key, Write<V> write, @Nullable Write<V> before) {
    if (before == null) {
      writes.remove(key);
    } else {
      writes.put(key, before);
    }
    transaction.charge(-write.bytes);
  }

  // ---------------------------------------------------------------- commit

  /** Returns how many keys were written. */
  int writeCount() {
    return writes.size();
  }

  /** Returns the keys that were written, in order. */
  Iterable<K> keys() {
    return writes.keySet();
  }

  /** Calls for each key that was written, with its value, which is null if it is removed. */
  void forEachWrite(BiConsumer<K, @Nullable V> action) {
    for (Map.Entry<K, Write<V>> entry : writes.entrySet()) {
      action.accept(entry.getKey(), entry.getValue().value);
    }
  }

  /** Returns a key that this transaction has written and others have changed, null if none. */
  @Nullable K changedOwn() {
    for (K key : writes.keySet()) {
      if (versions.isKeyChangedAfter(time, key)) {
        return key;
      }
    }
    return null;
  }

  /** Returns a key if others have changed it, else null. */
  @Nullable K changedOf(K key) {
    return versions.isKeyChangedAfter(time, key) ? key : null;
  }

  /** Returns a key of a range that others have changed, null if none. */
  @Nullable K changedOf(K from, @Nullable K to, boolean toInclusive) {
    return versions.changedAfter(time, from, to, toInclusive);
  }
}
