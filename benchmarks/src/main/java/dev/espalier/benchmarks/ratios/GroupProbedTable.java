// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;

/**
 * A hash table off the heap with linear probing, at most half full, whose lookups prefetch the
 * lines of a whole group: what an index's batched lookups have to be measured against. Values must
 * not be 0, which marks a free place.
 */
final class GroupProbedTable implements AutoCloseable {
  private static final int PAIR_SHIFT = 4;
  private static final int GROUP = 256;

  private final Region region;
  private final MemorySegment pairs;
  private final int hashBits;
  private final long mask;

  GroupProbedTable(long[] keys, long[] values) {
    hashBits = Long.SIZE - Long.numberOfLeadingZeros(2L * keys.length - 1);
    long bytes = 1L << (hashBits + PAIR_SHIFT);
    mask = bytes - 1;
    region = Region.take(bytes, bytes, bytes, HugePages.WHEN_GROWN);
    pairs = region.segment();
    pairs.fill((byte) 0);
    for (int i = 0; i < keys.length; i++) {
      put(keys[i], values[i]);
    }
  }

  long bytes() {
    return mask + 1;
  }

  private void put(long key, long value) {
    long at = place(key);
    while (Words.getLong(pairs, at + Long.BYTES) != 0) {
      at = (at + (1L << PAIR_SHIFT)) & mask;
    }
    Words.putLong(pairs, at, key);
    Words.putLong(pairs, at + Long.BYTES, value);
  }

  /** Returns where the search for a key begins: Fibonacci hashing. */
  private long place(long key) {
    return ((key * 0x9E37_79B9_7F4A_7C15L) >>> (Long.SIZE - hashBits)) << PAIR_SHIFT;
  }

  /** Looks up {@code count} keys; the value of one that is not there is 0. */
  void getAll(long[] keys, int from, long[] values, int valuesFrom, int count) {
    for (int done = 0; done < count; done += GROUP) {
      int group = Math.min(GROUP, count - done);
      getGroup(keys, from + done, values, valuesFrom + done, group);
    }
  }

  private void getGroup(long[] keys, int from, long[] values, int valuesFrom, int count) {
    for (int i = 0; i < count; i++) {
      values[valuesFrom + i] = place(keys[from + i]);
    }
    Words.prefetchGroup(pairs.address(), values, valuesFrom, count, 1);
    for (int i = 0; i < count; i++) {
      values[valuesFrom + i] = find(keys[from + i], values[valuesFrom + i]);
    }
  }

  private long find(long key, long place) {
    long at = place;
    long value = Words.getLong(pairs, at + Long.BYTES);
    while (value != 0 && Words.getLong(pairs, at) != key) {
      at = (at + (1L << PAIR_SHIFT)) & mask;
      value = Words.getLong(pairs, at + Long.BYTES);
    }
    return value;
  }

  @Override
  public void close() {
    region.close();
  }
}
