// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is finished has ended: whoever finishes it waits for nobody. */
@Timeout(60)
class EndedBatchesTest {
  private static final int BLOCK = 512;
  private static final int REQUESTS = 8;

  @TempDir Path folder;

  /** It may have the lock of a pool, and the other thread may wait for a device. */
  @Test
  void batchThatHasEndedIsFinishedWhileAnotherThreadHasItsRing() throws Exception {
    byte[] bytes = new byte[REQUESTS * BLOCK];
    new Random(1).nextBytes(bytes);
    Path path = Files.write(folder.resolve("file"), bytes);
    try (PageFile file = EngineUnderTest.RING.open(path, Access.READ)) {
      CountDownLatch finished = new CountDownLatch(1);
      WeakReference<IoBatch> batch;
      try {
        batch = readBesideAnother(file, bytes, finished);
      } finally {
        finished.countDown();
      }
      while (batch.get() != null) { // The ring does not keep it.
        System.gc();
        Thread.sleep(10);
      }
      assertNull(batch.get());
    }
  }

  private static WeakReference<IoBatch> readBesideAnother(
      PageFile file, byte[] expected, CountDownLatch finished) {
    IoBatch batch = new IoBatch(Arena.ofAuto().allocate(expected.length, 8), REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
      batch.add((long) i * BLOCK, (long) i * BLOCK, BLOCK);
    }
    file.startRead(batch);
    while (!file.isDone(batch)) {
      Thread.onSpinWait();
    }
    Lane lane = (Lane) Objects.requireNonNull(batch.attachment);
    CountDownLatch taken = new CountDownLatch(1);
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              lane.take();
              taken.countDown();
              Waiting.await(finished);
              lane.giveBack();
            });
    Waiting.await(taken);
    assertTimeoutPreemptively(Duration.ofSeconds(30), () -> file.finish(batch));
    assertArrayEquals(expected, batch.memory().toArray(ValueLayout.JAVA_BYTE));
    return new WeakReference<>(batch);
  }
}
