// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.experiment.Target;
import dev.espalier.io.MeasuredDevice;
import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PioWork;
import java.util.List;

/** Figure 12 on the device: mixes of inserts and searches, each tree tuned for each mix. */
final class MeasuredMixes implements Experiment {
  private static final String HERE = "this device";
  private static final long MEASURED_BYTES = 64 << 20;

  private static final Description DESCRIPTION =
      new Description(
          "pio-fig12",
          "Mixes of inserts and searches",
          "PIO, figure 12",
          "Ten million random operations in trees of a billion entries, with 16 MB of memory, in"
              + " five mixes, every tree tuned for each: on P300 the PIO B-tree is 1.4 to 10.9"
              + " times as fast as the B+-tree, 1.24 to 1.45 times as fast as the FD-tree, and 2 to"
              + " 13 times as fast as BFTL.",
          "Trees in files on this machine's device, whose times are measured or read back first,"
              + " with as much less memory. The PIO B-tree is tuned by the model, the B+-tree by"
              + " utility and cost, the FD-tree's ratio is the best of four, and the bound of"
              + " BFTL's lists the one that is best in most simulated mixes. BFTL's buffer is taken"
              + " from its pool; its table of sectors is not counted. The pool writes many changed"
              + " pages at a time for all of them. Each tree is loaded for each mix; the flush at"
              + " the end is part of the time. The target is to be ahead in every mix.",
          new Chart(Chart.Kind.LINES, "tree", "inserts", "time").inPanels("device"));

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int entries = run.effort().entries();
    long memory = PaperSizes.poolBytes(entries, PaperSizes.MOST_MB);
    MixedWork work = new MixedWork(entries, memory, Math.max(run.effort().probes() / 20, 1));
    Outcome outcome = MixedWork.newOutcome();
    outcome
        .parameter("entries", entries)
        .parameter("bytes of memory", memory)
        .parameter("operations", work.operations());
    MixedWork.Found found = new MixedWork.Found(HERE);
    DeviceProfile device = measuredDevice();
    outcome.parameter("device", device.device());
    long wrong = 0;
    int step = 0;
    for (int percent : MixedWork.MIXES) {
      List<TunedTree> trees =
          TunedTree.all(
              device, new PioWork(entries, percent / 100.0, memory), TunedTree.USUAL_BOUND);
      for (TunedTree tuned : trees) {
        double all = (double) MixedWork.MIXES.size() * trees.size();
        run.progress().show(tuned.label() + ", %d%% inserts".formatted(percent), step++ / all);
        try (ScratchFolder folder = ScratchFolder.create(TreeInFile.bytes(entries));
            TreeInFile tree = TreeInFile.of(folder, tuned, entries)) {
          tree.reopen(tuned.poolBytes(memory), true);
          work.warmUp(tree.index());
          tree.index().flush();
          long start = System.nanoTime();
          wrong += work.run(tree.index(), percent);
          tree.index().flush();
          double micros = (System.nanoTime() - start) / 1e3 / work.operations();
          found.note(HERE, tuned, percent, micros);
        }
      }
    }
    found.addRows(outcome);
    outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
    if (entries >= PaperSizes.LEAST_ENTRIES) {
      found.checkAhead(outcome);
    }
    return outcome;
  }

  /** The times of the device, which is not named by its path, as results are published. */
  private static DeviceProfile measuredDevice() {
    try (ScratchFolder folder = ScratchFolder.create(MEASURED_BYTES)) {
      DeviceProfile measured = MeasuredDevice.of(folder.parent()).profile();
      return new DeviceProfile(measured.device().replaceFirst("^/\\S+", HERE), measured.pages());
    }
  }
}
