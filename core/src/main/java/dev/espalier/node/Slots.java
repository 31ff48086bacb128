// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import java.lang.foreign.MemorySegment;

/** Opens and closes gaps between the slots of an array of longs inside a node. */
public final class Slots {
  /** From this many slots, a bulk copy is faster than a loop. */
  private static final int BULK_COPY = 24;

  private Slots() {}

  /** Moves the longs in slots {@code slot} to {@code count - 1} one slot up. O(count - slot). */
  public static void openGap(MemorySegment nodes, long offset, int slot, int count) {
    if (count - slot >= BULK_COPY) {
      long from = offset + ((long) slot << 3);
      copy(nodes, from, from + Long.BYTES, (long) (count - slot) << 3);
      return;
    }
    for (long to = offset + ((long) count << 3), end = offset + ((long) slot << 3);
        to > end;
        to -= 8) {
      putLong(nodes, to, getLong(nodes, to - 8));
    }
  }

  /** Moves the longs in slots {@code slot + 1} to {@code count - 1} one slot down. */
  public static void closeGap(MemorySegment nodes, long offset, int slot, int count) {
    if (count - slot > BULK_COPY) {
      long to = offset + ((long) slot << 3);
      copy(nodes, to + Long.BYTES, to, (long) (count - slot - 1) << 3);
      return;
    }
    for (long to = offset + ((long) slot << 3), end = offset + ((long) (count - 1) << 3);
        to < end;
        to += 8) {
      putLong(nodes, to, getLong(nodes, to + 8));
    }
  }

  /** Sets the longs in slots {@code from} to {@code to - 1}. */
  public static void fill(MemorySegment nodes, long offset, int from, int to, long value) {
    for (int i = from; i < to; i++) {
      putLong(nodes, offset + ((long) i << 3), value);
    }
  }
}
