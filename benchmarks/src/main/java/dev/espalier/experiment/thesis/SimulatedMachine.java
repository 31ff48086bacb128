// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.memory.CacheLine;
import dev.espalier.simulation.CacheShape;
import dev.espalier.simulation.HierarchyShape;

/** The machines that are simulated. */
enum SimulatedMachine {
  /** The machine of the thesis. */
  ITANIUM_2("Itanium 2"),

  /** A server of today, its last-level cache made as small as the trees simulated on it. */
  TODAY("server of today");

  private final String label;

  SimulatedMachine(String label) {
    this.label = label;
  }

  /** Returns the machine in words. */
  String label() {
    return label;
  }

  /** Returns the memory hierarchy. */
  HierarchyShape shape() {
    return switch (this) {
      case ITANIUM_2 -> HierarchyShape.itanium2();
      case TODAY -> withSmallCache(HierarchyShape.typical());
    };
  }

  /** A tenth of the entries ({@link SimulatedEffort#scaled}) in an eighth of the cache, 4 MiB. */
  private static HierarchyShape withSmallCache(HierarchyShape typical) {
    return new HierarchyShape(
        typical.lineBytes(),
        typical.l1(),
        new CacheShape(typical.l2().bytes() / 8, typical.l2().ways()),
        typical.l2HitCycles(),
        typical.t1(),
        typical.tnext(),
        typical.missHandlers(),
        typical.busyCycles(),
        typical.tlb());
  }

  /** Returns how many lines, as trees count them, are {@code width} lines of this machine. */
  int treeLines(int width) {
    return width * (shape().lineBytes() / CacheLine.BYTES);
  }
}
