// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.TestSize;
import dev.espalier.threads.ShortHistories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BLinkLinearizabilityTest {

  @Test
  void shortHistoriesAreLinearizable() throws Exception {
    ShortHistories.check(
        options -> BLinkTree.open(options, options.pagesInMemory(256)),
        TestSize.share(300, 10_000));
  }
}
