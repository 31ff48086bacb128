// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesNavigable;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.io.WriteBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Entries in an index of the file, and over them the changes that are held back until the next
 * commit. One thread writes, others may read.
 */
final class Entries {
  private final BytesIndex index;
  private final boolean holdsBack;

  /**
   * For each key that has changed since the last commit its value, or that it has none. A commit
   * does not clear the map but begins another one: iterators that are open go on with theirs.
   */
  private volatile ConcurrentSkipListMap<Bytes, Optional<byte[]>> changes =
      new ConcurrentSkipListMap<>();

  /**
   * Makes entries.
   *
   * @param holdsBack whether changes wait for the commit; if not, they go to the index at once
   */
  Entries(BytesIndex index, boolean holdsBack) {
    this.index = index.withReadWriteLock();
    this.holdsBack = holdsBack;
  }

  /** Returns the value of a key, or null if there is none, as for a key that is too long. */
  byte @Nullable [] get(Bytes key) {
    Optional<byte[]> change = changes.get(key);
    return change == null ? index.get(key.get()) : change.orElse(null);
  }

  /**
   * Stores a value, or removes the entry if the value is null.
   *
   * @throws IllegalArgumentException if the key or the value is longer than the index takes
   */
  void put(Bytes key, byte @Nullable [] value) {
    check("key", key.get().length, BytesIndex.MAX_KEY);
    if (holdsBack) {
      if (value != null) {
        check("value", value.length, WriteBatch.MOST_BYTES - key.get().length);
      }
      changes.put(key, Optional.ofNullable(value));
    } else {
      restore(key, value);
    }
  }

  private static void check(String what, int bytes, int most) {
    if (bytes > most) {
      throw new IllegalArgumentException(
          what + " has " + bytes + " bytes; at most " + most + " are allowed");
    }
  }

  /** Does as {@link #put} does, but holds nothing back: what is restored is committed. */
  void restore(Bytes key, byte @Nullable [] value) {
    if (value == null) {
      index.delete(key.get());
    } else {
      index.set(key.get(), value);
    }
  }

  /** Stores or removes many entries, as {@link #restore(Bytes, byte[])} does. */
  void restore(SortedMap<Bytes, Optional<byte[]>> restored) {
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    restored.forEach(
        (key, value) -> {
          if (value.isPresent()) {
            keys.add(key.get());
            values.add(value.get());
          } else {
            index.delete(key.get());
          }
        });
    index.putAll(PackedBytes.of(keys), PackedBytes.of(values));
  }

  /** Stores what was sorted, where there are no entries yet. */
  void load(RestoreSorter sorter) {
    sorter.load(index);
  }

  boolean isEmpty() {
    return index.isEmpty() && changes.isEmpty();
  }

  /** Adds to the batches of a commit what is held back. */
  void addChanges(CommitBatches batches) {
    changes.forEach(
        (key, value) -> {
          if (value.isPresent()) {
            batches.set(index, key.get(), value.get());
          } else {
            batches.delete(index, key.get());
          }
        });
  }

  /** Holds nothing back any more; what was held back is in the index. */
  void forgetChanges() {
    if (!changes.isEmpty()) {
      changes = new ConcurrentSkipListMap<>();
    }
  }

  /** Returns about how many there are: changes count, whatever they do. */
  long size() {
    return index.size() + changes.size();
  }

  long heldBack() {
    return changes.size();
  }

  /**
   * Returns the entries of a range.
   *
   * @param from the lowest key, null for all; both bounds may be longer than a key can be
   * @param to the upper bound, null for none
   * @param forward whether keys ascend
   * @throws InvalidStateStoreException if the index is closed, or was dropped
   */
  EntryIterator range(
      @Nullable Bytes from, @Nullable Bytes to, boolean toInclusive, boolean forward) {
    try {
      return iterator(from, to, toInclusive, forward);
    } catch (IllegalStateException e) {
      throw new InvalidStateStoreException("the store of the iterator is closed", e);
    }
  }

  private EntryIterator iterator(
      @Nullable Bytes from, @Nullable Bytes to, boolean toInclusive, boolean forward) {
    NavigableMap<Bytes, Optional<byte[]>> map = changes; // Before the cursor is placed.
    if (from != null && to != null && from.compareTo(to) > 0) {
      return new EntryIterator(index.headView(new byte[0], false), new TreeMap<>(), forward);
    }
    if (from != null) {
      map = map.tailMap(from, true);
    }
    if (to != null) {
      map = map.headMap(to, toInclusive);
    }
    return new EntryIterator(view(from, to, toInclusive), map, forward);
  }

  /** Returns the entries of a range in the index. */
  private BytesNavigable view(@Nullable Bytes from, @Nullable Bytes to, boolean toInclusive) {
    if (from == null) {
      return to == null ? index : index.headView(to.get(), toInclusive);
    }
    return to == null
        ? index.tailView(from.get(), true)
        : index.subView(from.get(), true, to.get(), toInclusive);
  }

  /** Returns the lowest key above those that begin with a prefix, or null if there is none. */
  static @Nullable Bytes endOfPrefix(byte[] prefix) {
    for (int last = prefix.length - 1; last >= 0; last--) {
      if (prefix[last] != -1) {
        byte[] end = Arrays.copyOf(prefix, last + 1);
        end[last]++;
        return Bytes.wrap(end);
      }
    }
    return null;
  }
}
