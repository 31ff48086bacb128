// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ffi.IoRequest;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of requests that a loop takes in part, on a loop that a test makes up. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NettyRingTest {
  private static final int BLOCK = 512;
  private static final int REQUESTS = 4;

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private int taken;

  /** How many requests the ring takes before an error comes. */
  private int most;

  /** Whether an error comes when a task is handed over, before or after the loop has it. */
  private @Nullable Boolean isTakenBeforeError;

  private final IoRegistration registration =
      (IoRegistration)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {IoRegistration.class},
              (_, method, _) -> {
                if (!method.getName().equals("submit")) {
                  return true;
                }
                if (taken == most) {
                  throw new StackOverflowError("says a test");
                }
                taken++;
                return 1L;
              });

  private final IoEventLoop loop =
      (IoEventLoop)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {IoEventLoop.class},
              (_, method, arguments) ->
                  switch (method.getName()) {
                    case "register" ->
                        ImmediateEventExecutor.INSTANCE.newSucceededFuture(registration);
                    case "terminationFuture" ->
                        new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
                    case "execute" -> execute((Runnable) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.toString());
                  });

  private final NettyRing ring = NettyRing.register(loop, Path.of("file"), 7);

  private boolean execute(Runnable task) {
    if (isTakenBeforeError == null || isTakenBeforeError) {
      tasks.add(task);
      if (isTakenBeforeError != null) {
        task.run(); // By the thread of the loop.
      }
    }
    if (isTakenBeforeError != null) {
      throw new StackOverflowError("says a test");
    }
    return true;
  }

  private static IoBatch batch() {
    IoBatch batch = new IoBatch(Arena.ofAuto().allocate(REQUESTS * BLOCK, 8), REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
      batch.add((long) i * BLOCK, (long) i * BLOCK, BLOCK);
      IoRequest.result(batch.requests(), i, IoRequest.PENDING);
    }
    return batch;
  }

  /** Does what the loop does with a task: an error does not end it. */
  private void runTask() {
    try {
      tasks.remove().run();
    } catch (StackOverflowError told) {
      assertEquals("says a test", told.getMessage());
    }
  }

  private void answer(int number) {
    ring.handle(registration, new IoUringIoEvent(BLOCK, 0, (byte) 0, number));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, REQUESTS - 1})
  void whatIsNotHandedOverFailsAndTheBatchEndsWithTheRest(int most) {
    this.most = most;
    IoBatch batch = batch();
    NettyRing.Submission submission = ring.submit(batch);
    runTask();
    assertEquals(most == 0, submission.hasEnded());
    for (int i = 0; i < most; i++) {
      assertFalse(submission.hasEnded());
      answer(i);
    }
    submission.await();
    for (int i = 0; i < REQUESTS; i++) {
      assertEquals(i < most ? BLOCK : -Errno.EIO, IoRequest.result(batch.requests(), i));
    }
    ring.deregister(); // Waits for nobody.
  }

  @Test
  void aBatchEndsWithItsLastAnswer() {
    most = 2 * REQUESTS;
    IoBatch batch = batch();
    for (int round = 0; round < 2; round++) {
      NettyRing.Submission submission = ring.submit(batch);
      runTask();
      for (int i = REQUESTS - 1; i >= 0; i--) {
        assertFalse(submission.hasEnded());
        answer(i);
      }
      assertTrue(submission.hasEnded());
      for (int i = 0; i < REQUESTS; i++) {
        assertEquals(BLOCK, IoRequest.result(batch.requests(), i));
        IoRequest.result(batch.requests(), i, IoRequest.PENDING);
      }
    }
    ring.deregister();
  }

  /** Closing the file would wait for it for ever. */
  @Test
  void aBatchThatCantBeHandedOverHasFailed() {
    isTakenBeforeError = false;
    IoBatch batch = batch();
    assertThrows(StackOverflowError.class, () -> ring.submit(batch));
    for (int i = 0; i < REQUESTS; i++) {
      assertEquals(-Errno.ESHUTDOWN, IoRequest.result(batch.requests(), i));
    }
    ring.deregister();
  }

  @Test
  void aBatchThatTheLoopHasGoesOnWhateverErrorComesThen() {
    most = REQUESTS;
    isTakenBeforeError = true;
    NettyRing.Submission submission = ring.submit(batch());
    isTakenBeforeError = null;
    runTask(); // Once more, which does nothing.
    assertEquals(REQUESTS, taken);
    for (int i = 0; i < REQUESTS; i++) {
      assertFalse(submission.hasEnded());
      answer(i);
    }
    assertTrue(submission.hasEnded());
    ring.deregister();
  }
}
