// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.experiment.Experiment;
import java.util.ArrayList;
import java.util.List;

/** The experiments of the paper on fractal prefetching B+-trees. */
public final class FpbExperiments {
  /** Those of section 4.2, which are run on two machines. */
  private static final List<Figure> FIGURES =
      List.of(
          SearchFigures.bySize(),
          WidthFigure.figure(),
          SearchFigures.byFill(),
          UpdateFigures.insertionByFill(),
          UpdateFigures.insertionBySize(),
          UpdateFigures.insertionIntoFullPages(),
          UpdateFigures.insertionIntoPagesWithRoom(),
          UpdateFigures.deletionByFill(),
          UpdateFigures.deletionByPage(),
          ScanFigure.figure());

  private FpbExperiments() {}

  /** Returns all of them, in the order of the paper. */
  public static List<Experiment> all() {
    List<Experiment> all = new ArrayList<>();
    all.add(new SearchBreakdown());
    all.add(new OptimalWidths());
    for (Figure figure : FIGURES) {
      all.add(new MeasuredFigure(figure));
      all.add(new SimulatedFigure(figure));
    }
    all.add(new SpaceOverhead(List.of(TreeAge.values())));
    all.add(new SearchReads(List.of(TreeAge.values())));
    all.add(ScanFromFile.byRange());
    all.add(ScanFromFile.byFiles());
    all.add(ScanFromFile.throughputByFiles());
    return all;
  }
}
