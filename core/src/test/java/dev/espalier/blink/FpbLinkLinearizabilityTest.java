// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.TestSize;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import dev.espalier.threads.ShortHistories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FpbLinkLinearizabilityTest {

  @Test
  void shortHistoriesAreLinearizable() throws Exception {
    ShortHistories.check(
        options -> FpbLinkTree.open(options, options.pagesInMemory(256), new Geometry(1, 1)),
        TestSize.share(300, 10_000));
  }
}
