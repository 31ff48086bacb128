// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.PbPlusTree;
import dev.espalier.memory.Trace;
import dev.espalier.simulation.HierarchyCounters;
import dev.espalier.simulation.HierarchyShape;
import dev.espalier.simulation.MemoryHierarchy;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A piece of simulated work.
 *
 * @param setting what tells it from the others of its simulation
 * @param body does the work, in a JVM that traces, and returns what the simulator counted
 */
record SimulatedWork(String setting, Supplier<HierarchyCounters> body) {

  /**
   * Returns work on a tree of its own, which is built without being seen by the simulator.
   *
   * @param work is given the tree and the hierarchy under it, whose caches are empty at first
   */
  static SimulatedWork onTree(
      String setting,
      HierarchyShape shape,
      TreeSetting tree,
      int entries,
      BiConsumer<PbPlusTree, MemoryHierarchy> work) {
    return new SimulatedWork(
        setting,
        () -> {
          try (PbPlusTree built = tree.build(entries)) {
            return counted(shape, hierarchy -> work.accept(built, hierarchy));
          }
        });
  }

  /** Does work under a hierarchy and returns what was counted. */
  static HierarchyCounters counted(HierarchyShape shape, Consumer<MemoryHierarchy> work) {
    MemoryHierarchy hierarchy = new MemoryHierarchy(shape);
    Trace.to(hierarchy);
    try {
      work.accept(hierarchy);
    } finally {
      Trace.to(null);
    }
    return hierarchy.counters();
  }
}
