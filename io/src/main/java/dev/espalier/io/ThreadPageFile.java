// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The engine where native access is granted but io_uring does not run: positioned reads and writes,
 * on a few threads and on the one that waits. A single request needs no other thread.
 */
final class ThreadPageFile extends DescriptorFile {
  private final IoThreads threads;
  private final Mover mover;

  /** Moves the bytes of a request of a file, and returns the result. */
  @FunctionalInterface
  interface Mover {
    int move(int file, MemorySegment requests, int request, boolean writes);
  }

  private ThreadPageFile(Descriptor descriptor, IoStatus status, IoThreads threads, Mover mover) {
    super(descriptor, status);
    this.threads = threads;
    this.mover = mover;
  }

  /**
   * Makes a file from a descriptor, which the file closes.
   *
   * @param status the status, which says why this engine runs
   */
  static PageFile of(Descriptor descriptor, IoStatus status) {
    return of(descriptor, status, new IoThreads());
  }

  /** Makes a file whose requests are moved by given threads, which it shuts down. */
  static PageFile of(Descriptor descriptor, IoStatus status, IoThreads threads) {
    return of(descriptor, status, threads, DescriptorFile::move);
  }

  /**
   * Makes a file whose requests are moved otherwise than by the system, where a test wants that.
   */
  static PageFile of(Descriptor descriptor, IoStatus status, IoThreads threads, Mover mover) {
    return new ThreadPageFile(descriptor, status, threads, mover);
  }

  @Override
  void submit(IoBatch batch) {
    begin(batch, batch.count());
  }

  @Override
  void await(IoBatch batch) {
    Submission submission =
        (Submission) Objects.requireNonNull(batch.attachment, "batch was not started");
    try {
      submission.run();
      Waiting.await(submission.left);
    } catch (RuntimeException | Error failed) {
      submission.giveUp();
      throw failed;
    }
  }

  @Override
  void transfer(IoBatch batch) {
    // What goes into memory takes no longer than to wake a thread.
    boolean isForMemory = batch.writes && alignment() == 1;
    begin(batch, isForMemory ? 0 : batch.count() - 1);
    await(batch);
  }

  private void begin(IoBatch batch, int helpers) {
    Submission submission = new Submission(batch, this);
    batch.attachment = submission;
    try {
      for (int i = 0; i < Math.min(helpers, IoThreads.MOST); i++) {
        threads.execute(submission);
      }
    } catch (RuntimeException | Error failed) {
      submission.giveUp();
      throw failed;
    }
  }

  @Override
  void stopTransfers() {
    threads.close();
  }

  /** The requests of a batch, each of which goes to the thread that comes first. */
  private static final class Submission implements Runnable {
    private final IoBatch batch;

    /** As long as it can be reached, the number is that of the file. */
    private final Gate gate;

    private final int file;
    private final int count;
    private final boolean writes;
    private final Mover mover;
    private final AtomicInteger next = new AtomicInteger();
    private final CountDownLatch left;

    Submission(IoBatch batch, ThreadPageFile file) {
      this.batch = batch;
      this.gate = file.gate;
      this.file = file.number();
      this.count = batch.count();
      this.writes = batch.writes;
      this.mover = file.mover;
      this.left = new CountDownLatch(count);
      for (int i = 0; i < count; i++) {
        if (IoRequest.result(batch.requests(), i) == IoRequest.QUEUED) {
          IoRequest.result(batch.requests(), i, IoRequest.PENDING);
        }
      }
    }

    /**
     * Moves what no other thread has begun to move. What an error comes in between of has failed;
     * the others are moved nevertheless, since whoever waits does so for all.
     */
    @Override
    public void run() {
      Throwable first = null;
      try {
        for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
          int result = -Errno.EIO;
          try {
            if (isPending(i)) {
              result = mover.move(file, batch.requests(), i, writes);
            }
          } catch (RuntimeException | Error failed) {
            first = first == null ? failed : first;
          } finally {
            end(i, result);
          }
        }
      } finally {
        // The file and the memory may be dropped meanwhile, and are known by number and address.
        Reference.reachabilityFence(gate);
        Reference.reachabilityFence(batch);
      }
      throwIfAny(first);
    }

    private boolean isPending(int request) {
      return IoRequest.result(batch.requests(), request) == IoRequest.PENDING;
    }

    private void end(int request, int result) {
      if (isPending(request)) {
        IoRequest.result(batch.requests(), request, result);
      }
      left.countDown();
    }

    private static void throwIfAny(@Nullable Throwable failed) {
      if (failed instanceof RuntimeException exception) {
        throw exception;
      }
      if (failed instanceof Error error) {
        throw error;
      }
    }

    /**
     * Ends what nobody has begun, and waits for the rest: the memory is used for something else
     * afterwards.
     */
    void giveUp() {
      for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
        end(i, -Errno.EIO);
      }
      while (left.getCount() > 0) {
        Thread.onSpinWait(); // To park may be what has failed.
      }
    }
  }
}
