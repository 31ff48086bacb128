// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ffi.IoRequest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Errors in the threads of an engine, and in those that hand requests over, as for want of stack or
 * memory: whoever waits for a batch does not wait for ever, and no request is under way any more
 * when the batch has ended.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ErrorsInTransfersTest {
  private static final int BLOCK = 512;
  private static final int REQUESTS = 8;
  private static final IoStatus STATUS = new IoStatus(IoStatus.Engine.THREADS, true, "a test", "");

  @TempDir Path folder;

  private final IoBatch batch = new IoBatch(Arena.ofAuto().allocate(REQUESTS * BLOCK, 8), REQUESTS);

  private Path makeFile() throws IOException {
    for (int i = 0; i < REQUESTS; i++) {
      batch.add((long) i * BLOCK, (long) i * BLOCK, BLOCK);
    }
    return Files.write(folder.resolve("file"), new byte[REQUESTS * BLOCK]);
  }

  private static StackOverflowError ordered() {
    return new StackOverflowError("as ordered");
  }

  /** Checks that just the requests of some numbers have failed. */
  private void assertFailed(int from, int to) {
    for (int i = 0; i < REQUESTS; i++) {
      int expected = i >= from && i < to ? -Errno.EIO : BLOCK;
      assertEquals(expected, IoRequest.result(batch.requests(), i), "request " + i);
    }
  }

  // ---------------------------------------------------------------- threads

  private ThreadPageFile open(IoThreads threads, int failing) throws IOException {
    EngineUnderTest.THREADS.assumeItRuns();
    return (ThreadPageFile)
        ThreadPageFile.of(
            Descriptor.open(makeFile(), Access.WRITE, BLOCK),
            STATUS,
            threads,
            (file, requests, request, writes) -> {
              if (request == failing) {
                throw ordered();
              }
              return DescriptorFile.move(file, requests, request, writes);
            });
  }

  /** Threads of which none comes, or which do all before anybody waits. */
  private static IoThreads threads(boolean come) {
    return new IoThreads() {
      @Override
      public void execute(Runnable task) {
        if (come) {
          try {
            task.run();
          } catch (StackOverflowError ofTheThread) {
            // It ends the thread.
          }
        }
      }
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, REQUESTS - 1})
  void anErrorOfAThreadFailsOneRequest(int failing) throws IOException {
    try (PageFile file = open(threads(true), failing)) {
      file.startRead(batch);
      PageFileException failed = assertThrows(PageFileException.class, () -> file.finish(batch));
      assertEquals(Errno.EIO, failed.errno());
      assertFailed(failing, failing + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, REQUESTS - 1})
  void anErrorOfTheOneThatWaitsIsThrownWhenAllHaveEnded(int failing) throws IOException {
    try (PageFile file = open(threads(false), failing)) {
      file.startRead(batch);
      assertThrows(StackOverflowError.class, () -> file.finish(batch));
      assertTrue(file.isDone(batch));
      assertFailed(failing, failing + 1);
      assertThrows(PageFileException.class, () -> file.finish(batch));
    }
  }

  // ---------------------------------------------------------------- channel

  /** Threads of which each takes a request, up to one that can't be made. */
  private static ChannelPageFile.Threads failingAfter(int most) {
    AtomicInteger made = new AtomicInteger();
    return new ChannelPageFile.Threads(
        task -> {
          if (made.getAndIncrement() == most) {
            throw ordered();
          }
          return Thread.ofPlatform().daemon().unstarted(task);
        });
  }

  @ParameterizedTest
  @CsvSource({"0, true", "3, true", "7, true", "0, false", "3, false", "7, false"})
  void whatAChannelCantHandOverFailsAndTheBatchEnds(int most, boolean starts) throws IOException {
    try (PageFile file =
        ChannelPageFile.open(makeFile(), Access.READ, STATUS, failingAfter(most))) {
      if (starts) {
        assertThrows(StackOverflowError.class, () -> file.startRead(batch));
        assertThrows(PageFileException.class, () -> file.finish(batch));
      } else {
        assertThrows(StackOverflowError.class, () -> file.read(batch));
      }
      assertTrue(file.isDone(batch));
      assertFailed(most, REQUESTS);
    }
  }

  @Test
  void aFailureThatCantBeReadIsOne() throws IOException {
    try (ChannelPageFile file =
        (ChannelPageFile)
            ChannelPageFile.open(makeFile(), Access.READ, STATUS, new ChannelPageFile.Threads())) {
      CountDownLatch left = new CountDownLatch(1);
      IoRequest.result(batch.requests(), 0, IoRequest.PENDING);
      IOException unreadable =
          new IOException() {
            @Override
            public String getMessage() {
              throw ordered();
            }
          };
      ChannelPageFile.Completion completion = new ChannelPageFile.Completion(batch, 0, left);
      assertThrows(StackOverflowError.class, () -> completion.failed(unreadable, file));
      assertEquals(0, left.getCount());
      assertEquals(-Errno.EIO, IoRequest.result(batch.requests(), 0));
    }
  }
}
