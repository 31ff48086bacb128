// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.TestSize;
import dev.espalier.threads.ShortHistories;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PioLinearizabilityTest {

  /** The fewer pages the queue has, the more flushes there are. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 3", "3, 16"})
  void shortHistoriesAreLinearizable(int segments, int queuePages) throws Exception {
    PioBTree.Geometry geometry = new PioBTree.Geometry(segments, queuePages, 64, 30, 25);
    ShortHistories.check(
        options -> PioBTree.open(options, options.pagesInMemory(256), geometry),
        TestSize.share(100, 4000));
  }
}
