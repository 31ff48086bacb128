// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The goal G, for nodes of 8-byte keys and values and for nodes made up. */
final class PageOptimizerTest {
  private static final MemoryTimes TIMES = new MemoryTimes(150, 10);
  private static final double EXACT = 1e-9;

  /** 8-byte keys and 2-byte offsets behind a header of 8 bytes. */
  private static final IntUnaryOperator INNER = width -> (64 * width - 8) / 10;

  /** 8-byte keys and values behind a header of 8 bytes. */
  private static final IntUnaryOperator LEAF = width -> (64 * width - 8) / 16;

  @ParameterizedTest
  @CsvSource({"63, 15", "127, 15", "255, 15", "511, 15", "1023, 15", "255, 2", "1023, 28", "7, 15"})
  void diskFirstTakesTheLargestFanOutWithinATenthOfTheLeastCost(int lines, double ratio) {
    MemoryTimes times = new MemoryTimes(ratio, 1);
    DiskFirstWidths widths = PageOptimizer.diskFirst(times, lines, INNER, LEAF);
    double least = Double.POSITIVE_INFINITY;
    for (int inner = 1; inner <= 32; inner++) {
      for (int leaf = 1; leaf <= 32; leaf++) {
        least = Math.min(least, diskFirstCost(times, lines, inner, leaf));
      }
    }
    int largest = 0;
    for (int inner = 1; inner <= 32; inner++) {
      for (int leaf = 1; leaf <= 32; leaf++) {
        if (diskFirstCost(times, lines, inner, leaf) <= 1.1 * least) {
          largest = Math.max(largest, leaves(lines, inner, leaf) * LEAF.applyAsInt(leaf));
        }
      }
    }
    assertEquals(largest, widths.fanOut());
    assertEquals(leaves(lines, widths.innerWidth(), widths.leafWidth()), widths.leaves());
    assertEquals(
        diskFirstCost(times, lines, widths.innerWidth(), widths.leafWidth()) / least,
        widths.costRatio(),
        EXACT);
  }

  /** As the paper has it, by a search over numbers of leaves from the smallest on. */
  private static int leaves(int lines, int innerWidth, int leafWidth) {
    int leaves = 0;
    while (linesTaken(leaves + 1, innerWidth, leafWidth) <= lines) {
      leaves++;
    }
    return leaves;
  }

  private static int linesTaken(int leaves, int innerWidth, int leafWidth) {
    int lines = leaves * leafWidth;
    for (double nodes = leaves; nodes > 1; ) {
      nodes = Math.ceil(nodes / INNER.applyAsInt(innerWidth));
      lines += (int) nodes * innerWidth;
    }
    return lines;
  }

  private static double diskFirstCost(MemoryTimes times, int lines, int innerWidth, int leafWidth) {
    int leaves = leaves(lines, innerWidth, leafWidth);
    if (leaves < 2) {
      return Double.POSITIVE_INFINITY;
    }
    double cost = times.t1() + (leafWidth - 1) * times.tnext();
    for (double nodes = leaves;
        nodes > 1;
        nodes = Math.ceil(nodes / INNER.applyAsInt(innerWidth))) {
      cost += times.t1() + (innerWidth - 1) * times.tnext();
    }
    return cost;
  }

