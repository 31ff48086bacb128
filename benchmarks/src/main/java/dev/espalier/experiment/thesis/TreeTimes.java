// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.ConfigurablePbPlusTree;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import java.util.ArrayList;
import java.util.List;

/**
 * The times of one operation on trees of different settings, taken in turn.
 *
 * @param all one for each setting, in the same order
 * @param wrong how many answers were wrong
 */
record TreeTimes(List<Time<TreeSetting>> all, int wrong) {

  /**
   * A quarter of the entries and probes: there are many trees at once, and running in turn they
   * evict one another from the caches.
   */
  static Effort forManyTrees(Effort effort) {
    return new Effort(
        Math.max(effort.entries() / 4, 1), Math.max(effort.probes() / 4, 1), effort.rounds());
  }

  /** Builds all the trees, which are in memory together, and measures them. */
  static TreeTimes measure(
      List<TreeSetting> settings, TreeOperation operation, Effort effort, Progress progress) {
    int entries = effort.entries();
    long[] probes = Entries.probes(entries, effort.probes(), entries);
    List<ConfigurablePbPlusTree> trees = new ArrayList<>();
    List<Work<TreeSetting>> works = new ArrayList<>();
    List<Time<TreeSetting>> times;
    try {
      for (TreeSetting setting : settings) {
        progress.part(0, 2).show("building", (double) trees.size() / settings.size());
        ConfigurablePbPlusTree tree = setting.build(entries);
        trees.add(tree);
        works.add(
            new Work<>(
                setting, operation.operations(entries, probes), () -> operation.run(tree, probes)));
      }
      times = Stopwatch.time(works, effort.rounds(), progress.part(1, 2));
    } finally {
      trees.forEach(ConfigurablePbPlusTree::close);
    }
    long answer = operation.answer(entries, probes);
    return new TreeTimes(times, times.stream().mapToInt(time -> time.wrong(answer)).sum());
  }
}
