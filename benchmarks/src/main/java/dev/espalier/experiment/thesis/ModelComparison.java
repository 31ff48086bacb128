// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Numbers;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import dev.espalier.model.CostModel;
import dev.espalier.model.ModelParameters;
import java.util.function.LongToDoubleFunction;

/** Figure 3.6: what a lookup waits for memory in each index, by the cost models. */
final class ModelComparison implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "thesis-fig3.6",
          "Cache performance by the cost models",
          "thesis, figure 3.6",
          "Time that one query waits for memory, in cache-miss latencies, over the number of items,"
              + " computed for an Itanium 2. The B+-tree with page-sized nodes is worst: 11 misses"
              + " in a leaf and 12 in every inner node. The T-tree rises steadily with its many"
              + " levels, but stays below. A node of the fpB+-tree costs a quarter of a B+-tree's."
              + " CSS- and CSB+-tree are better still, the pB+-tree is about as good as these, and"
              + " the prefetching CSB+-tree is best by a narrow margin.",
          "The same equations (3.1 to 3.8) with the same figures: 128-byte lines, 8-byte keys and"
              + " pointers, pages of 16 KiB, T1 of 189 and Tnext of 24 cycles. Nothing is measured."
              + " The model of the CSB+-tree is that of the CSS-tree, so one line stands for both."
              + " Trees bear the names of their classes here.",
          new Chart(Chart.Kind.LINES, "tree", "entries", "latencies"));

  private static final CostModel MODEL = new CostModel(ModelParameters.itanium2());

  private static final String B_PLUS = "BPlusTree";
  private static final String T = "TTree";
  private static final String FPB_PLUS = "DiskFirstFpbPlusTree";
  private static final String CSS = "CssTree";
  private static final String PB_PLUS = "PbPlusTree";
  private static final String PCSB_PLUS = "CsbPlusTree, prefetching";

  private static final int LEAST_MAGNITUDE = 3;
  private static final int GREATEST_MAGNITUDE = 9;
  private static final int POINTS_PER_MAGNITUDE = 5;

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.integer("entries", "items in the tree", ""),
            Column.real("latencies", "time waiting for memory", "cache-miss latencies"));
    ModelParameters parameters = MODEL.parameters();
    outcome
        .parameter("T1", parameters.times().t1())
        .parameter("Tnext", parameters.times().tnext())
        .parameter("line bytes", parameters.lineBytes())
        .parameter("key bytes", parameters.keyBytes())
        .parameter("pointer bytes", parameters.pointerBytes())
        .parameter("lines per page", parameters.linesPerPage());
    addRows(B_PLUS, MODEL::bPlusTreeAsDrawn, outcome);
    addRows(T, MODEL::tTree, outcome);
    addRows(FPB_PLUS, MODEL::fpbPlusTree, outcome);
    addRows(CSS, MODEL::cssTree, outcome);
    addRows(PB_PLUS, MODEL::pbPlusTree, outcome);
    addRows(PCSB_PLUS, MODEL::pcsbPlusTree, outcome);
    addChecks(outcome);
    return outcome;
  }

  private static void addRows(String tree, LongToDoubleFunction latencies, Outcome outcome) {
    int points = (GREATEST_MAGNITUDE - LEAST_MAGNITUDE) * POINTS_PER_MAGNITUDE;
    for (int point = 0; point <= points; point++) {
      long entries =
          Math.round(Math.pow(10, LEAST_MAGNITUDE + (double) point / POINTS_PER_MAGNITUDE));
      outcome.row(tree, entries, latencies.applyAsDouble(entries));
    }
  }

  /** What section 3.9 says in words. */
  private static void addChecks(Outcome outcome) {
    double[] bPlus = latencies(outcome, B_PLUS);
    double[] t = latencies(outcome, T);
    double[] css = latencies(outcome, CSS);
    double[] pbPlus = latencies(outcome, PB_PLUS);
    double[] pcsbPlus = latencies(outcome, PCSB_PLUS);
    double leaf = MODEL.bPlusTreeAsDrawn(1);
    check(outcome, "BPlusTree: misses in a leaf", leaf, Target.between(10.5, 11.5));
    check(
        outcome,
        "BPlusTree: misses in an inner node",
        largestStep(bPlus),
        Target.between(11.5, 12.5));
    check(outcome, "TTree / BPlusTree, largest", Numbers.largestRatio(t, bPlus), Target.atMost(1));
    check(
        outcome,
        "DiskFirstFpbPlusTree / BPlusTree, mean",
        Numbers.meanRatio(latencies(outcome, FPB_PLUS), bPlus),
        Target.between(0.2, 0.3));
    check(outcome, "CssTree / TTree, largest", Numbers.largestRatio(css, t), Target.atMost(1));
    check(
        outcome,
        "PbPlusTree / CssTree, mean",
        Numbers.meanRatio(pbPlus, css),
        Target.between(0.9, 1.1));
    check(
        outcome,
        PCSB_PLUS + " / PbPlusTree, largest",
        Numbers.largestRatio(pcsbPlus, pbPlus),
        Target.atMost(1));
    check(
        outcome,
        PCSB_PLUS + " / CssTree, largest",
        Numbers.largestRatio(pcsbPlus, css),
        Target.atMost(1));
  }

  private static double largestStep(double[] values) {
    double largest = 0;
    for (int i = 1; i < values.length; i++) {
      largest = Math.max(largest, values[i] - values[i - 1]);
    }
    return largest;
  }

  private static void check(Outcome outcome, String name, double value, Target target) {
    outcome.check(Check.deterministic(name, value, target));
  }

  private static double[] latencies(Outcome outcome, String tree) {
    return outcome.table().where("tree", tree).numbers("latencies");
  }
}
