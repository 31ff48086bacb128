// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.model.Geometries.NodeKind;
import dev.espalier.model.Geometries.Widths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GeometriesTest {
  /** Eight keys a line, as many children; a lookup touches all lines. */
  private static final NodeKind INNER = new NodeKind(width -> 8 * width, width -> width);

  /** Keys in one half, values in the other, of which one line is touched. */
  private static final NodeKind LEAF =
      new NodeKind(width -> 4 * width, width -> (width + 1) / 2 + 1);

  @Test
  void innerWidthForSingleProbesHasTheLeastTimePerLogarithm() {
    // (230 + 7 * 8) / ln 64 = 286 / 4.159 = 68.8; width 4: 254 / ln 32 = 73.3; 16: 350 / ln 128 =
    // 72.1
    // leaf: 286 - 68.8 * ln 32 = 47.6; width 4: 254 - 68.8 * ln 16 = 63.3; 16: 350 - 68.8 * ln 64 =
    // 63.9
    assertEquals(
        new Widths(8, 8), Geometries.forSingleProbes(new MemoryTimes(230, 8), INNER, LEAF));
  }

  @Test
  void memoryWithoutAPipelineWantsNarrowNodes() {
    // T1 = Tnext, so time is the width: 1 / ln 8 = 0.48 is less than 2 / ln 16 = 0.72. A leaf of
    // two
    // lines costs one more and saves 0.48 * ln 2 only.
    assertEquals(new Widths(1, 1), Geometries.forSingleProbes(new MemoryTimes(9, 9), INNER, LEAF));
  }

  @Test
  void freePipelineWantsTheWidestNodes() {
    assertEquals(
        new Widths(64, 64), Geometries.forSingleProbes(new MemoryTimes(1e9, 1), INNER, LEAF));
  }

  @Test
  void widthsForSingleProbesGrowWithTheRatioOfT1ToTnext() {
    Widths before = new Widths(1, 1);
    int steps = 0;
    for (double ratio = 1; ratio < 2000; ratio *= 1.1) {
      Widths widths = Geometries.forSingleProbes(new MemoryTimes(ratio, 1), INNER, LEAF);
      assertTrue(widths.inner() >= before.inner(), "inner width shrinks at ratio " + ratio);
      assertTrue(widths.leaf() >= before.leaf(), "leaf width shrinks at ratio " + ratio);
      steps += widths.equals(before) ? 0 : 1;
      before = widths;
    }
    assertTrue(steps >= 6, "widths changed " + steps + " times");
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "230, 8", "1000, 3"})
  void onlyTheRatioCounts(double t1, double tnext) {
    MemoryTimes nanos = new MemoryTimes(t1, tnext);
    MemoryTimes cycles = new MemoryTimes(t1 * 1024, tnext * 1024);
    assertEquals(
        Geometries.forSingleProbes(nanos, INNER, LEAF),
        Geometries.forSingleProbes(cycles, INNER, LEAF));
    assertEquals(
        Geometries.forBatches(nanos, INNER, LEAF), Geometries.forBatches(cycles, INNER, LEAF));
  }

  @Test
  void batchedProbePaysForLinesThatAreNotCached() {
    NodeKind inner = new NodeKind(width -> 10, width -> 3);
    NodeKind leaf = new NodeKind(width -> 10, width -> 2);
    // 10,000,000 entries: 1,000,000 leaves of 64 bytes are 64,000,000, the 111,111 nodes above them
    // 7,111,104. The cache has 33,554,432: 7 levels cost a search, 8; of the leaves
    // (64,000,000 + 7,111,104 - 33,554,432) / 64,000,000 = 0.586823 are not cached and cost two
    // lines
    // of 8 and a 64th of 136 - 8.
    assertEquals(
        7 * 8 + 37_556_672 / 64e6 * (2 * 8 + 2),
        Geometries.timeOfBatchedProbe(
            new MemoryTimes(136, 8), inner, leaf, new Widths(1, 1), 10_000_000),
        1e-9);
    // 100,000,000: all leaves, and of 1,000,000 parents, 64,000,000 bytes and 7,111,104 above, the
    // same share as before, with three lines.
    assertEquals(
        8 * 8 + (2 * 8 + 2) + 37_556_672 / 64e6 * (3 * 8 + 2),
        Geometries.timeOfBatchedProbe(
            new MemoryTimes(136, 8), inner, leaf, new Widths(1, 1), 100_000_000),
        1e-9);
  }

  @Test
  void batchedProbeOfACachedTreePaysForItsSearchesOnly() {
    assertEquals(
        2 * 8,
        Geometries.timeOfBatchedProbe(
            new MemoryTimes(230, 8), INNER, LEAF, new Widths(1, 1), 4 * 8));
  }

  @Test
  void batchesWantNarrowerLeavesThanSingleProbes() {
    MemoryTimes times = MemoryTimes.TYPICAL;
    Widths batches = Geometries.forBatches(times, INNER, LEAF);
    Widths singles = Geometries.forSingleProbes(times, INNER, LEAF);
    assertTrue(batches.leaf() < singles.leaf(), batches + " against " + singles);
  }

  @Test
  void nodesThatMakeNoTreeAreRefused() {
    NodeKind single = new NodeKind(width -> 1, width -> 1);
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> Geometries.forBatches(MemoryTimes.TYPICAL, single, LEAF));
    assertEquals(
        "fan-out is 1, capacity of leaves 4; a tree needs at least 2 and 1", e.getMessage());
  }
}
