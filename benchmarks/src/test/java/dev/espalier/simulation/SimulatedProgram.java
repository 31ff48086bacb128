// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import dev.espalier.IndexOptions;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.memory.Trace;
import java.util.SplittableRandom;

/** What {@link SimulatedIndexTest} starts: prints what puts and lookups in random order cost. */
final class SimulatedProgram {
  /** An index of some 5 MB, which has moved out of its first memory. */
  private static final int ENTRIES = 200_000;

  private SimulatedProgram() {}

  /** Takes the seed as argument. */
  public static void main(String[] args) {
    SplittableRandom random = new SplittableRandom(Long.parseLong(args[0]));
    MemoryHierarchy hierarchy = new MemoryHierarchy(HierarchyShape.itanium2());
    try (PbPlusTree tree =
        PbPlusTree.create(IndexOptions.DEFAULT, new PbPlusTree.Geometry(8, 8, 16))) {
      for (int i = 0; i < ENTRIES; i++) {
        tree.put(random.nextLong(ENTRIES), i);
      }
      Trace.to(hierarchy);
      for (int i = 0; i < ENTRIES / 10; i++) {
        tree.get(random.nextLong(ENTRIES));
        tree.put(random.nextLong(ENTRIES), i);
      }
      Trace.to(null);
    }
    System.out.println(hierarchy.counters());
  }
}
