// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.simulation.CacheShape;
import dev.espalier.simulation.HierarchyShape;
import dev.espalier.simulation.TlbShape;

/** The machine of the paper's table 1 on which it shows most. */
final class Pentium4 {
  /**
   * Sizes and latencies of table 1; lines have 128 bytes in both caches, where the paper's first
   * level has 64. The paper prints no associativity, which is 8 here, and no TLB's page size, which
   * is Linux's 4 KB. Nor does it print a bandwidth: a line each 72 cycles is the 3.2 GB/s of two
   * channels of RDRAM, of which 4 lines are under way within one latency.
   */
  static final HierarchyShape SHAPE =
      new HierarchyShape(
          128,
          new CacheShape(16 << 10, 8),
          new CacheShape(256 << 10, 8),
          18,
          276,
          72,
          4,
          1,
          new TlbShape(64, 64, 4 << 10, 46, TlbShape.PrefetchMiss.WALK));

  private Pentium4() {}
}
