// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import static dev.espalier.experiment.buffering.Method.CHOSEN;
import static dev.espalier.experiment.buffering.Method.FIXED;
import static dev.espalier.experiment.buffering.Method.UNBUFFERED;
import static dev.espalier.experiment.buffering.Method.VARIABLE;
import static dev.espalier.experiment.buffering.PaperIndex.B_PLUS_TREE;
import static dev.espalier.experiment.buffering.PaperIndex.CSB_PLUS_TREE;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** The figures on probes in other orders and on few probes: 6.5 and 6.6 of the paper. */
final class ProbeFigures {
  private static final List<Method> BUFFERS = List.of(UNBUFFERED, FIXED, VARIABLE);

  /** Probes as a share of the keys, 0.01% to 0.8%. */
  private static final List<Double> SHARES =
      List.of(0.0001, 0.0002, 0.0004, 0.0008, 0.002, 0.004, 0.008);

  /** From which share of the keys on buffers are faster in the paper, for the two trees. */
  private static final Map<PaperIndex, Double> CROSSOVERS =
      Map.of(B_PLUS_TREE, 0.0008, CSB_PLUS_TREE, 0.004);

  /** The choice is to be near the best of the methods that are compared. */
  private static final double NEAR = 1.1;

  private ProbeFigures() {}

  /** Figure 12. */
  static Figure orders() {
    List<ProbeSetting> settings = new ArrayList<>();
    for (ProbeOrder order : ProbeOrder.values()) {
      for (Method method : BUFFERS) {
        settings.add(new ProbeSetting(B_PLUS_TREE, method).inOrder(order));
      }
    }
    return new Figure(
        12,
        "Uniform, skewed and sorted probes",
        "Time of as many probes as there are keys of a B+-tree, unbuffered and in both kinds of"
            + " buffers: uniform; gaussian, 95% of them for 20% of the leaves; uniform and sorted."
            + " Skewed probes are faster by all methods, and buffers gain less; sorted ones are"
            + " about equally fast by all.",
        "",
        Chart.Kind.BARS,
        Figure.LABEL,
        Figure.ORDER,
        settings,
        (_, times, outcome) -> checkOrders(times, Double::doubleValue, Check.Kind.TIMING, outcome),
        (_, costs, outcome) ->
            checkOrders(costs, SimulatedCost::cycles, Check.Kind.DETERMINISTIC, outcome));
  }

  private static <V> void checkOrders(
      Found<ProbeSetting, V> found, ToDoubleFunction<V> cost, Check.Kind kind, Outcome outcome) {
    double uniform = gain(ProbeOrder.UNIFORM, found, cost);
    double skewed = gain(ProbeOrder.GAUSSIAN, found, cost);
    outcome.check(new Check("gain by buffers, uniform probes", kind, uniform, Target.atLeast(2)));
    outcome.check(
        new Check("gain by buffers, skewed probes", kind, skewed, Target.between(1, uniform)));
    outcome.check(
        new Check(
            "gain by buffers, sorted probes",
            kind,
            gain(ProbeOrder.SORTED, found, cost),
            Target.atMost(skewed)));
  }

  private static <V> double gain(
      ProbeOrder order, Found<ProbeSetting, V> found, ToDoubleFunction<V> cost) {
    ProbeSetting buffered = new ProbeSetting(B_PLUS_TREE, VARIABLE).inOrder(order);
    return cost.applyAsDouble(found.of(buffered.by(UNBUFFERED)))
        / cost.applyAsDouble(found.of(buffered));
  }

