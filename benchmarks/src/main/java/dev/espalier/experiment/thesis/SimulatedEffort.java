// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Outcome;

/** How much the thesis's simulations take upon themselves. */
final class SimulatedEffort {
  private static final int LEAST_ENTRIES = 5_000;
  private static final int LEAST_PROBES = 2_000;

  private SimulatedEffort() {}

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

  /** Says in an outcome what was done on the machine, and what in the simulation beside it. */
  static void describe(Outcome outcome, Effort effort, Effort simulated) {
    outcome
        .effort(effort)
        .parameter("entries, simulated", simulated.entries())
        .parameter("probes, simulated", simulated.probes());
  }
}
