// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Nothing in this module depends on the interrupt status but in the named places. */
final class InterruptibleCallsTest {
  /** All wait until the end, however often they are interrupted, and leave the status set. */
  private static final Set<String> UNINTERRUPTIBLE_WAITS =
      Set.of(
          "dev.espalier.memory.Region: LockSupport.parkNanos",
          "dev.espalier.support.Waits: LockSupport.parkNanos",
          "dev.espalier.support.Waits: Thread.join");

  /** Opens another channel if an interrupt has closed it, and sets the status again. */
  private static final String REPEATED = "dev.espalier.memory.EmptyFile: FileChannel";

  @Test
  void nothingWaitsInterruptiblyButInNamedPlaces() throws Exception {
    Set<String> named = new TreeSet<>(UNINTERRUPTIBLE_WAITS);
    named.add(REPEATED);
    assertEquals(named, InterruptibleCalls.inModuleOf(LongIndex.class));
  }

  /** What must be found; never called. */
  @SuppressWarnings("unused")
  private static final class Uses {
    static void all(Path file, Future<String> task, CountDownLatch latch) throws Exception {
      FileChannel.open(file).close();
      Files.newByteChannel(file).close();
      task.get();
      Thread.sleep(1);
      LockSupport.park();
      latch.wait();
      AutoCloseable end = latch::await;
      end.close();
    }
  }

  @Test
  void usesAreFound() throws Exception {
    String user = InterruptibleCallsTest.class.getName() + ": ";
    Set<String> found =
        InterruptibleCalls.inModuleOf(Uses.class).stream()
            .filter(use -> use.startsWith(user))
            .map(use -> use.substring(user.length()))
            .collect(Collectors.toSet());
    Set<String> expected =
        Set.of(
            "FileChannel",
            "Files.newByteChannel",
            "Future.get",
            "Thread.sleep",
            "LockSupport.park",
            "CountDownLatch.await");
    assertTrue(found.containsAll(expected), found::toString);
    assertTrue(
        found.contains("Object.wait") || found.contains("CountDownLatch.wait"), found::toString);
  }
}
