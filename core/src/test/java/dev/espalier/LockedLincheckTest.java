// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.bplus.PbPlusTree;
import dev.espalier.threads.Lincheck;
import dev.espalier.threads.LincheckOperations;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("thorough")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LockedLincheckTest {

  /** Lookups look at the count of writes, and take no lock. */
  public static final class BehindACount extends LincheckOperations {
    public BehindACount() {
      super(
          PbPlusTree.create(IndexOptions.DEFAULT, new PbPlusTree.Geometry(1, 1, 1))
              .withReadWriteLock(),
          7);
    }
  }

  @Test
  void operationsBehindALockAreLinearizable() throws Exception {
    Lincheck.check(BehindACount.class);
  }
}
