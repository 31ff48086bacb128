// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The root of the head tree, with the list of the runs.
 *
 * <pre>
 *   0        16      24              664
 *   +--------+-------+---------------+--------------------+-------------------+
 *   | store  | count | run[16]       | key[capacity]      | leaf[capacity]    |
 *   +--------+-------+---------------+--------------------+-------------------+
 * </pre>
 *
 * A run is its first page, its pages, elements, messages and tombstones. A leaf has the keys from
 * its key on; the first has all below the second's.
 */
final class RootPage {
  /** The most runs. */
  static final int MOST_RUNS = 16;

  private static final int COUNT = PageStore.RESERVED_BYTES;
  private static final int RUNS = COUNT + Long.BYTES;
  private static final int RUN_BYTES = 5 * Long.BYTES;
  private static final int KEYS = RUNS + MOST_RUNS * RUN_BYTES;

  final int capacity;
  private final int leaves;

  RootPage(int bytes) {
    this.capacity = (bytes - KEYS) / (2 * Long.BYTES);
    this.leaves = KEYS + capacity * Long.BYTES;
  }

  /** Returns the number of leaves, no more than fit in. */
  int count(MemorySegment pages, long page) {
    return Math.clamp(getInt(pages, page + COUNT), 1, capacity);
  }

  static int rawCount(MemorySegment pages, long page) {
    return getInt(pages, page + COUNT);
  }

  static void count(MemorySegment pages, long page, int count) {
    putInt(pages, page + COUNT, count);
  }

  static long key(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + KEYS + ((long) slot << 3));
  }

  int leaf(MemorySegment pages, long page, int slot) {
    return (int) getLong(pages, page + leaves + ((long) slot << 3));
  }

  void set(MemorySegment pages, long page, int slot, long key, int leaf) {
    putLong(pages, page + KEYS + ((long) slot << 3), key);
    putLong(pages, page + leaves + ((long) slot << 3), leaf);
  }

  /** Returns the slot of the leaf where a key belongs. */
  int slotOf(MemorySegment pages, long page, long key) {
    int others = count(pages, page) - 1;
    long keys = page + KEYS + Long.BYTES;
    return key == Long.MAX_VALUE ? others : Keys.lowerBoundBinary(pages, keys, others, key + 1);
  }

  /** Inserts a leaf into a page that has room. */
  void insert(MemorySegment pages, long page, int slot, long key, int leaf) {
    int count = count(pages, page);
    Slots.openGap(pages, page + KEYS, slot, count);
    Slots.openGap(pages, page + leaves, slot, count);
    set(pages, page, slot, key, leaf);
    count(pages, page, count + 1);
  }

  /** Reads run {@code number}, counted from 1. */
  static Run run(MemorySegment pages, long page, int number) {
    long at = page + RUNS + (number - 1L) * RUN_BYTES;
    return new Run(
        (int) getLong(pages, at),
        (int) getLong(pages, at + 8),
        getLong(pages, at + 16),
        getLong(pages, at + 24),
        getLong(pages, at + 32));
  }

  static void run(MemorySegment pages, long page, int number, Run run) {
    long at = page + RUNS + (number - 1L) * RUN_BYTES;
    putLong(pages, at, run.firstPage());
    putLong(pages, at + 8, run.pages());
    putLong(pages, at + 16, run.elements());
    putLong(pages, at + 24, run.messages());
    putLong(pages, at + 32, run.tombstones());
  }
}
