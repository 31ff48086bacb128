// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.blink.KeyHistories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that write and read one tree at once, and memory that moves while it grows. */
@Tag("fallback-too")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrentThreadsTest {
  private static final int WRITES = TestSize.of(20_000, 400_000);

  private static ConcurrentPbPlusTree tree(int innerWidth, int leafWidth) {
    return ConcurrentPbPlusTree.create(
        IndexOptions.DEFAULT, new ConcurrentPbPlusTree.Geometry(innerWidth, leafWidth));
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInTheSmallestNodes() throws Exception {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInNodesOfTheUsualSize() throws Exception {
    try (ConcurrentPbPlusTree index = tree(8, 8)) {
      KeyHistories.run(index, 20_000, 2, 4, WRITES);
    }
  }

  /** Nodes of three lines do not fill the memory, which begins small, to its end. */
  @Test
  void splitOfARootThatNeedsTwoNodesGetsBothWhereTheMemoryEnds() {
    for (int leafWidth = 1; leafWidth <= 8; leafWidth++) {
      try (ConcurrentPbPlusTree index = tree(3, leafWidth)) {
        for (long key = 0; key < 5000; key++) {
          index.put(key * 31 % 5000, key);
        }
        index.verify();
        assertEquals(5000, index.size());
      }
    }
  }
}
