// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.LongIndex;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What may be written to while a checkpoint waits for the device. */
class CheckpointSlotsTest {
  /** Random runs hardly ever write to such a slot just then. */
  @Test
  void slotsOfTheLastCheckpointAreBusyUntilTheNextOneIsDurable() {
    ForceHook hook = new ForceHook(DiskTrials.disk(1));
    StoreOptions options =
        StoreOptions.DEFAULT.withFiles(
            FileOptions.DEFAULT.withPageBytes(512).withPoolBytes(64 * 512));
    StoreEnvironment environment =
        new StoreEnvironment(hook, new SplittableRandom(1), false, false);
    try (IndexStore store =
        new StoreOpening(SimulatedDisk.path("store"), options, environment).open()) {
      LongIndex index = store.index("a");
      for (int round = 0; round < 4; round++) {
        for (long key = 0; key < 1_000; key++) {
          index.set(key, key + round);
        }
        SlotSpace space = store.state().space;
        BitSet durable = space.account().durable();
        int[] calls = {0};
        hook.during(
            store::checkpoint,
            () -> {
              calls[0]++;
              BitSet free = (BitSet) durable.clone();
              free.andNot(space.account().busy());
              assertEquals(new BitSet(), free, "force " + (calls[0] + 1) / 2);
            });
        assertEquals(4, calls[0]);
      }
    }
  }
}
