// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.experiment.buffering.BufferingExperiments;
import dev.espalier.experiment.bytes.BytesExperiments;
import dev.espalier.experiment.cosb.CosbExperiments;
import dev.espalier.experiment.fpb.FpbExperiments;
import dev.espalier.experiment.pio.PioExperiments;
import dev.espalier.experiment.thesis.ThesisExperiments;
import dev.espalier.experiment.threads.ThreadsExperiments;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** All experiments there are. */
public final class Experiments {
  private Experiments() {}

  /** Returns all experiments: paper by paper, in the papers' order, and then those of our own. */
  public static List<Experiment> all() {
    return Stream.of(
            ThesisExperiments.all(),
            FpbExperiments.all(),
            BufferingExperiments.all(),
            CosbExperiments.all(),
            PioExperiments.all(),
            ThreadsExperiments.all(),
            BytesExperiments.all())
        .flatMap(Collection::stream)
        .toList();
  }
}
