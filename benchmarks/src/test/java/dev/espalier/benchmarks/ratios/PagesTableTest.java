// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class PagesTableTest {

  @Test
  void targetsFollowFromTheFigures() {
    Figures figures = new Figures();
    figures.add("PbPlusTree", Measure.GET, 250);
    figures.add("DiskOptimizedBPlusTree", Measure.GET, 750);
    figures.add("DiskOptimizedBPlusTree", Measure.INSERT_70, 2000);
    figures.add("DiskFirstFpbPlusTree", Measure.GET, 300);
    figures.add("DiskFirstFpbPlusTree", Measure.GET_ALL, 150);
    figures.add("DiskFirstFpbPlusTree", Measure.INSERT_70, 500);
    List<String> lines = Target.table(PagesTable.targets(figures)).lines();
    assertEquals(6, lines.size());
    assertTrue(lines.get(2).contains("| 2.50x | yes |"), lines.get(2));
    assertTrue(lines.get(3).contains("| 1.20x | yes |"), lines.get(3));
    assertTrue(lines.get(4).contains("| 4.00x | **no** |"), lines.get(4));
    assertTrue(lines.get(5).contains("| 2.00x | **no** |"), lines.get(5));
  }

  @Test
  void whatWasNotMeasuredIsNotReached() {
    assertTrue(
        Target.table(PagesTable.targets(new Figures()))
            .lines()
            .getLast()
            .endsWith("| not measured |"));
  }
}
