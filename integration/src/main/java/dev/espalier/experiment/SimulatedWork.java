// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.memory.Trace;
import dev.espalier.simulation.HierarchyCounters;
import dev.espalier.simulation.HierarchyShape;
import dev.espalier.simulation.MemoryHierarchy;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A piece of simulated work.
 *
 * @param setting what tells it from the others of its simulation
 * @param body does the work, in a JVM that traces, and returns what the simulator counted
 */
public record SimulatedWork(String setting, Supplier<HierarchyCounters> body) {

  /** Does work under a hierarchy and returns what was counted. */
  public static HierarchyCounters counted(HierarchyShape shape, Consumer<MemoryHierarchy> work) {
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