  @Test
  void costsAreThoseOfThePaper() {
    // 2 (150 + 20) + 150 + 70
    assertEquals(560, PageOptimizer.diskFirstCost(TIMES, 3, 3, 8), EXACT);
    // (150 + 60) / log2 64
    assertEquals(35, PageOptimizer.cacheFirstCost(TIMES, 7, 64), EXACT);
    // 1008 keys of 4 bytes in sub-arrays of 48 are 21: 8 + 84 bytes, two lines. 150 + 10, then
    // three
    // lines of keys and three of pointers: 150 + 50
    assertEquals(
        360, PageOptimizer.microIndexCost(TIMES, new MicroIndexPage(128, 64, 8, 4, 4), 3), EXACT);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void pageTooSmallForTwoLevelsIsOneLeaf(int lines) {
    assertEquals(
        new DiskFirstWidths(1, 1, lines, 1, LEAF.applyAsInt(lines), 1),
        PageOptimizer.diskFirst(new MemoryTimes(150, 10), lines, INNER, LEAF));
  }

  @Test
  void oneLeafIsAsWideAsItsPage() {
    // A root of four lines leaves one of five, too few for two leaves
    IntUnaryOperator inner = width -> width < 4 ? 0 : 10;
    assertEquals(
        new DiskFirstWidths(1, 4, 5, 1, LEAF.applyAsInt(5), 1),
        PageOptimizer.diskFirst(TIMES, 5, inner, LEAF));
  }

  @Test
  void smallestTreeOfTwoLevelsHasTwoLeavesAndARoot() {
    assertEquals(
        new DiskFirstWidths(2, 1, 1, 2, 6, 1), PageOptimizer.diskFirst(TIMES, 3, INNER, LEAF));
  }

  @Test
  void narrowLeafThatWastesItsPageDoesNotPassForAFastTree() {
    // Beside a root of 26 lines only one leaf of 19 fits into 63 lines, at a cost of 330: that must
    // not make trees of 363 and more too slow.
    assertTrue(PageOptimizer.diskFirst(TIMES, 63, INNER, LEAF).leaves() > 1);
  }

  @Test
  void amongEqualFanOutsTheFastestIsTaken() {
    // A leaf of each width from 2 on holds as much as any: one of 2 lines is fetched soonest
    IntUnaryOperator leaf = width -> width == 1 ? 2 : 100;
    CacheFirstWidths widths = PageOptimizer.cacheFirst(TIMES, 3, width -> 20, leaf);
    assertEquals(new CacheFirstWidths(2, 1, 100, 160 / 150.0), widths);
  }

  @Test
  void amongEqualFanOutsAndCostsTheNarrowestIsTaken() {
    // T1 = Tnext, and 3 + 1 lines cost as much as 2 + 2 and 1 + 3, or 1 + 1 + 2
    MemoryTimes flat = new MemoryTimes(1, 1);
    IntUnaryOperator two = width -> 2;
    assertEquals(new DiskFirstWidths(2, 1, 1, 2, 4, 1), PageOptimizer.diskFirst(flat, 3, two, two));
    IntUnaryOperator wide = width -> width < 2 ? 0 : 2;
    assertEquals(
        new DiskFirstWidths(2, 2, 2, 2, 4, 1), PageOptimizer.diskFirst(flat, 6, wide, wide));
  }

  @Test
  void cacheFirstTakesTheLargestFanOutWithinATenthOfTheLeastCost() {
    for (int lines = 1; lines <= 1023; lines++) {
      CacheFirstWidths widths = PageOptimizer.cacheFirst(TIMES, lines, INNER, LEAF);
      double least = Double.POSITIVE_INFINITY;
      for (int width = 1; width <= Math.min(lines, 32); width++) {
        least = Math.min(least, cacheFirstCost(width));
      }
      int largest = 0;
      for (int width = 1; width <= Math.min(lines, 32); width++) {
        if (cacheFirstCost(width) <= 1.1 * least) {
          largest = Math.max(largest, lines / width * LEAF.applyAsInt(width));
        }
      }
      assertEquals(largest, widths.fanOut());
      assertEquals(lines / widths.width(), widths.nodes());
      assertEquals(cacheFirstCost(widths.width()) / least, widths.costRatio(), EXACT);
    }
  }

  private static double cacheFirstCost(int width) {
    return (150 + (width - 1) * 10) / Math.log(INNER.applyAsInt(width));
  }

  @Test
  void onlyTheRatioOfTheTimesCounts() {
    MemoryTimes scaled = new MemoryTimes(150 * 1024, 10 * 1024);
    MicroIndexPage page = new MicroIndexPage(256, 64, 16, 8, 8);
    assertEquals(
        PageOptimizer.diskFirst(TIMES, 255, INNER, LEAF),
        PageOptimizer.diskFirst(scaled, 255, INNER, LEAF));
    assertEquals(
        PageOptimizer.cacheFirst(TIMES, 255, INNER, LEAF),
        PageOptimizer.cacheFirst(scaled, 255, INNER, LEAF));
    assertEquals(PageOptimizer.microIndex(TIMES, page), PageOptimizer.microIndex(scaled, page));
  }

  @Test
  void widthsOfNoUseAreNotTaken() {
    // Leaves of three lines alone hold entries, inner nodes of two lines alone have children
    IntUnaryOperator leaf = width -> width == 3 ? 10 : 1;
    IntUnaryOperator inner = width -> width == 2 ? 10 : 0;
    assertEquals(
        new DiskFirstWidths(2, 2, 3, 9, 90, 1), PageOptimizer.diskFirst(TIMES, 31, inner, leaf));
    assertEquals(
        new CacheFirstWidths(3, 10, 100, 1),
        PageOptimizer.cacheFirst(TIMES, 31, width -> width == 2 ? 0 : 10, leaf));
  }

  @Test
  void pageWithoutAnyLayoutIsRefused() {
    IntUnaryOperator none = width -> 1;
    assertRefused(0, () -> PageOptimizer.diskFirst(TIMES, 0, INNER, LEAF));
    assertRefused(63, () -> PageOptimizer.diskFirst(TIMES, 63, none, LEAF));
    assertRefused(63, () -> PageOptimizer.diskFirst(TIMES, 63, INNER, none));
    assertRefused(63, () -> PageOptimizer.cacheFirst(TIMES, 63, none, LEAF));
    assertRefused(63, () -> PageOptimizer.cacheFirst(TIMES, 63, INNER, none));
    assertRefused(2, () -> PageOptimizer.microIndex(TIMES, new MicroIndexPage(2, 64, 8, 8, 8)));
  }

  private static void assertRefused(int lines, Runnable call) {
    var e = assertThrows(IllegalArgumentException.class, call::run);
    assertEquals("lines is " + lines + "; no page of that size can be laid out", e.getMessage());
  }
}