  /** Figure 13. */
  static Figure fewProbes() {
    List<ProbeSetting> settings = new ArrayList<>();
    for (PaperIndex index : List.of(B_PLUS_TREE, CSB_PLUS_TREE)) {
      for (Method method : List.of(UNBUFFERED, FIXED, VARIABLE, CHOSEN)) {
        for (double share : SHARES) {
          settings.add(new ProbeSetting(index, method).withShare(share));
        }
      }
    }
    return new Figure(
        13,
        "Few probes",
        "Time of few probes, 0.01% to 0.8% of the keys, in buffers and not. Buffers are faster than"
            + " the unbuffered B+-tree from 0.08% on, and faster than the unbuffered CSB+-tree from"
            + " 0.4% on; for fewer, their cost outweighs the gain.",
        "Times are per probe, with caches full of other things. On this machine also by the method"
            + " that the library chooses for so many keys, which may be none of these: groups whose"
            + " misses overlap.",
        Chart.Kind.LINES,
        Figure.SERIES,
        Figure.SHARE,
        settings,
        (keys, times, outcome) -> {
          checkCrossovers(keys, times, Double::doubleValue, Check.Kind.TIMING, outcome);
          checkChoice(times, outcome);
        },
        (keys, costs, outcome) -> {
          checkCrossovers(keys, costs, SimulatedCost::cycles, Check.Kind.DETERMINISTIC, outcome);
          checkFew(costs, outcome);
        });
  }

  /**
   * Both kinds of buffers are faster from the paper's share on, and slower for the fewest: shares
   * of millions of keys.
   */
  private static <V> void checkCrossovers(
      int keys,
      Found<ProbeSetting, V> found,
      ToDoubleFunction<V> cost,
      Check.Kind kind,
      Outcome outcome) {
    if (keys < Table2.KEYS_BEYOND_THE_CACHE) {
      return;
    }
    for (PaperIndex index : List.of(B_PLUS_TREE, CSB_PLUS_TREE)) {
      double crossover = Objects.requireNonNull(CROSSOVERS.get(index));
      for (Method method : List.of(FIXED, VARIABLE)) {
        ToDoubleFunction<Double> gain = share -> gain(index, method, share, found, cost);
        double least =
            SHARES.stream()
                .filter(share -> share >= crossover)
                .mapToDouble(gain)
                .min()
                .orElseThrow();
        outcome.check(
            new Check(
                "%s, %s: least gain by buffers from %s%% on"
                    .formatted(index, method, crossover * 100),
                kind,
                least,
                Target.atLeast(1)));
        outcome.check(
            new Check(
                "%s, %s: gain by buffers at 0.01%%".formatted(index, method),
                kind,
                gain.applyAsDouble(SHARES.getFirst()),
                Target.atMost(1)));
      }
    }
  }

  private static <V> double gain(
      PaperIndex index,
      Method method,
      double share,
      Found<ProbeSetting, V> found,
      ToDoubleFunction<V> cost) {
    ProbeSetting buffered = new ProbeSetting(index, method).withShare(share);
    return cost.applyAsDouble(found.of(buffered.by(UNBUFFERED)))
        / cost.applyAsDouble(found.of(buffered));
  }

  private static void checkChoice(Found<ProbeSetting, Double> times, Outcome outcome) {
    for (PaperIndex index : List.of(B_PLUS_TREE, CSB_PLUS_TREE)) {
      double worst = 0;
      for (double share : SHARES) {
        ProbeSetting chosen = new ProbeSetting(index, CHOSEN).withShare(share);
        for (Method method : BUFFERS) {
          worst = Math.max(worst, times.of(chosen) / times.of(chosen.by(method)));
        }
      }
      outcome.check(
          Check.timing(index + ": chosen over best method, worst", worst, Target.atMost(NEAR)));
    }
  }

  /** The more probes, the fewer of their misses are left. */
  private static void checkFew(Found<ProbeSetting, SimulatedCost> costs, Outcome outcome) {
    for (PaperIndex index : List.of(B_PLUS_TREE, CSB_PLUS_TREE)) {
      ProbeSetting buffered = new ProbeSetting(index, VARIABLE);
      SimulatedCost few = costs.of(buffered.withShare(SHARES.getFirst()));
      SimulatedCost most = costs.of(buffered.withShare(SHARES.getLast()));
      outcome.check(
          Check.deterministic(
              index + ": misses per buffered probe, 0.01% over 0.8%",
              few.misses() / most.misses(),
              Target.atLeast(1)));
    }
  }
}
