// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.Drawn;
import dev.espalier.TreeVariant;
import dev.espalier.model.PioChoice;
import dev.espalier.model.PioWork;
import dev.espalier.pio.PioBTree;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The model's choice against all others, on a simulated device: by counts of pages, not by time.
 */
@Tag("thorough")
final class TunedChoiceTest {
  private static final int ENTRIES = 1_000_000;
  private static final long MEMORY_BYTES = 512 << 10;
  private static final int OPERATIONS = 30_000;

  private record Found(int pageBytes, PioBTree.Geometry geometry, double nanos) {}

  private static Found measure(int pageBytes, PioBTree.Geometry geometry, int percent) {
    TreeVariant variant =
        TreeVariant.inPages(
            "PioBTree",
            "",
            PioBTree::create,
            (options, store) -> PioBTree.open(options, store, geometry));
    MixedWork work = new MixedWork(ENTRIES, MEMORY_BYTES, OPERATIONS);
    try (PooledTree tree = PooledTree.of(new TunedTree("", variant, pageBytes, 1, ""), ENTRIES)) {
      PooledTree.Opened opened = tree.open(MEMORY_BYTES, true);
      work.warmUp(opened.index());
      opened.store().resetCounters();
      assertEquals(0, work.run(opened.index(), percent));
      double nanos = opened.store().nanos(SimulatedDevice.REFERENCE) / OPERATIONS;
      return new Found(pageBytes, geometry, nanos);
    }
  }

  @Drawn
  @ParameterizedTest
  @ValueSource(ints = {0, 10, 50, 90, 100})
  void choiceIsWithinTenPercentOfTheBest(int percent) {
    PioChoice choice =
        PioChoice.of(
            SimulatedDevice.REFERENCE.profile(),
            new PioWork(ENTRIES, percent / 100.0, MEMORY_BYTES));
    Found chosen = measure(choice.pageBytes(), PioBTree.Geometry.of(choice), percent);
    List<Found> sweep = new ArrayList<>();
    for (int pageBytes = 4 << 10; pageBytes <= 16 << 10; pageBytes *= 2) {
      for (int leaf = 1; leaf <= 16; leaf *= 2) {
        for (int queue = 1; queue <= MEMORY_BYTES / pageBytes / 2; queue *= 2) {
          sweep.add(
              measure(pageBytes, new PioBTree.Geometry(leaf, queue, 64, 5000, 5000), percent));
        }
      }
    }
    sweep.sort((a, b) -> Double.compare(a.nanos, b.nanos));
    Found best = sweep.getFirst();
    assertTrue(chosen.nanos <= 1.1 * best.nanos, () -> chosen + ", but " + best);
  }
}
