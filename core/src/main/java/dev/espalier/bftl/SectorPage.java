// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;

/**
 * A sector, or a page of the reservation buffer: units, changes of nodes, those of one node side by
 * side in the order in which they apply.
 *
 * <pre>
 *   0        16         24      28       32
 *   +--------+----------+-------+--------+------------------------------------+
 *   | store  | sequence | count | unused | (node 4, operation 4, key, value)* |
 *   +--------+----------+-------+--------+------------------------------------+
 * </pre>
 */
final class SectorPage {
  /** Stores an entry, or a child under its separator. */
  static final int PUT = 1;

  /** Takes a key away. */
  static final int DELETE = 2;

  /** Begins a node anew: its units in earlier sectors are void. */
  static final int RESET = 3;

  private static final int SEQUENCE = PageStore.RESERVED_BYTES;
  private static final int COUNT = SEQUENCE + Long.BYTES;
  private static final int UNITS = COUNT + Long.BYTES;
  private static final int UNIT_BYTES = 3 * Long.BYTES;

  final int capacity;

  SectorPage(int bytes) {
    this.capacity = (bytes - UNITS) / UNIT_BYTES;
  }

  static long sequence(MemorySegment pages, long page) {
    return getLong(pages, page + SEQUENCE);
  }

  static void sequence(MemorySegment pages, long page, long sequence) {
    putLong(pages, page + SEQUENCE, sequence);
  }

  /** Returns the number of units, no more than fit in. */
  int count(MemorySegment pages, long page) {
    return Math.clamp(getInt(pages, page + COUNT), 0, capacity);
  }

  static int rawCount(MemorySegment pages, long page) {
    return getInt(pages, page + COUNT);
  }

  static void count(MemorySegment pages, long page, int count) {
    putInt(pages, page + COUNT, count);
  }

  /** Returns the offset of the unit in a slot. */
  static long unit(long page, int slot) {
    return page + UNITS + (long) slot * UNIT_BYTES;
  }

  static int node(MemorySegment pages, long unit) {
    return getInt(pages, unit);
  }

  static int operation(MemorySegment pages, long unit) {
    return getInt(pages, unit + Integer.BYTES);
  }

  static long key(MemorySegment pages, long unit) {
    return getLong(pages, unit + Long.BYTES);
  }

  static long value(MemorySegment pages, long unit) {
    return getLong(pages, unit + 2 * Long.BYTES);
  }

  static void set(MemorySegment pages, long unit, int node, int operation, long key, long value) {
    putInt(pages, unit, node);
    putInt(pages, unit + Integer.BYTES, operation);
    putLong(pages, unit + Long.BYTES, key);
    putLong(pages, unit + 2 * Long.BYTES, value);
  }
}
