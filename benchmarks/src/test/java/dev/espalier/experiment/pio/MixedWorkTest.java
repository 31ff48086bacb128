// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Outcome;
import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PageTimes;
import dev.espalier.model.PioWork;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks of figure 12 pass on what the paper shows, and fail on something else. */
final class MixedWorkTest {
  private static final String DEVICE = "P300";

  private static TunedTree tree(String label) {
    return new TunedTree(label, DiskOptimizedBPlusTree.VARIANT, 4096, 1, "as given");
  }

  /** The paper's factors, from the mix with the fewest inserts to that with the most. */
  private static MixedWork.Found paper() {
    MixedWork.Found found = new MixedWork.Found(DEVICE);
    double[] bPlus = {1.4, 3, 5, 8, 10.9};
    double[] bftl = {2, 4, 7, 10, 13};
    double[] fd = {1.45, 1.4, 1.3, 1.3, 1.24};
    for (int i = 0; i < MixedWork.MIXES.size(); i++) {
      int percent = MixedWork.MIXES.get(i);
      found.note(DEVICE, tree(TunedTree.PIO), percent, 10);
      found.note(DEVICE, tree(TunedTree.BFTL), percent, 10 * bftl[i]);
      found.note(DEVICE, tree(TunedTree.B_PLUS), percent, 10 * bPlus[i]);
      found.note(DEVICE, tree(TunedTree.FD), percent, 10 * fd[i]);
    }
    return found;
  }

  private static List<String> failing(MixedWork.Found found) {
    Outcome outcome = MixedWork.newOutcome();
    found.checkPaper(outcome);
    assertEquals(2 * TunedTree.RIVALS.size(), outcome.checks().size());
    return outcome.checks().stream().filter(check -> !check.passes()).map(Check::name).toList();
  }

  @Test
  void papersFactorsPass() {
    assertEquals(List.of(), failing(paper()));
  }

  @Test
  void rivalThatIsNearInOneMixFails() {
    MixedWork.Found found = paper();
    found.note(DEVICE, tree(TunedTree.FD), 50, 12.3);
    assertEquals(
        List.of("P300: FD-tree by PIO B-tree, in the mix where that is least"), failing(found));
  }

  @Test
  void rivalThatIsNearWhereItShouldBeFarFails() {
    MixedWork.Found found = paper();
    found.note(DEVICE, tree(TunedTree.B_PLUS), 90, 100);
    assertEquals(
        List.of("P300: B+-tree by PIO B-tree, in the mix where that is most"), failing(found));
  }

  @Test
  void otherDevicesAreNotChecked() {
    MixedWork.Found found = paper();
    found.note("F120", tree(TunedTree.B_PLUS), 90, 1);
    assertEquals(List.of(), failing(found));
  }

  @Test
  void rivalThatIsAheadInOneMixFailsOnTheDevice() {
    MixedWork.Found found = paper();
    Outcome sound = MixedWork.newOutcome();
    found.checkAhead(sound);
    assertEquals(List.of(), sound.checks().stream().filter(check -> !check.passes()).toList());
    found.note(DEVICE, tree(TunedTree.FD), 30, 9.9);
    Outcome outcome = MixedWork.newOutcome();
    found.checkAhead(outcome);
    assertEquals(
        List.of("FD-tree by PIO B-tree, in the mix where that is least"),
        outcome.checks().stream().filter(check -> !check.passes()).map(Check::name).toList());
  }

  /** Of several tunings the fastest is shown. */
  @Test
  void bestTuningCounts() {
    MixedWork.Found found = new MixedWork.Found(DEVICE);
    found.note(DEVICE, tree(TunedTree.FD), 10, 5);
    TunedTree better = new TunedTree(TunedTree.FD, tree(TunedTree.FD).variant(), 4096, 1, "better");
    found.note(DEVICE, better, 10, 4);
    found.note(DEVICE, tree(TunedTree.FD), 10, 6);
    Outcome outcome = MixedWork.newOutcome();
    found.addRows(outcome);
    assertEquals(1, outcome.table().rows().size());
    assertEquals(4.0, outcome.table().numbers("time")[0]);
  }

  @Test
  void searchesThatAreAnsweredWronglyAreCounted() {
    int entries = 100;
    MixedWork work = new MixedWork(entries, 1 << 10, 200);
    try (LongIndex index = DiskOptimizedBPlusTree.VARIANT.create(IndexOptions.DEFAULT)) {
      PaperSizes.load(index, entries);
      assertEquals(0, work.run(index, 50));
      for (int rank = 0; rank < entries; rank++) {
        index.put(Entries.key(rank), -1);
      }
      assertEquals(200, work.run(index, 0));
      assertEquals(0, work.run(index, 100), "there are inserts only");
    }
  }

  @Test
  void utilityIsTheBitsOfANodeByTheTimeToReadIt() {
    List<Double> slow = List.of(10.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    List<Double> fast = List.of(5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    double ratio =
        TunedTree.utilityByCost(new PageTimes(4096, fast, fast))
            / TunedTree.utilityByCost(new PageTimes(16384, slow, slow));
    assertEquals(2 * 8.0 / 10, ratio, 1e-9); // 256 and 1024 entries: 8 and 10 bits.
  }

  /** The measured form failed on a pool of eight pages. */
  @Test
  void nodesOfWhichMemoryHasRoomForFewAreNotChosen() {
    List<Double> same = List.of(5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0);
    DeviceProfile device =
        new DeviceProfile(
            "", List.of(new PageTimes(4096, same, same), new PageTimes(16384, same, same)));
    long little = PioWork.LEAST_MEMORY_BYTES;
    assertEquals(
        4096,
        TunedTree.all(device, new PioWork(1000, 0.5, little), TunedTree.USUAL_BOUND)
            .getFirst()
            .pageBytes());
    assertEquals(
        16384,
        TunedTree.all(device, new PioWork(1000, 0.5, 4 * little), TunedTree.USUAL_BOUND)
            .getFirst()
            .pageBytes());
  }
}
