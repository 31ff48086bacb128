// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PageKeysTest {
  private static final long[] HEADS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 1, Long.MAX_VALUE};

  /** Runs of one head, of each length and at each place, also with heads equal to the padding. */
  @Test
  void findsRunsAsALinearScanDoes() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment page = arena.allocate(512, 64);
      for (int count = 0; count <= 20; count++) {
        for (int from = 0; from <= count; from++) {
          for (int to = from; to <= count; to++) {
            for (int i = 0; i < PageLayout.cap(count); i++) {
              long head = i < from ? HEADS[0] : i < to ? 0 : HEADS[i % 2 + 3];
              put(page, i, i < count ? head : Keys.PADDING);
            }
            sort(page, count);
            check(page, count);
          }
        }
      }
    }
  }

  private static void check(MemorySegment page, int count) {
    for (long head : HEADS) {
      int first = 0;
      while (first < count && PageLayout.head(page, 0, first) < head) {
        first++;
      }
      int end = first;
      while (end < count && PageLayout.head(page, 0, end) == head) {
        end++;
      }
      assertEquals(first, PageKeys.lowerBound(page, 0, count, head), "first of " + head);
      assertEquals(end, PageKeys.endOfHead(page, 0, count, first, head), "end of " + head);
    }
  }

  private static void sort(MemorySegment page, int count) {
    long[] heads = new long[count];
    Arrays.setAll(heads, i -> PageLayout.head(page, 0, i));
    Arrays.sort(heads);
    for (int i = 0; i < count; i++) {
      put(page, i, heads[i]);
    }
  }

  private static void put(MemorySegment page, int i, long head) {
    Words.putLong(page, PageLayout.HEADS + ((long) i << 3), head);
  }
}
