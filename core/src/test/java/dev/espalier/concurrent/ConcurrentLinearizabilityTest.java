// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.TestSize;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import dev.espalier.threads.ShortHistories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("fallback-thorough")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrentLinearizabilityTest {

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2"})
  void shortHistoriesAreLinearizable(int innerWidth, int leafWidth) throws Exception {
    Geometry geometry = new Geometry(innerWidth, leafWidth);
    ShortHistories.check(
        options -> {
          ConcurrentPbPlusTree index = ConcurrentPbPlusTree.create(options, geometry);
          index.tree.beforeStep = Thread::yield; // Gives others time between two steps.
          return index;
        },
        TestSize.share(15, 1_000));
  }
}
