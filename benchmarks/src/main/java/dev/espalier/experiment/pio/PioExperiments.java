// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.Experiment;
import java.util.List;

/** The experiments of the paper on the PIO B-tree. */
public final class PioExperiments {
  private PioExperiments() {}

  /** Returns all of them, in the order of the paper. */
  public static List<Experiment> all() {
    return List.of(
        new SizeLatency(),
        new OutstandingBandwidth(),
        new PsyncAgainstThreads(),
        new SwitchesOfThreads(),
        MeasuredFigures.searches(),
        new SearchesByPool(),
        MeasuredFigures.ranges(),
        new RangesBySpan(),
        new MeasuredInserts(),
        new InsertsByQueue(),
        new MeasuredMixes(),
        new SimulatedMixes(),
        new TpccTraceReplay(),
        new ThreadsOnOneIndex());
  }
}
