// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import dev.espalier.threads.KeyHistories;
import dev.espalier.threads.ThreadsContract;
import org.junit.jupiter.api.Test;

/** Several threads that write and read one tree at once. */
class FpbLinkThreadsTest extends ThreadsContract<FpbLinkTree> {
  private static final int WRITES = TestSize.share(20_000, 400_000);

  FpbLinkThreadsTest() {
    super(WRITES);
  }

  @Override
  protected FpbLinkTree tree() {
    return tree(256, 1, 1);
  }

  @Override
  protected void verifyAlone(FpbLinkTree index) {
    super.verifyAlone(index);
    assertEquals(0, index.tree.space.outside());
  }

  private static FpbLinkTree tree(int pageBytes, int innerWidth, int leafWidth) {
    return FpbLinkTree.open(
        IndexOptions.DEFAULT,
        IndexOptions.DEFAULT.pagesInMemory(pageBytes),
        new Geometry(innerWidth, leafWidth));
  }

  /** The memory of the pages begins small, and moves while it grows. */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInTheSmallestPages() throws Exception {
    try (FpbLinkTree index = tree(256, 1, 1)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
      assertTrue(index.tree.height() >= 3);
    }
  }

  /** Pages of three levels within, whose leaves are split all the time. */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInPagesWithManySmallNodes() throws Exception {
    try (FpbLinkTree index = tree(1024, 1, 1)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInPagesOfTheUsualSize() throws Exception {
    try (FpbLinkTree index = tree(4096, 2, 5)) {
      KeyHistories.run(index, 20_000, 2, 4, WRITES);
    }
  }
}
