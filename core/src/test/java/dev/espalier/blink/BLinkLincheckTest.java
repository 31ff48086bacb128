// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.IndexOptions;
import dev.espalier.threads.Lincheck;
import dev.espalier.threads.LincheckOperations;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("thorough")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BLinkLincheckTest {

  /** A leaf of twelve entries that is almost full. */
  public static final class OverSmallPages extends LincheckOperations {
    public OverSmallPages() {
      super(BLinkTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256)), 10);
    }
  }

  @Test
  void operationsAreLinearizable() throws Exception {
    Lincheck.check(OverSmallPages.class);
  }
}
