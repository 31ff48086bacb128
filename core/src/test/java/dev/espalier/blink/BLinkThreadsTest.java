// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.threads.KeyHistories;
import dev.espalier.threads.ThreadsContract;
import org.junit.jupiter.api.Test;

/** Several threads that write and read one tree at once. */
class BLinkThreadsTest extends ThreadsContract<BLinkTree> {
  private static final int WRITES = TestSize.share(20_000, 400_000);

  BLinkThreadsTest() {
    super(WRITES);
  }

  @Override
  protected BLinkTree tree() {
    return tree(256);
  }

  @Override
  protected void verifyAlone(BLinkTree index) {
    super.verifyAlone(index);
    // A thread that rested within its last operation may have kept pages waiting.
    index.tree.space.freeUnreachable();
    assertEquals(0, index.tree.space.outside());
  }

  private static BLinkTree tree(int pageBytes) {
    return BLinkTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes));
  }

  /** The memory of the pages begins small, and moves while it grows. */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInTheSmallestPages() throws Exception {
    try (BLinkTree index = tree(256)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
      assertTrue(index.tree.height() >= 3);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInPagesOfTheUsualSize() throws Exception {
    try (BLinkTree index = tree(4096)) {
      KeyHistories.run(index, 20_000, 2, 4, WRITES);
    }
  }
}
