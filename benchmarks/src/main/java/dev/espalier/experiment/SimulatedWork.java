// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.memory.Trace;
import dev.espalier.simulation.HierarchyCounters;
import dev.espalier.simulation.HierarchyShape;
import dev.espalier.simulation.MemoryHierarchy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * A piece of simulated work.
 *
 * @param setting what tells it from the others of its simulation
 * @param body does the work, in a JVM that traces, and returns what was counted, in an order that
 *     the experiment knows
 */
public record SimulatedWork(String setting, Supplier<List<Long>> body) {

  /** Does work that is seen by a listener. */
  public static void traced(Trace.Listener listener, Runnable work) {
    Trace.to(listener);
    try {
      work.run();
    } finally {
      Trace.to(null);
    }
  }

  /** Does work under a hierarchy and returns what it counted: the components in their order. */
  public static List<Long> counted(HierarchyShape shape, Consumer<MemoryHierarchy> work) {
    MemoryHierarchy hierarchy = new MemoryHierarchy(shape);
    traced(hierarchy, () -> work.accept(hierarchy));
    HierarchyCounters counters = hierarchy.counters();
    return List.of(
        counters.accesses(),
        counters.l1Misses(),
        counters.l2Misses(),
        counters.prefetches(),
        counters.uselessPrefetches(),
        counters.droppedPrefetches(),
        counters.memoryLines(),
        counters.tlbMisses(),
        counters.stallCycles(),
        counters.busyCycles());
  }

  /**
   * Does work as {@link #counted} does, and adds how many of its answers were wrong, which the work
   * returns.
   */
  public static List<Long> checked(HierarchyShape shape, ToLongFunction<MemoryHierarchy> work) {
    long[] wrong = new long[1];
    List<Long> counts =
        new ArrayList<>(counted(shape, hierarchy -> wrong[0] = work.applyAsLong(hierarchy)));
    counts.add(wrong[0]);
    return List.copyOf(counts);
  }

  /** Returns what {@link #counted} made a list of. */
  static HierarchyCounters hierarchy(List<Long> counts) {
    return new HierarchyCounters(
        counts.get(0),
        counts.get(1),
        counts.get(2),
        counts.get(3),
        counts.get(4),
        counts.get(5),
        counts.get(6),
        counts.get(7),
        counts.get(8),
        counts.get(9));
  }
}
