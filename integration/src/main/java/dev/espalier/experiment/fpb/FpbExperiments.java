// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.experiment.Experiment;
import java.util.List;

/** The experiments of the paper on fractal prefetching B+-trees. */
public final class FpbExperiments {
  private FpbExperiments() {}

  /** Returns all of them, in the order of the paper. */
  public static List<Experiment> all() {
    return List.of(new OptimalWidths());
  }
}
