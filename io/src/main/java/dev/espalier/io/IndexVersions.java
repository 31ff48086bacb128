// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * What the keys of one index were before commits that an open transaction may not see. Added to by
 * the thread whose turn it is to write; read by any thread.
 *
 * <p>A version is there before the tree is changed, and {@link #changed} after the version; readers
 * look at the tree first. So whoever sees a new value in the tree finds the version.
 */
final class IndexVersions<K, V> {
  private static final long[] NONE = {};

  /** What a key was before a commit. */
  static final class Version<K, V> {
    private final IndexVersions<K, V> of;

    /** The key, null in what stands for any key of an index that was empty. */
    private final @Nullable K key;

    /** The time of the commit. */
    final long time;

    /** The value of the entry, null if there was none. */
    final @Nullable V before;

    /** Bytes of memory. */
    final int bytes;

    private volatile @Nullable Version<K, V> older;
    private volatile @Nullable Version<K, V> newer;

    private Version(
        IndexVersions<K, V> of,
        @Nullable K key,
        long time,
        @Nullable V before,
        int bytes,
        @Nullable Version<K, V> older) {
      this.of = of;
      this.key = key;
      this.time = time;
      this.before = before;
      this.bytes = bytes;
      this.older = older;
    }

    /** Forgets this version, the oldest of its key, which no transaction needs. */
    void forget() {
      Version<K, V> next = newer;
      if (next != null) {
        next.older = null;
      } else if (key != null) {
        of.newest.remove(key, this); // If the key has a newer one by now, that one lets go of this.
      }
    }
  }

  /** The name of the index. */
  final String name;

  /** The newest version of each key. */
  private final ConcurrentNavigableMap<K, Version<K, V>> newest;

  /** That a key had no entry. */
  private final Version<K, V> nothing = new Version<>(this, null, 0, null, 0, null);

  /** The time of the last change. */
  private volatile long changed;

  /** When the index was filled, having been empty. */
  private volatile long[] fills = NONE;

  /**
   * Begins without versions.
   *
   * @param newest an empty map in the order of the index
   */
  IndexVersions(String name, ConcurrentNavigableMap<K, Version<K, V>> newest) {
    this.name = name;
    this.newest = newest;
  }

  // ---------------------------------------------------------------- in the turn

  /**
   * Adds what a key is before a change.
   *
   * @param before the value of its entry, null if there is none
   * @param bytes of memory of the version
   * @return the version; null if it has one of that time
   */
  @Nullable Version<K, V> add(K key, long time, @Nullable V before, int bytes) {
    Version<K, V> older = newest.get(key);
    if (older != null && older.time == time) {
      return null;
    }
    Version<K, V> version = new Version<>(this, key, time, before, bytes, older);
    if (older != null) {
      older.newer = version;
    }
    newest.put(key, version);
    changed = time;
    return version;
  }

  /** Tells whether a key was changed at a time, the last one that there is. */
  boolean isChangedAt(K key, long time) {
    Version<K, V> version = newest.get(key);
    return version != null && version.time == time;
  }

  /**
   * Notes that the index, which is empty, is about to be filled.
   *
   * @param oldest earlier times are of no interest any more
   */
  void addFill(long time, long oldest) {
    long[] kept = Arrays.stream(fills).filter(known -> known > oldest).toArray();
    long[] all = Arrays.copyOf(kept, kept.length + 1);
    all[kept.length] = time;
    fills = all;
    changed = time;
  }

  // ---------------------------------------------------------------- read

  /** Tells whether anything was changed after a time. */
  boolean isChangedAfter(long time) {
    return changed > time;
  }

  /**
   * Returns what a key was at a time if it was changed afterwards, otherwise null. To be called
   * when the tree has been read.
   */
  @Nullable Version<K, V> at(K key, long time) {
    Version<K, V> oldest = null;
    for (Version<K, V> version = newest.get(key);
        version != null && version.time > time;
        version = version.older) {
      oldest = version;
    }
    long fill = fillAfter(time);
    return fill != 0 && (oldest == null || oldest.time > fill) ? nothing : oldest;
  }

  /** Returns when the index was first filled after a time; 0 if it was not. */
  private long fillAfter(long time) {
    for (long fill : fills) {
      if (fill > time) {
        return fill;
      }
    }
    return 0;
  }

  /** Returns the first key with versions at or after a key, null if there is none. */
  @Nullable K ceiling(K key, boolean inclusive) {
    return inclusive ? newest.ceilingKey(key) : newest.higherKey(key);
  }

  /** Returns the last key with versions at or before a key, null if there is none. */
  @Nullable K floor(K key, boolean inclusive) {
    return inclusive ? newest.floorKey(key) : newest.lowerKey(key);
  }

  // ---------------------------------------------------------------- check

  /** Tells whether a key was changed after a time. */
  boolean isKeyChangedAfter(long time, K key) {
    Version<K, V> version = newest.get(key);
    return (version != null && version.time > time) || fillAfter(time) != 0;
  }

  /**
   * Returns a key of a range that was changed after a time, null if there is none.
   *
   * @param to null for no end
   */
  @Nullable K changedAfter(long time, K from, @Nullable K to, boolean toInclusive) {
    if (changed <= time) {
      return null;
    }
    if (fillAfter(time) != 0) {
      return from;
    }
    ConcurrentNavigableMap<K, Version<K, V>> range =
        to == null ? newest.tailMap(from, true) : newest.subMap(from, true, to, toInclusive);
    for (Map.Entry<K, Version<K, V>> entry : range.entrySet()) {
      if (entry.getValue().time > time) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** Returns how many keys have versions. O(keys). */
  int keys() {
    return newest.size();
  }
}
