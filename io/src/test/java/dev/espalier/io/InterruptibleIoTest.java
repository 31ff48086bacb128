// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.InterruptibleCalls;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Nothing in this module depends on the interrupt status but in the named places. */
final class InterruptibleIoTest {
  /** These wait until the end, however often they are interrupted, and set the status again. */
  private static final Set<String> UNINTERRUPTIBLE_WAITS =
      Set.of(
          "dev.espalier.io.Waiting: CountDownLatch.await",
          "dev.espalier.io.Waiting: ExecutorService.awaitTermination",
          "dev.espalier.io.Waiting: ReentrantLock.tryLock",
          "dev.espalier.io.Waiting: TimeUnit.sleep",
          "dev.espalier.io.WriterGate: LockSupport.park",
          "dev.espalier.io.WriterGate: LockSupport.parkNanos");

  /** A thread of the stores' own, which clears its status. */
  private static final String OWN_THREAD = "dev.espalier.io.Caretaker: LockSupport.parkNanos";

  @Test
  void nothingWaitsInterruptiblyButInNamedPlaces() throws Exception {
    Set<String> named = new TreeSet<>(UNINTERRUPTIBLE_WAITS);
    named.add(OWN_THREAD);
    assertEquals(named, InterruptibleCalls.inModuleOf(IndexStore.class));
  }
}
