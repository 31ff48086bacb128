// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The engine where native access is granted but io_uring does not run: positioned reads and writes,
 * on a few threads and on the one that waits. A single request needs no other thread.
 */
final class ThreadPageFile extends DescriptorFile {
  private final IoThreads threads;

  private ThreadPageFile(Descriptor descriptor, IoStatus status, IoThreads threads) {
    super(descriptor, status);
    this.threads = threads;
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
    return new ThreadPageFile(descriptor, status, threads);
  }

  @Override
  void submit(IoBatch batch) {
    begin(batch, batch.count());
  }

  @Override
  void await(IoBatch batch) {
    Submission submission =
        (Submission) Objects.requireNonNull(batch.attachment, "batch was not started");
    submission.run();
    Waiting.await(submission.left);
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
    for (int i = 0; i < Math.min(helpers, IoThreads.MOST); i++) {
      threads.execute(submission);
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
    private final AtomicInteger next = new AtomicInteger();
    private final CountDownLatch left;

    Submission(IoBatch batch, ThreadPageFile file) {
      this.batch = batch;
      this.gate = file.gate;
      this.file = file.number();
      this.count = batch.count();
      this.writes = batch.writes;
      this.left = new CountDownLatch(count);
      for (int i = 0; i < count; i++) {
        if (IoRequest.result(batch.requests(), i) == IoRequest.QUEUED) {
          IoRequest.result(batch.requests(), i, IoRequest.PENDING);
        }
      }
    }

    @Override
    public void run() {
      try {
        for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
          if (IoRequest.result(batch.requests(), i) == IoRequest.PENDING) {
            IoRequest.result(batch.requests(), i, move(file, batch.requests(), i, writes));
          }
          left.countDown();
        }
      } finally {
        // The file and the memory may be dropped meanwhile, and are known by number and address.
        Reference.reachabilityFence(gate);
        Reference.reachabilityFence(batch);
      }
    }
  }
}
