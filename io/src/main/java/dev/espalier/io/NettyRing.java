// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What one file has under way on the ring of an event loop.
 *
 * <p>A batch becomes one task of the loop, which puts all its requests into the ring before the
 * loop hands over what is there; so they are one system call. A request is known to the ring by its
 * number in {@code submitted}: Netty takes a shorter way for small numbers.
 */
final class NettyRing implements IoUringIoHandle {
  // Operations of linux/io_uring.h.
  private static final byte IORING_OP_READ = 22;
  private static final byte IORING_OP_WRITE = 23;

  /** What {@link IoRegistration#submit} returns when it takes nothing any more. */
  private static final long REFUSED = 0;

  private final IoEventLoop loop;
  private final Path path;
  private final int descriptor;

  /** Keeps the memory that the kernel works on from being collected. */
  private final Set<Submission> underWay = ConcurrentHashMap.newKeySet();

  private final FutureListener<Object> loopEnded = _ -> abandon();

  private volatile @Nullable IoRegistration registration;

  // Both for the loop's thread only.
  private final List<@Nullable Submitted> submitted = new ArrayList<>();
  private final Deque<Integer> freeNumbers = new ArrayDeque<>();

  private record Submitted(Submission submission, int request) {}

  private NettyRing(IoEventLoop loop, Path path, int descriptor) {
    this.loop = loop;
    this.path = path;
    this.descriptor = descriptor;
  }

  /**
   * Makes a file known to a loop.
   *
   * @throws PageFileException if the loop is shut down
   */
  static NettyRing register(IoEventLoop loop, Path path, int descriptor) {
    NettyRing ring = new NettyRing(loop, path, descriptor);
    Future<IoRegistration> registered;
    try {
      registered = loop.register(ring).awaitUninterruptibly();
    } catch (RejectedExecutionException e) {
      throw ring.shutDown(e);
    }
    if (!registered.isSuccess()) {
      throw ring.shutDown(registered.cause());
    }
    ring.registration = registered.getNow();
    loop.terminationFuture().addListener(ring.loopEnded);
    return ring;
  }

  private PageFileException shutDown(Throwable cause) {
    return new PageFileException(path, "the event loop takes no requests: " + cause, cause);
  }

  // ---------------------------------------------------------------- any thread

  /**
   * Hands over the requests of a batch that are pending.
   *
   * @throws PageFileException if the loop is shut down
   */
  Submission submit(IoBatch batch) {
    Submission submission = new Submission(batch);
    underWay.add(submission);
    try {
      loop.execute(submission);
    } catch (RejectedExecutionException e) {
      submission.refusePending();
      submission.end();
      throw shutDown(e);
    } catch (Error failed) {
      if (submission.take()) {
        submission.refusePending();
        submission.end();
        throw failed;
      } // Else the loop has it.
    }
    return submission;
  }

  /** Waits for all that is under way, then lets the loop forget the file. */
  void deregister() {
    underWay.forEach(Submission::await);
    loop.terminationFuture().removeListener(loopEnded);
    try {
      cancelRegistration();
    } catch (RejectedExecutionException e) {
      // The loop has ended, and all its registrations with it.
    }
  }

  private void cancelRegistration() {
    IoRegistration known = registration;
    if (known != null) {
      known.cancel();
    }
  }

  /** Ends what a loop that has ended never answered, or never even began. */
  private void abandon() {
    for (Submission submission : underWay) {
      submission.refusePending();
      submission.end();
    }
  }

  // ---------------------------------------------------------------- the loop's thread

  @Override
  public void handle(IoRegistration from, IoEvent event) {
    IoUringIoEvent completion = (IoUringIoEvent) event;
    int number = (int) completion.userData();
    Submitted ended = Objects.requireNonNull(submitted.set(number, null));
    freeNumbers.push(number);
    ended.submission.complete(ended.request, completion.res());
  }

  /** Called by the loop when it is shut down: it still answers what it has taken. */
  @Override
  public void close() {
    cancelRegistration();
  }

  private int note(Submitted request) {
    Integer free = freeNumbers.poll();
    if (free == null) {
      submitted.add(request);
      return submitted.size() - 1;
    }
    submitted.set(free, request);
    return free;
  }

  /** The requests of a batch that are handed over together; as a task, handing them over. */
  final class Submission implements Runnable {
    private final IoBatch batch;
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicBoolean isTaken = new AtomicBoolean();

    /**
     * Requests that the ring has, and one more while they are handed over; for the loop's thread.
     */
    private int left;

    private Submission(IoBatch batch) {
      this.batch = batch;
    }

    boolean hasEnded() {
      return end.getCount() == 0;
    }

    void await() {
      Waiting.await(end);
    }

    /** Tells whether the caller may hand over the requests, or refuse them; only one may. */
    private boolean take() {
      return isTaken.compareAndSet(false, true);
    }

    /** If an error comes in the middle, those that are not handed over have failed. */
    @Override
    public void run() {
      if (!take()) {
        return;
      }
      left = 1;
      int next = 0;
      try {
        for (; next < batch.count(); next++) {
          if (isPending(next)) {
            submit(next);
          }
        }
      } finally {
        for (; next < batch.count(); next++) {
          if (isPending(next)) {
            IoRequest.result(batch.requests(), next, -Errno.EIO);
          }
        }
        endOne();
      }
    }

    private void submit(int request) {
      int number = note(new Submitted(this, request));
      boolean isTaken = false;
      try {
        isTaken = submit(request, number);
      } finally {
        if (isTaken) {
          left++;
        } else {
          submitted.set(number, null);
          freeNumbers.push(number);
        }
      }
      if (!isTaken) {
        IoRequest.result(batch.requests(), request, -Errno.ESHUTDOWN);
      }
    }

    private boolean submit(int request, int number) {
      IoUringIoOps operation =
          new IoUringIoOps(
              batch.writes ? IORING_OP_WRITE : IORING_OP_READ,
              (byte) 0,
              (short) 0,
              descriptor,
              IoRequest.position(batch.requests(), request),
              IoRequest.address(batch.requests(), request),
              IoRequest.length(batch.requests(), request),
              0,
              (long) number,
              (short) 0,
              (short) 0,
              0,
              0L);
      return Objects.requireNonNull(registration).submit(operation) != REFUSED;
    }

    private void complete(int request, int result) {
      IoRequest.result(batch.requests(), request, result);
      endOne();
    }

    private void endOne() {
      left--;
      if (left == 0) {
        end();
      }
    }

    private boolean isPending(int request) {
      return IoRequest.result(batch.requests(), request) == IoRequest.PENDING;
    }

    private void refusePending() {
      for (int i = 0; i < batch.count(); i++) {
        if (isPending(i)) {
          IoRequest.result(batch.requests(), i, -Errno.ESHUTDOWN);
        }
      }
    }

    private void end() {
      underWay.remove(this);
      end.countDown();
    }
  }
}
