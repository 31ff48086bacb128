// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.threads.KeyHistories;
import dev.espalier.threads.ThreadsContract;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several threads that write and read one tree at once, and flush its queue. */
class PioThreadsTest extends ThreadsContract<PioBTree> {
  private static final int WRITES = TestSize.share(20_000, 400_000);

  PioThreadsTest() {
    super(WRITES);
  }

  @Override
  protected PioBTree tree() {
    return tree(256, 2, 4, 30);
  }

  private static PioBTree tree(int pageBytes, int segments, int queuePages, int batchCount) {
    return PioBTree.open(
        IndexOptions.DEFAULT,
        IndexOptions.DEFAULT.pagesInMemory(pageBytes),
        new PioBTree.Geometry(segments, queuePages, 64, 5000, batchCount));
  }

  /** The memory of the pages begins small, and moves while it grows. */
  @ParameterizedTest
  @CsvSource({"256, 1, 1, 1000", "256, 2, 4, 30", "256, 3, 20, 5000", "4096, 2, 16, 1000"})
  void everyAnswerFollowsFromTheWritesOfTheKey(
      int pageBytes, int segments, int queuePages, int batchCount) throws Exception {
    try (PioBTree index = tree(pageBytes, segments, queuePages, batchCount)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
      assertTrue(index.tree.meta[PioStructure.IN_LEAVES] > 0, "the queue was flushed");
    }
  }

  /** Each key has its own writer, which does not look, and so knows what must be there. */
  @Test
  @Tag("thorough")
  void writesThatDoNotLookAreAllThere() throws Exception {
    try (PioBTree index = tree(256, 2, 8, 40)) {
      int keys = 3000;
      List<Future<long[]>> writers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int writer = i;
        writers.add(threads.submit(() -> writeBlind(index, writer, keys)));
      }
      long[] last = new long[4 * keys];
      for (int i = 0; i < 4; i++) {
        long[] own = writers.get(i).get();
        for (int j = 0; j < keys; j++) {
          last[4 * j + i] = own[j];
        }
      }
      index.verify();
      long there = 0;
      for (int key = 0; key < last.length; key++) {
        assertEquals(last[key], index.getOrDefault(key, 0), "key " + key);
        there += last[key] != 0 ? 1 : 0;
      }
      assertEquals(there, index.size());
      index.verify();
    }
  }

  private static long[] writeBlind(LongIndex index, int writer, int keys) {
    SplittableRandom random = new SplittableRandom(writer);
    long[] last = new long[keys];
    for (int i = 1; i <= WRITES; i++) {
      int number = random.nextInt(keys);
      long key = 4L * number + writer;
      if (random.nextInt(3) == 0) {
        index.delete(key);
        last[number] = 0;
      } else {
        index.set(key, i);
        last[number] = i;
      }
      if (i % 64 == 0) {
        assertEquals(last[number], index.getOrDefault(key, 0), "what this thread has written");
        index.size();
      }
    }
    return last;
  }
}
