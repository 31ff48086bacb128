// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranges that leave a PIO B-tree in a store by whole leaves, and what a crash leaves of them. */
@Timeout(120)
class PioRangesInStoreTest {
  private static final int KEYS = 3_000;

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(
              PagedTrees.options("PioBTree", 256, 40)
                  .withVariant(PagedTrees.withSmallParts("PioBTree")))
          .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);

  private final TreeMap<Long, Long> model = new TreeMap<>();

  /** What the index has held since what was last made safe, the oldest first. */
  private final List<TreeMap<Long, Long>> states = new ArrayList<>();

  private static IndexStore open(SimulatedDisk disk) {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(1), false, false);
    return new StoreOpening(SimulatedDisk.path("store"), OPTIONS, environment).open();
  }

  /** Fills an index with keys in no order, of which the last wait in the queue. */
  private void fill(LongIndex index) {
    model.clear();
    for (long i = 0; i < KEYS; i++) {
      long key = i * 1_777 % KEYS;
      index.set(key, i);
      model.put(key, i);
    }
  }

  private void removeRange(LongIndex index, long from, long to) {
    int size = model.size();
    model.subMap(from, to).clear();
    note();
    assertEquals(size - model.size(), index.removeRange(from, true, to, false));
  }

  private void put(LongIndex index, long from, long to) {
    for (long key = from; key < to; key++) {
      model.put(key, -key);
      note();
      index.put(key, -key);
    }
  }

  private void note() {
    states.add(new TreeMap<>(model));
  }

  private void noteAllIsSafe() {
    states.clear();
    note();
  }

  // ---------------------------------------------------------------- one record

  @Test
  void rangeIsOneRecordWhichIsCarriedOutAgain() {
    SimulatedDisk disk = DiskTrials.disk(1);
    IndexStore store = open(disk);
    LongIndex index = store.index("a");
    fill(index);
    store.checkpoint();
    removeRange(index, 500, 2_500);
    store.commit();
    PagedTrees.assertHolds(model, index);
    disk.losePower();
    closeAfterCrash(store);
    disk.restart(CrashPlan.NOTHING);
    try (IndexStore again = open(disk)) {
      assertEquals(1, again.recovery().records());
      assertEquals(1, again.recovery().writes());
      PagedTrees.assertHolds(model, again.index("a"));
      again.verify();
    }
    try (IndexStore third = open(disk)) {
      assertTrue(third.recovery().wasClean());
      PagedTrees.assertHolds(model, third.index("a"));
    }
  }

  private static void closeAfterCrash(IndexStore store) {
    try {
      store.close();
    } catch (PageFileException | PowerLostException lost) {
      // The power was lost before.
    }
  }

  // ---------------------------------------------------------------- crashes

  @Test
  void rangesAreThereAsAWholeOrGoneWheneverPowerIsLost() {
    int crashes = 0;
    boolean hasCrashed = true;
    for (int at = TestSize.after(0); hasCrashed; at = TestSize.after(at)) {
      SimulatedDisk disk = DiskTrials.disk(at);
      try (IndexStore store = open(disk)) {
        fill(store.index("a"));
      }
      noteAllIsSafe();
      disk.restart(CrashPlan.powerLossAt(at));
      hasCrashed = crashes(disk);
      crashes += hasCrashed ? 1 : 0;
      disk.restart(CrashPlan.NOTHING);
      try (IndexStore again = open(disk)) {
        LongIndex index = again.index("a");
        index.verify();
        again.verify();
        TreeMap<Long, Long> found = new TreeMap<>(index.asMap());
        assertTrue(states.contains(found), "at " + at + ": " + found.size() + " entries");
      }
    }
    assertTrue(crashes > 10, "crashes: " + crashes);
  }

  /** Removes ranges between other writes; returns whether the power was lost. */
  private boolean crashes(SimulatedDisk disk) {
    IndexStore store = null;
    try {
      store = open(disk);
      LongIndex index = store.index("a");
      removeRange(index, 100, 1_400);
      put(index, 600, 640);
      store.commit();
      noteAllIsSafe();
      removeRange(index, 620, 2_200);
      store.checkpoint();
      noteAllIsSafe();
      put(index, 10, 40);
      removeRange(index, 0, 2_900);
      put(index, 1_000, 1_010);
      store.commit();
      noteAllIsSafe();
      removeRange(index, Long.MIN_VALUE, Long.MAX_VALUE);
      store.close();
      return false;
    } catch (PageFileException | PowerLostException | IllegalStateException lost) {
      if (store != null) {
        closeAfterCrash(store);
      }
      return true;
    }
  }
}
