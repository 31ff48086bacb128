// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PageTimes;
import dev.espalier.model.PioChoice;
import dev.espalier.model.PioWork;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A PIO B-tree whose proportions are chosen when it is opened. */
final class PioTunedTest {
  private static final int PAGE_BYTES = 4096;
  private static final PioWork SEARCHES = new PioWork(10_000_000, 0, 16 << 20);
  private static final PioWork UPDATES = new PioWork(10_000_000, 1, 16 << 20);

  /** A leaf of any number of pages is read in the time of one. */
  private static final DeviceProfile DEVICE =
      new DeviceProfile(
          "made up",
          List.of(
              new PageTimes(
                  PAGE_BYTES,
                  List.of(100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0),
                  List.of(100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0))));

  private static MemoryPageStore newStore() {
    return new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
  }

  private static PioBTree open(PioWork work, PageStore store) {
    return (PioBTree) PioBTree.tuned(DEVICE, work).open(IndexOptions.DEFAULT, store);
  }

  @Test
  void newTreeHasWhatTheModelChoosesAndSaysWhy() {
    PioChoice choice = PioChoice.of(DEVICE, UPDATES);
    try (PioBTree index = open(UPDATES, newStore())) {
      assertEquals(PioBTree.Geometry.of(choice), index.tree.geometry);
      assertEquals(choice.reason(), index.statistics().choice());
      index.put(1, 2);
      index.shrink();
      assertEquals(choice.reason(), index.statistics().choice());
    }
  }

  @Test
  void treeThatWasNotTunedSaysNothing() {
    try (LongIndex index = PioBTree.create(IndexOptions.DEFAULT)) {
      assertEquals("", index.statistics().choice());
    }
  }

  @Test
  void treeThatIsThereKeepsItsLeavesAndGetsAnotherQueue() {
    try (MemoryPageStore store = newStore()) {
      PioBTree first = open(SEARCHES, store);
      int before = first.tree.geometry.leafSegments();
      assertEquals(1, first.tree.geometry.queuePages());
      for (int i = 0; i < 1000; i++) {
        first.set(i, -i);
      }
      first.flush();
      try (PioBTree index = open(UPDATES, store)) {
        assertEquals(before, index.tree.geometry.leafSegments());
        assertTrue(index.tree.geometry.queuePages() > 1, index.tree.geometry::toString);
        index.verify();
        assertEquals(1000, index.size());
      }
    }
  }
}
