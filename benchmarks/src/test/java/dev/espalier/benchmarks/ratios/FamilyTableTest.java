// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class FamilyTableTest {

  @Test
  void linesOfLevelsLargerThanTheCacheAreCounted() {
    // 10 M entries: 1,250,000 leaves; 138,889 nodes above them are 8.9 MB, the next 15,433 are 1
    // MB.
    assertEquals(3, FamilyTable.uncachedLines(10_000_000, 2 << 20));
    assertEquals(4, FamilyTable.uncachedLines(10_000_000, 900_000));
    assertEquals(2, FamilyTable.uncachedLines(10_000_000, 10 << 20));
    // 100 M entries: 1,388,889 nodes are 89 MB, 154,321 are 9.9 MB, 17,147 are 1.1 MB.
    assertEquals(4, FamilyTable.uncachedLines(100_000_000, 2 << 20));
    assertEquals(2, FamilyTable.uncachedLines(1, 2 << 20));
  }

  @Test
  void targetsFollowFromTheFigures() {
    Figures figures = new Figures();
    figures.add("CssTree", Measure.LINE, 10);
    figures.add("CssTree", Measure.BANDWIDTH, 10);
    figures.add("CssTree", Measure.GET_ALL_128, 45);
    figures.add("CssTree", Measure.GET, 200);
    figures.add("CssTree", Measure.SCAN_LOADED, 8);
    figures.add("CssTree", Measure.SCAN_HALF, 8);
    figures.add("CssTree", Measure.FILL_HALF, 1);
    figures.add("CsbPlusTree", Measure.GET_ALL_128, 90);
    figures.add("CsbPlusTree-batches", Measure.GET_ALL_128, 54);
    figures.add("PbPlusTree", Measure.GET, 250);
    figures.add("PbPlusTree", Measure.SCAN_LOADED, 6);
    figures.add("PbPlusTree", Measure.SCAN_HALF, 3);
    figures.add("PbPlusTree", Measure.FILL_HALF, 0.5);
    figures.add("TreeMap", Measure.GET, 2250);
    List<String> lines = Target.table(new FamilyTable(figures, 10_000_000).targets()).lines();
    assertEquals(8, lines.size());
    assertTrue(lines.get(3).contains("| 50.00x | yes |"), lines.get(3));
    assertTrue(lines.get(4).contains("| 1.20x | yes |"), lines.get(4));
    assertTrue(lines.get(5).contains("| 11.25x | yes |"), lines.get(5));
    assertTrue(lines.get(6).contains("| 80.00% | yes |"), lines.get(6));
    assertTrue(lines.get(7).contains("| 60.00% | **no** |"), lines.get(7));
  }
}
