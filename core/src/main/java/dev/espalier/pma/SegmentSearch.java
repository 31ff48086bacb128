// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/** Searches within segments, for one key and for the keys of a group. */
final class SegmentSearch {
  private SegmentSearch() {}

  /** Returns the offset of {@code key} in the segment that begins at an offset, or -1. */
  static long find(SegmentColumns in, long segment, long key) {
    MemorySegment memory = in.memory;
    int count = in.card((int) (segment >> in.shift));
    int slot = Keys.lowerBoundBinary(memory, segment, count, key);
    long at = segment + ((long) slot << 3);
    return slot < count && getLong(memory, at) == key ? at : -1;
  }

  /**
   * Answers a group of probes from their segments on, in step: each halving, all lines that will be
   * read are fetched by one call.
   *
   * @param places offsets of the probes' segments, which become the values
   * @param count 64 at most
   * @return the keys that are there, as a bit set
   */
  static long answer(
      SegmentColumns in,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      long missingValue) {
    long base = in.memory.address();
    for (int half = in.slots >> 1; half > 0; half >>= 1) {
      if (half >= CacheLine.LONGS) {
        Words.prefetchGroup(base + ((long) half << 3), places, placesFrom, count, 1);
      }
      halve(in, half, keys, keysFrom, places, placesFrom, count);
    }
    long there = 0;
    for (int i = 0; i < count; i++) {
      long at = places[placesFrom + i];
      boolean isThere = slot(in, at) < card(in, at) && getLong(in.memory, at) == keys[keysFrom + i];
      places[placesFrom + i] = isThere ? at : -1;
      there |= isThere ? 1L << i : 0;
    }
    Words.prefetchGroup(base + in.valuesOffset, places, placesFrom, count, 1);
    for (int i = placesFrom; i < placesFrom + count; i++) {
      long at = places[i];
      places[i] = at < 0 ? missingValue : getLong(in.memory, in.valuesOffset + at);
    }
    return there;
  }

  /** Takes each probe {@code half} slots on if the key there is not above its own. */
  private static void halve(
      SegmentColumns in,
      int half,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    MemorySegment memory = in.memory;
    for (int i = 0; i < count; i++) {
      long at = places[placesFrom + i];
      long next = at + ((long) half << 3);
      if (slot(in, at) + half < card(in, at) && getLong(memory, next) <= keys[keysFrom + i]) {
        places[placesFrom + i] = next;
      }
    }
  }

  private static int slot(SegmentColumns in, long at) {
    return (int) (at >> 3) & (in.slots - 1);
  }

  private static int card(SegmentColumns in, long at) {
    return in.card((int) (at >> in.shift));
  }
}
