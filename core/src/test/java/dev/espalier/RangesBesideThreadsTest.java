// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.threads.BulkloadHistories;
import dev.espalier.threads.RangeHistories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations on ranges of every index that many threads may use, with others at work. */
@Tag("fallback-exhaustive")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RangesBesideThreadsTest {

  @Drawn(false)
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#forThreads")
  void rangesAreRemovedAndCountedExactlyWhateverOthersDo(TreeShape shape) {
    RangeHistories.check(() -> shape.create(IndexOptions.DEFAULT), TestSize.share(2, 1000), 400);
  }

  @Drawn(false)
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#forThreads")
  void aBulkloadIsThereAsAWholeOrNotAtAllWhateverOthersDo(TreeShape shape) {
    BulkloadHistories.check(() -> shape.create(IndexOptions.DEFAULT), TestSize.share(1, 300), 30);
  }
}
