// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.csbplus.CsbPlusTree.Geometry;
import dev.espalier.model.MemoryTimes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsbGeometryTest {

  @Test
  void defaultIsWhatTheModelChoosesForTypicalMemory() {
    // Inner nodes have 16, 32 and 64 children at widths 2, 4 and 8: 191 / ln 16 = 68.9,
    // 213 / ln 32 = 61.5, 257 / ln 64 = 61.8. Leaves have 15, 31 and 63 entries at widths 4, 8
    // and 16: 213 - 61.5 * ln 15 = 46.5, 257 - 61.5 * ln 31 = 45.8, 345 - 61.5 * ln 63 = 90.2.
    assertEquals(new Geometry(4, 8, 1, 16), Geometry.DEFAULT);
    assertEquals(Geometry.DEFAULT, Geometry.forSingleProbes(MemoryTimes.TYPICAL));
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1, 1", "6, 1, 2, 2", "18, 1, 8, 8", "100, 1, 32, 32"})
  void nodesGrowWithTheRatioOfT1ToTnext(double t1, double tnext, int innerWidth, int leafWidth) {
    Geometry geometry = Geometry.forSingleProbes(new MemoryTimes(t1, tnext));
    assertEquals(innerWidth, geometry.innerWidth());
    assertEquals(leafWidth, geometry.leafWidth());
    assertEquals(1, geometry.segments());
  }

  @Test
  void batchesWantLeavesNoWiderThanSingleLookups() {
    Geometry geometry = Geometry.forBatches(MemoryTimes.TYPICAL);
    assertTrue(geometry.leafWidth() <= Geometry.DEFAULT.leafWidth(), geometry::toString);
    assertTrue(Geometry.FOR_BATCHES.leafWidth() < Geometry.DEFAULT.leafWidth());
  }
}
