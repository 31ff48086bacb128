// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;

/** Which keys a transaction is said to have read. */
class ReadRangesTest {
  private final ReadRanges ranges = new ReadRanges();

  private String all() {
    StringJoiner all = new StringJoiner(" ");
    ranges.forEach((from, to) -> all.add(from.equals(to) ? "" + from : from + ".." + to));
    return all.toString();
  }

  @Test
  void thereAreNoneAtFirst() {
    assertEquals(0, ranges.count());
    assertEquals("", all());
  }

  @Test
  void aScanMakesOneRangeInBothDirections() {
    for (long key = 5; key <= 8; key++) {
      ranges.add(key, key);
    }
    for (long key = 4; key >= 2; key--) {
      ranges.add(key, key);
    }
    assertEquals("2..8", all());
    ranges.add(9, 12);
    ranges.add(12, 12);
    assertEquals("2..12", all());
    assertEquals(1, ranges.count());
  }

  @Test
  void rangesThatLieApartStayApart() {
    ranges.add(5, 5);
    ranges.add(7, 7);
    ranges.add(1, 3);
    assertEquals("1..3 5 7", all());
    assertEquals(3, ranges.count());
  }

  @Test
  void oneThatFillsGapsJoinsAllThatItTouches() {
    for (long key = 1; key <= 11; key += 2) {
      ranges.add(key, key);
    }
    ranges.add(30, 40);
    assertEquals("1 3 5 7 9 11 30..40", all());
    ranges.add(4, 8);
    assertEquals("1 3..9 11 30..40", all());
    ranges.add(20, 35);
    assertEquals("1 3..9 11 20..40", all());
    ranges.add(22, 23); // Within one that is there.
    assertEquals("1 3..9 11 20..40", all());
    ranges.add(0, 100);
    assertEquals("0..100", all());
  }

  @Test
  void theLeastAndTheLargestKeyAreNoNeighbours() {
    ranges.add(Long.MIN_VALUE, Long.MIN_VALUE);
    ranges.add(Long.MAX_VALUE, Long.MAX_VALUE);
    assertEquals(2, ranges.count());
    ranges.add(Long.MIN_VALUE + 1, Long.MIN_VALUE + 1);
    ranges.add(Long.MAX_VALUE - 1, Long.MAX_VALUE - 1);
    assertEquals(2, ranges.count());
    ranges.add(Long.MIN_VALUE, Long.MAX_VALUE);
    assertEquals(Long.MIN_VALUE + ".." + Long.MAX_VALUE, all());
  }

  @Test
  void haveAllThatWasAddedAndNothingElse() {
    SplittableRandom random = new SplittableRandom(1);
    BitSet added = new BitSet();
    for (int i = 0; i < 300; i++) {
      int from = random.nextInt(2000);
      int to = from + random.nextInt(6);
      ranges.add(from, to);
      added.set(from, to + 1);
      if (i % 10 != 0) {
        continue;
      }
      BitSet there = new BitSet();
      int[] before = {-1};
      ranges.forEach(
          (first, last) -> {
            assertTrue(first > before[0] + 1 || before[0] < 0); // Else they were one.
            assertTrue(first <= last);
            there.set(first.intValue(), last.intValue() + 1);
            before[0] = last.intValue();
          });
      assertEquals(added, there);
    }
  }

  // ---------------------------------------------------------------- coarser

  /** Adds as many ranges as there may be, from some key on, a thousand keys from one another. */
  private void fill(long first, int count) {
    for (long i = 0; i < count; i++) {
      ranges.add(first + 1000 * i, first + 1000 * i);
    }
    assertEquals(count, ranges.count());
  }

  private String around(long key) {
    StringJoiner all = new StringJoiner(" ");
    ranges.forEach(
        (from, to) -> {
          if (from <= key && key <= to) {
            all.add(from + ".." + to);
          }
        });
    return all.toString();
  }

  @Test
  void oneTooManyGoesToTheCloserNeighbour() {
    fill(0, ReadRanges.MOST);
    ranges.add(1700, 1710);
    assertEquals(ReadRanges.MOST, ranges.count());
    assertEquals("1700..2000", around(1710));
    ranges.add(1300, 1310);
    assertEquals("1000..1310", around(1310));
    ranges.add(1500, 1510); // 190 from both: that before.
    assertEquals("1000..1510", around(1510));
    ranges.add(5500, 5500);
    assertEquals("5000..5500", around(5500));
    assertEquals(ReadRanges.MOST, ranges.count());
  }

  @Test
  void oneBeforeOrBehindAllGoesToItsOnlyNeighbour() {
    fill(0, ReadRanges.MOST);
    ranges.add(-900, -900);
    assertEquals("-900..0", around(-1));
    long last = 1000L * (ReadRanges.MOST - 1);
    ranges.add(last + 5000, last + 5001);
    assertEquals(last + ".." + (last + 5001), around(last + 1));
    assertEquals(ReadRanges.MOST, ranges.count());
  }

  /** How far keys lie apart may be more than the largest long. */
  @Test
  void neighboursMayBeVeryFar() {
    ranges.add(Long.MIN_VALUE, Long.MIN_VALUE);
    for (long i = 1; i < ReadRanges.MOST; i++) {
      ranges.add(1_000_000 * i, 1_000_000 * i);
    }
    ranges.add(1000, 1000);
    assertEquals("1000..1000000", around(1000));
    assertEquals("", around(0));
  }
}
