// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.IndexOptions;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import dev.espalier.threads.Lincheck;
import dev.espalier.threads.LincheckOperations;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrentLincheckTest {

  /** Leaves of three entries, four of them at the beginning. */
  public static final class OverNodesOfOneLine extends LincheckOperations {
    public OverNodesOfOneLine() {
      super(create(), 7);
    }

    private static ConcurrentPbPlusTree create() {
      ConcurrentPbPlusTree index =
          ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 1));
      index.tree.beforeStep = Thread::yield; // Gives others time between two steps.
      return index;
    }
  }

  @Tag("thorough")
  @Test
  void operationsAreLinearizable() throws Exception {
    Lincheck.check(OverNodesOfOneLine.class);
  }
}
