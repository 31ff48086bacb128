// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The last messages of level 0, which are there in the order they came in: sorted, newest kept. */
final class TailMessages extends MessageStream {

  private final long[] read = new long[TopPage.TAIL];
  private final long[] readValues = new long[TopPage.TAIL];

  TailMessages() {
    super(TopPage.TAIL);
  }

  /**
   * Reads the messages in {@code count} slots of a page.
   *
   * @param onlyPuts whether all in the page are puts
   */
  void load(
      ElementPage layout, MemorySegment pages, long page, int from, int count, boolean onlyPuts) {
    layout.copy(pages, page, from, count, read, readValues);
    if (Ordered.SIMD) {
      Arrays.fill(read, count, read.length, Long.MAX_VALUE);
    } else {
      System.arraycopy(read, 0, keys, 0, count);
      Arrays.sort(keys, 0, count);
    }
    long taken = 0;
    for (int i = 0; i < count; i++) {
      int place = // of the first, if there are more
          Ordered.SIMD
              ? BlockVectors.countBelow(read, read[i])
              : Ordered.lowerBound(keys, 0, count, read[i]);
      keys[place] = read[i];
      values[place] = readValues[i]; // The newest comes last.
      if (!onlyPuts) {
        puts[place] = ElementPage.isPut(pages, page, from + i);
      }
      taken |= 1L << place;
    }
    begin(closeGaps(taken), onlyPuts);
  }

  /**
   * Moves messages to where older ones of their keys have left room; returns how many there are.
   */
  private int closeGaps(long taken) {
    int kept = 0;
    for (long left = taken; left != 0; left &= left - 1) {
      int place = Long.numberOfTrailingZeros(left);
      keys[kept] = keys[place];
      values[kept] = values[place];
      puts[kept] = puts[place];
      kept++;
    }
    return kept;
  }

  @Override
  boolean refill() {
    return begin(0, true);
  }
}
