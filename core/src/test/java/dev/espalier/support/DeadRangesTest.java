// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DeadRangesTest {
  private static final int KEYS = 200;

  private final DeadRanges ranges = new DeadRanges();

  @Test
  void rangesThatOverlapOrAdjoinBecomeOne() {
    ranges.add(10, 19);
    ranges.add(30, 39);
    assertEquals(2, ranges.count());
    ranges.add(20, 25);
    assertEquals(2, ranges.count());
    ranges.add(26, 29);
    assertEquals(1, ranges.count());
    assertEquals(39, ranges.lastFrom(10));
    assertEquals(10, ranges.firstUpTo(39));
    assertEquals(40, ranges.lastFrom(40));
    assertEquals(9, ranges.firstUpTo(9));
  }

  @Test
  void rangesReachTheSmallestAndTheLargestKey() {
    ranges.add(Long.MIN_VALUE, -5);
    ranges.add(5, Long.MAX_VALUE);
    assertEquals(-5, ranges.lastFrom(Long.MIN_VALUE));
    assertEquals(5, ranges.firstUpTo(Long.MAX_VALUE));
    ranges.add(-4, 4);
    assertEquals(1, ranges.count());
    assertEquals(Long.MAX_VALUE, ranges.lastFrom(Long.MIN_VALUE));
    ranges.revive(Long.MIN_VALUE);
    ranges.revive(Long.MAX_VALUE);
    assertEquals(Long.MIN_VALUE, ranges.lastFrom(Long.MIN_VALUE));
    assertEquals(Long.MAX_VALUE, ranges.firstUpTo(Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE - 1, ranges.lastFrom(Long.MIN_VALUE + 1));
    ranges.clear();
    assertEquals(0, ranges.lastFrom(0));
  }

  @Test
  void rangesAreTheKeysThatWereAddedAndDidNotComeBack() {
    for (long seed : TestSize.seeds(3, 30)) {
      SplittableRandom random = new SplittableRandom(seed);
      ranges.clear();
      BitSet model = new BitSet();
      for (int i = 0; i < 2_000; i++) {
        int key = random.nextInt(KEYS);
        if (random.nextInt(3) == 0) {
          int last = Math.min(KEYS - 1, key + random.nextInt(20));
          ranges.add(key, last);
          model.set(key, last + 1);
        } else {
          ranges.revive(key);
          model.clear(key);
        }
        assertSame(model, seed);
      }
    }
  }

  @Test
  void beyondTheMostOneMakesWayForAnother() {
    int keys = 8 * DeadRanges.MOST;
    SplittableRandom random = new SplittableRandom(5);
    BitSet model = new BitSet();
    int most = 0;
    for (int i = 0; i < 4 * keys; i++) {
      int key = random.nextInt(keys - 2);
      if (random.nextInt(4) > 0) {
        ranges.add(key, key + 1);
        model.set(key, key + 2);
      } else {
        ranges.revive(key);
        model.clear(key);
      }
      most = Math.max(most, ranges.count());
    }
    assertEquals(DeadRanges.MOST, most);
    int dead = 0;
    for (int key = 0; key < keys; key++) {
      int last = (int) ranges.lastFrom(key);
      int first = (int) ranges.firstUpTo(key);
      if (first < last) {
        int alive = model.nextClearBit(first);
        assertTrue(alive > last, () -> alive + " is not dead");
        dead++;
      }
    }
    assertTrue(dead > DeadRanges.MOST, "there are few: " + dead);
  }

  @Test
  void beyondTheMostTwoDoNotDisplaceEachOther() {
    for (long i = 0; i < DeadRanges.MOST; i++) {
      ranges.add(10 * i, 10 * i + 5);
    }
    long behind = 10L * DeadRanges.MOST;
    for (int round = 0; round < 3; round++) {
      ranges.add(behind, behind + 5);
      ranges.add(behind + 10, behind + 15);
      assertEquals(behind + 5, ranges.lastFrom(behind));
      assertEquals(behind + 15, ranges.lastFrom(behind + 10));
      assertEquals(DeadRanges.MOST, ranges.count());
    }
  }

  private void assertSame(BitSet model, long seed) {
    int count = 0;
    for (int key = 0; key < KEYS; key++) {
      boolean isDead = model.get(key);
      count += isDead && (key == 0 || !model.get(key - 1)) ? 1 : 0;
      int last = isDead ? model.nextClearBit(key) - 1 : key;
      int first = isDead ? model.previousClearBit(key) + 1 : key;
      assertEquals(last, ranges.lastFrom(key), () -> "seed " + seed);
      assertEquals(first, ranges.firstUpTo(key), () -> "seed " + seed);
    }
    assertEquals(count, ranges.count(), () -> "seed " + seed);
  }

  @Test
  void aWalkOverFewRemovedKeysMakesNoRangeAndOneOverManyDoes() {
    DeadWalk walk = new DeadWalk(ranges, new ChangeCount());
    assertEquals(0, walk.begin(0, true));
    for (int key = 1; key < DeadWalk.WORTH; key++) {
      assertEquals(key, walk.pass(key, key, 1));
    }
    walk.meet(100);
    assertEquals(0, ranges.count());
    assertEquals(99, walk.begin(99, false));
    for (int key = DeadWalk.WORTH; key > 0; key--) {
      walk.pass(key, key, 1);
    }
    walk.meet(0);
    assertEquals(99, ranges.lastFrom(1));
    assertEquals(1, ranges.firstUpTo(99));
  }

  @Test
  void aWalkSkipsWhatIsKnownAndAddsWhatItFindsBesideIt() {
    DeadWalk walk = new DeadWalk(ranges, new ChangeCount());
    ranges.add(10, 19);
    assertEquals(20, walk.begin(12, true));
    assertEquals(20, walk.pass(20, 20, 1));
    walk.meet(22);
    assertEquals(21, ranges.lastFrom(10));
    assertEquals(9, walk.begin(21, false));
    assertEquals(9, walk.pass(9, 9, 1));
    walk.end();
    assertEquals(21, ranges.lastFrom(Long.MIN_VALUE));
  }

  @Test
  void aWalkThatAChangeHasDisturbedAddsNothing() {
    ChangeCount count = new ChangeCount();
    DeadWalk walk = new DeadWalk(ranges, count);
    walk.begin(0, true);
    walk.pass(0, 90, 90);
    count.changes++;
    walk.meet(100);
    assertEquals(0, ranges.count());
  }
}
