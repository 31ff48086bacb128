// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.pma.PackedMemoryArray.Geometry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What rebalances do to windows, and how much they move: M4, M5 and M11 of the sheet. */
@Tag("fallback-exhaustive")
class RebalanceTest {
  private static final int INSERTS = 200_000;

  @RegisterExtension final Indexes indexes = new Indexes();

  /** The bound is 2 log2^2 C and 2 log2 C; what moves within a segment comes on top. */
  static Stream<Arguments> patterns() {
    return Stream.of(
        pattern("ascending", i -> i, false),
        pattern("descending", i -> -i, false),
        pattern("into one place", i -> i % 2 == 0 ? i : 2L * INSERTS - i, false),
        pattern("in bursts", i -> scatter(i / 1000) + i, false),
        pattern("in random order", RebalanceTest::scatter, true));
  }

  private static Arguments pattern(String name, LongUnaryOperator keys, boolean isUniform) {
    return Arguments.of(name, keys, isUniform);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("patterns")
  @Tag("thorough")
  void insertsMoveNoMoreThanTheBound(String name, LongUnaryOperator keys, boolean isUniform) {
    for (int slots : new int[] {32, 128}) {
      PackedMemoryArray array = array(slots);
      for (long i = 0; i < INSERTS; i++) {
        array.put(keys.applyAsLong(i), i);
      }
      assertEquals(INSERTS, array.size(), name);
      double log = Math.log((double) array.tree.segments * slots) / Math.log(2);
      double bound = slots / 2.0 + 2 * (isUniform ? log : log * log);
      double moved = (double) array.rebalanceCounts().moved() / INSERTS;
      assertTrue(moved <= bound, () -> name + " moved " + moved + ", bound " + bound);
    }
  }

  @Test
  void removesMoveNoMoreThanTheBound() {
    PackedMemoryArray array = array(32);
    for (long i = 0; i < INSERTS; i++) {
      array.put(scatter(i), i);
    }
    double log = Math.log((double) array.tree.segments * 32) / Math.log(2);
    long before = array.rebalanceCounts().moved();
    long least = Long.MIN_VALUE;
    for (long i = 0; i < INSERTS; i++) {
      var cursor = array.cursor();
      assertTrue(cursor.ceiling(least));
      least = cursor.key();
      array.remove(least);
    }
    assertTrue(array.isEmpty());
    double moved = (double) (array.rebalanceCounts().moved() - before) / INSERTS;
    assertTrue(moved <= 32 + 2 * log * log, () -> "moved " + moved);
  }

  @ParameterizedTest(name = "segments of {0} slots")
  @ValueSource(ints = {4, 16, 128})
  void wholeIsWithinItsThresholdsAfterItGrewOrShrank(int slots) {
    PackedMemoryArray array = array(slots);
    SplittableRandom random = new SplittableRandom(slots);
    int entries = 60 * slots;
    boolean grows = true;
    for (int i = 1; i < 16 * entries; i++) {
      long resizes = array.tree.resizes;
      long key = random.nextLong(entries);
      if (grows) {
        array.put(key, i);
      } else {
        array.remove(key);
      }
      if (array.tree.resizes > resizes) {
        assertWholeIsWithin(array.tree);
        assertEven(array.tree, 0, array.tree.segments);
      }
      if (i % (3 * entries) == 0) {
        grows = !grows;
        array.verify();
      }
    }
    assertTrue(array.tree.resizes >= 12, () -> "resizes " + array.tree.resizes);
  }

  private static void assertWholeIsWithin(PmaStructure tree) {
    Densities densities = tree.geometry.densities();
    double density = (double) tree.size / tree.geometry.segmentSlots() / tree.segments;
    assertTrue(density <= densities.upperRoot(), () -> "density " + density);
    assertTrue(tree.segments == 1 || density >= densities.lowerRoot(), () -> "density " + density);
  }

  /**
   * The smallest window that has changed is within its thresholds; it is even, so its parts are.
   */
  @Test
  void smallestWindowWithinItsThresholdIsSpread() {
    PackedMemoryArray array = array(8);
    for (long i = 0; i < 96; i++) {
      array.put(10 * i, i);
    }
    PmaStructure tree = array.tree;
    SplittableRandom random = new SplittableRandom(8);
    int seen = 0;
    for (int i = 0; i < 5000; i++) {
      long key = random.nextLong(960);
      List<Integer> before = cards(tree);
      long rebalances = tree.rebalances;
      long resizes = tree.resizes;
      long size = tree.size;
      int segment = tree.segmentOf(key);
      if (random.nextBoolean()) {
        array.put(key, key);
      } else {
        array.remove(key);
      }
      if (tree.rebalances > rebalances && tree.resizes == resizes) {
        checkWindow(tree, before, segment, tree.size > size);
        seen++;
      }
    }
    assertTrue(seen > 100, "rebalances " + seen);
  }

  private static void checkWindow(
      PmaStructure tree, List<Integer> before, int segment, boolean isInsert) {
    Calibrator calibrator = tree.calibrator;
    for (int level = 2; level <= calibrator.levels; level++) {
      long part = calibrator.part(level, segment);
      int from = calibrator.from(level, part);
      int to = calibrator.to(level, part);
      long entries = sum(before, from, to) + (isInsert ? 1 : -1);
      boolean within =
          isInsert
              ? entries <= calibrator.most(level, to - from)
              : entries >= calibrator.least(level, to - from);
      if (within) {
        List<Integer> after = cards(tree);
        assertEven(tree, from, to);
        assertEquals(entries, sum(after, from, to));
        assertEquals(before.subList(0, from), after.subList(0, from));
        assertEquals(before.subList(to, before.size()), after.subList(to, after.size()));
        return;
      }
    }
    throw new AssertionError("no window is within its thresholds");
  }

  @Test
  void arrayWithoutMemoryForASmallerOneShrinksAndGrowsInPlace() {
    PackedMemoryArray array = array(16);
    for (long key = 0; key < 400; key++) {
      array.put(key, -key);
    }
    PmaStructure tree = array.tree;
    SegmentColumns columns = tree.columns;
    long left = tree.budget.left();
    tree.budget.count(left);
    for (long key = 0; key < 350; key++) {
      assertEquals(-key, array.remove(key));
    }
    assertTrue(tree.segments < columns.room / 2, () -> "segments " + tree.segments);
    for (long key = 0; key < 350; key++) {
      array.put(key, -key);
    }
    assertSame(columns, tree.columns);
    for (long key = 0; key < 400; key++) {
      assertEquals(-key, array.get(key));
    }
    tree.budget.count(-left);
  }

  @Test
  void arrayNearItsLimitGrowsByLessThanTwice() {
    Geometry geometry = new Geometry(128, Densities.UPDATE_ORIENTED);
    PackedMemoryArray array =
        indexes.keep(
            PackedMemoryArray.create(IndexOptions.DEFAULT.withMemoryLimit(90_000), geometry));
    assertThrows(
        MemoryLimitException.class,
        () -> {
          for (long key = 0; ; key++) {
            array.put(scatter(key), key);
          }
        });
    assertEquals(27, array.tree.segments); // 16 before; 32 beside them would be too many
    assertTrue(array.size() > 0.74 * 27 * 128, () -> "size " + array.size());
  }

  private static long sum(List<Integer> cards, int from, int to) {
    return cards.subList(from, to).stream().mapToLong(card -> card).sum();
  }

  private static void assertEven(PmaStructure tree, int from, int to) {
    List<Integer> cards = cards(tree).subList(from, to);
    int most = cards.stream().mapToInt(card -> card).max().orElse(0);
    int least = cards.stream().mapToInt(card -> card).min().orElse(0);
    assertTrue(most - least <= 1, cards::toString);
  }

  private static List<Integer> cards(PmaStructure tree) {
    List<Integer> cards = new ArrayList<>();
    for (int segment = 0; segment < tree.segments; segment++) {
      cards.add(tree.columns.card(segment));
    }
    return cards;
  }

  private PackedMemoryArray array(int slots) {
    Geometry geometry = new Geometry(slots, Densities.UPDATE_ORIENTED);
    return indexes.keep(PackedMemoryArray.create(IndexOptions.DEFAULT, geometry));
  }

  /** Numbers to keys in no order, no two to the same: multiples alone would be too even. */
  private static long scatter(long number) {
    long mixed = number * 0x9e37_79b9_7f4a_7c15L;
    mixed = (mixed ^ mixed >>> 32) * 0xff51_afd7_ed55_8ccdL;
    return mixed ^ mixed >>> 29;
  }
}
