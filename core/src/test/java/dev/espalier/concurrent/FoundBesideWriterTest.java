// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Batches that are told which keys are there, while another thread inserts: groups whose lookups
 * fail, because nodes change or memory grows under them, are told no more than others.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FoundBesideWriterTest {
  private static final int KEYS = 50_000;
  private static final int ROUNDS = TestSize.share(5, 50);
  private static final int BATCH = 100;

  @Test
  void keysThatWereNeverThereAreNotFound() throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      try (ConcurrentPbPlusTree tree = ConcurrentPbPlusTree.create(IndexOptions.DEFAULT)) {
        for (long key = 0; key < KEYS; key += 2) {
          tree.put(key, -key);
        }
        Thread writer =
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (long key = KEYS; key < 3 * KEYS; key++) {
                        tree.put(key, key);
                      }
                    });
        Random random = new Random(round);
        while (writer.isAlive()) {
          lookUp(tree, random.longs(BATCH, 0, KEYS).toArray());
        }
        assertFalse(Thread.interrupted(), "memory was taken from a reader");
        writer.join();
      }
    }
  }

  private static void lookUp(ConcurrentPbPlusTree tree, long[] keys) {
    long[] values = new long[BATCH];
    long[] found = new long[2];
    tree.getAll(keys, values, found);
    for (int i = 0; i < BATCH; i++) {
      boolean isFound = (found[i >> 6] >>> i & 1) != 0;
      assertEquals(keys[i] % 2 == 0, isFound, () -> "whether a key is found");
      assertEquals(isFound ? -keys[i] : tree.missingValue(), values[i]);
    }
  }
}
