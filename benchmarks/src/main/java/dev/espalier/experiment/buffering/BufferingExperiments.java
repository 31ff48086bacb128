// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.experiment.Experiment;
import java.util.ArrayList;
import java.util.List;

/** The experiments of the paper on buffered accesses. */
public final class BufferingExperiments {
  /** Those whose cache misses are simulated as well. */
  private static final List<Figure> FIGURES =
      List.of(
          SearchFigures.thrashing(),
          PlacementFigures.wideNodes(),
          PlacementFigures.narrowNodes(),
          SearchFigures.overall(),
          SearchFigures.methods(),
          ProbeFigures.orders(),
          ProbeFigures.fewProbes());

  private BufferingExperiments() {}

  /** Returns all of them. */
  public static List<Experiment> all() {
    List<Experiment> all = new ArrayList<>();
    for (Figure figure : FIGURES) {
      all.add(new MeasuredFigure(figure));
      all.add(new SimulatedFigure(figure));
    }
    all.add(new UpdatesAmongProbes());
    all.add(new AnswersOverTime());
    all.add(new GuaranteedThroughput());
    all.add(new StreamedAnswers());
    return all;
  }
}
