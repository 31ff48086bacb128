// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a file whose engine has no ring. One that has nothing to do for a second ends, so
 * a file that is idle, or was dropped without being closed, has none.
 */
class IoThreads extends ThreadPoolExecutor {
  /** As many requests as an SSD answers at once, most of the time. */
  static final int MOST = 16;

  private static final long IDLE_SECONDS = 1;

  IoThreads() {
    super(
        MOST,
        MOST,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        Thread.ofPlatform().daemon().name("espalier-io-", 0).factory());
    allowCoreThreadTimeOut(true);
  }
}
