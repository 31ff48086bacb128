// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Experiment;
import java.util.List;

/** The experiments of the thesis. */
public final class ThesisExperiments {
  private ThesisExperiments() {}

  /** Returns all of them, in the order of the thesis. */
  public static List<Experiment> all() {
    return List.of(
        new ModelComparison(),
        new WideNodeGain(),
        LocalityHints.forQueries(),
        LocalityHints.forScans(),
        new FaultHint(),
        new PrefetchLoops(),
        new PrefetchLoopStalls(),
        new PrefetchLoopCycles(),
        LinearPolicies.overFullLeaves(),
        LinearPolicies.overTwoThirds(),
        LinearPolicies.overHalfFullLeaves(),
        LinearPolicies.overFullLeavesByKeys(),
        LinearPolicies.overTwoThirdsByKeys(),
        LinearPolicies.overHalfFullLeavesByKeys(),
        new SearchAlgorithms(),
        SearchAlgorithms.byKeys(),
        PrefetchGain.experiment(),
        PrefetchGain.byKeys(),
        PrefetchSpeedup.withSlowComparison(),
        PrefetchSpeedup.withFastComparison(),
        LongKeySpeedup.byBytes(),
        LongKeySpeedup.byWords(),
        new JumpPointerUpkeep(),
        new ScanBandwidth(),
        new LongKeyBandwidth());
  }
}
