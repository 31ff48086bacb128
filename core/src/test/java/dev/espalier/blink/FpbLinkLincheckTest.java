// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.threads.Lincheck;
import dev.espalier.threads.LincheckOperations;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("thorough")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FpbLinkLincheckTest {

  /** A leaf page of six entries, so that one more splits it. */
  public static final class OverSmallPages extends LincheckOperations {
    public OverSmallPages() {
      super(FpbLinkTreeTest.tree(), 5);
    }
  }

  @Test
  void operationsAreLinearizable() throws Exception {
    Lincheck.check(OverSmallPages.class);
  }
}
