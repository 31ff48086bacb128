// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.PbPlusChoices.NodeSearch;
import dev.espalier.experiment.Effort;
import java.util.List;

/** The simulations there are, by names that a {@link Simulator} hands to its JVM. */
enum Simulation {
  /** See {@link WideNodeGain}. */
  WIDE_NODES {
    @Override
    List<SimulatedWork> works(Effort effort) {
      return WideNodeGain.works(effort);
    }
  },

  /** See {@link FaultHint}. */
  FAULT_HINT {
    @Override
    List<SimulatedWork> works(Effort effort) {
      return FaultHint.works(effort);
    }
  },

  /** See {@link PrefetchLoopCycles}. */
  PREFETCH_LOOPS {
    @Override
    List<SimulatedWork> works(Effort effort) {
      return PrefetchLoopCycles.works(effort);
    }
  },

  /** See {@link PrefetchSpeedup#withSlowSearch}. */
  SPEEDUP_WITH_SLOW_SEARCH {
    @Override
    List<SimulatedWork> works(Effort effort) {
      return PrefetchSpeedup.works(NodeSearch.LINEAR, effort);
    }
  },

  /** See {@link PrefetchSpeedup#withFastSearch}. */
  SPEEDUP_WITH_FAST_SEARCH {
    @Override
    List<SimulatedWork> works(Effort effort) {
      return PrefetchSpeedup.works(NodeSearch.SIMD, effort);
    }
  };

  private static final int LEAST_ENTRIES = 5_000;
  private static final int LEAST_PROBES = 2_000;

  /** Returns the pieces of work, in the order in which they are done. Does none of them. */
  abstract List<SimulatedWork> works(Effort effort);

  /**
   * Returns the effort for a simulation: a tenth of the entries, which in full is the million of
   * the thesis, and a twentieth of the probes, because every access takes a hundred times as long
   * as on a machine; but no less than a tree of several levels, and probes that do not all stay in
   * the first-level cache.
   */
  static Effort scaled(Effort effort) {
    return new Effort(
        Math.max(effort.entries() / 10, LEAST_ENTRIES),
        Math.max(effort.probes() / 20, LEAST_PROBES),
        1);
  }
}
