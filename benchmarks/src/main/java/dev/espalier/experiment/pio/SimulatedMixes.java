// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import dev.espalier.model.PioWork;
import java.util.List;

/** Figure 12, simulated: mixes of inserts and searches, each tree tuned for each mix. */
final class SimulatedMixes implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "pio-fig12-simulated",
          "Mixes of inserts and searches, simulated",
          "PIO, figure 12",
          "Ten million random operations in trees of a billion entries, with 16 MB of memory, in"
              + " five mixes, every tree tuned for each: the PIO B-tree is 1.6 to 11, 1.4 to 10.9"
              + " and 1.6 to 10.5 times as fast as the B+-tree on Iodrive, P300 and F120, and 1.23"
              + " to 1.47, 1.24 to 1.45 and 1.24 to 1.46 times as fast as the FD-tree; BFTL takes 2"
              + " to 15 times as long.",
          "Trees of 30 million entries, and as much less memory, the times of three simulated"
              + " devices, as in pio-fig9-simulated. All are tuned for P300: the PIO B-tree by the"
              + " model, the B+-tree by utility and cost, of the FD-tree the best of four ratios in"
              + " each mix and on each device, with half of the memory for its head tree, of BFTL"
              + " the best of four bounds of its lists, with half of the memory for its buffer; its"
              + " table of sectors is on the heap and not counted, while in the paper it leaves"
              + " nothing for a pool. An FD-tree writes 64 pages at once, as its runs are in order."
              + " Its largest runs are not merged in so few operations, which is to its advantage."
              + " The targets are the paper's for P300.",
          new Chart(Chart.Kind.LINES, "tree", "inserts", "time").inPanels("device"));

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int entries = PaperSizes.simulatedEntries(run.effort());
    long memory = PaperSizes.poolBytes(entries, PaperSizes.MOST_MB);
    MixedWork work = new MixedWork(entries, memory, Math.max(run.effort().probes() / 2, 1));
    Outcome outcome = MixedWork.newOutcome();
    outcome
        .parameter("entries", entries)
        .parameter("bytes of memory", memory)
        .parameter("operations", work.operations());
    MixedWork.Found found = new MixedWork.Found(SimulatedDevice.REFERENCE.label());
    long wrong = 0;
    int step = 0;
    for (int percent : MixedWork.MIXES) {
      List<TunedTree> trees =
          TunedTree.all(
              SimulatedDevice.REFERENCE.profile(),
              new PioWork(entries, percent / 100.0, memory),
              TunedTree.LIST_BOUNDS);
      for (TunedTree tuned : trees) {
        double all = (double) MixedWork.MIXES.size() * trees.size();
        run.progress().show(tuned.label() + ", %d%% inserts".formatted(percent), step++ / all);
        try (PooledTree tree = PooledTree.of(tuned, entries)) {
          PooledTree.Opened opened =
              tree.open(tuned.poolBytes(memory), true, tuned.writesTogether());
          work.warmUp(opened.index());
          opened.store().resetCounters();
          wrong += work.run(opened.index(), percent);
          for (SimulatedDevice device : SimulatedDevice.ALL) {
            double micros = opened.store().nanos(device) / work.operations() / 1e3;
            found.note(device.label(), tuned, percent, micros);
          }
        }
      }
    }
    found.addRows(outcome);
    outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
    if (entries >= PaperSizes.LEAST_ENTRIES) {
      found.checkPaper(outcome);
    }
    return outcome;
  }
}
