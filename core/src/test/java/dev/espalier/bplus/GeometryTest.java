// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.model.MemoryTimes;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GeometryTest {
  private static final String CACHE = "espalier.cache";

  @Test
  void defaultIsTheModelsChoiceForTypicalMemory() {
    // Inner nodes have 17, 41 and 81 children at widths 4, 8 and 16: 213 / ln 17 = 75.2,
    // 257 / ln 41 = 69.2, 345 / ln 81 = 78.5. Leaves have 15, 31 and 63 entries:
    // 213 - 69.2 * ln 15 = 25.6, 257 - 69.2 * ln 31 = 19.4, 345 - 69.2 * ln 63 = 58.3.
    assertEquals(new Geometry(8, 8, 16), Geometry.DEFAULT);
    assertEquals(Geometry.DEFAULT, Geometry.forSingleProbes(MemoryTimes.TYPICAL));
  }

  @ParameterizedTest
  @CsvSource({
    // T1, Tnext, inner width, leaf width, distance
    "1, 1, 1, 1, 64",
    "8, 1, 4, 4, 32",
    "14, 1, 8, 8, 16",
    "34, 1, 8, 8, 16",
    "40, 1, 16, 16, 8",
    "100, 1, 32, 32, 4",
    "1000, 1, 64, 64, 2"
  })
  void widthsForSingleProbesFollowTheRatioOfT1ToTnext(
      double t1, double tnext, int innerWidth, int leafWidth, int distance) {
    assertEquals(
        new Geometry(innerWidth, leafWidth, distance),
        Geometry.forSingleProbes(new MemoryTimes(t1, tnext)));
  }

  @ParameterizedTest
  @CsvSource({"230, 8", "175, 11", "1000, 8", "100, 8"})
  void batchesWantNarrowLeavesOnEveryMachine(double t1, double tnext) {
    assertEquals(new Geometry(8, 4, 32), Geometry.forBatches(new MemoryTimes(t1, tnext)));
  }

  @Test
  void treeTakesTheGeometryOfThisMachine(@TempDir Path folder) throws IOException {
    String configured = System.getProperty(CACHE, "");
    MemoryTimes known = MemoryTimes.ofThisMachine();
    System.setProperty(CACHE, folder.toString());
    try {
      new MemoryTimes(8, 1).save();
      try (PbPlusTree tree = PbPlusTree.create(IndexOptions.DEFAULT)) {
        tree.put(1, 1);
        assertEquals(new LeafNode(4).bytes, tree.statistics().usedBytes());
      }
    } finally {
      known.save();
      System.setProperty(CACHE, configured);
    }
  }
}
