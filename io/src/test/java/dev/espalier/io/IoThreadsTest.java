// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class IoThreadsTest {
  @Test
  @Timeout(60)
  void threadsComeWithTheirTasksAndEndWhenThereAreNone() throws InterruptedException {
    try (IoThreads threads = new IoThreads()) {
      CountDownLatch goOn = new CountDownLatch(1);
      for (int i = 0; i < IoThreads.MOST + 1; i++) {
        threads.execute(() -> Waiting.await(goOn));
      }
      assertEquals(IoThreads.MOST, threads.getPoolSize());
      goOn.countDown();
      while (threads.getPoolSize() > 0) {
        Thread.sleep(10);
      }
      assertEquals(IoThreads.MOST + 1, threads.getCompletedTaskCount());
    }
  }
}
