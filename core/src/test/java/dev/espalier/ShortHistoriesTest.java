// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.threads.ShortHistories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What threads are answered about the same keys, by every index that many threads may use. */
@Tag("fallback-exhaustive")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShortHistoriesTest {

  @Drawn(false)
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#forThreads")
  void shortHistoriesAreLinearizable(TreeShape shape) throws Exception {
    ShortHistories.check(shape::create, TestSize.share(100, 4000));
  }
}
