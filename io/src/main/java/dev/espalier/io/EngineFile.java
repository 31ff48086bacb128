// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * What page files do alike, whichever engine moves the bytes: transfers that came out short are
 * continued, transient refusals repeated, failures told.
 *
 * <p>An engine hands over the requests of a batch that are {@link IoRequest#QUEUED}, makes them
 * {@link IoRequest#PENDING}, and when one ends sets its result.
 */
abstract class EngineFile implements PageFile {
  private static final int EINTR = 4;
  private static final int EAGAIN = 11;

  private final Path path;
  private final IoStatus status;

  EngineFile(Path path, IoStatus status) {
    this.path = path;
    this.status = status;
  }

  /**
   * Hands over all requests of a batch that are queued; {@code batch.writes} says in which
   * direction. If some can't be, they get a result at once.
   *
   * @throws IllegalStateException if the file is closed
   */
  abstract void submit(IoBatch batch);

  /** Waits until no request of a batch is pending. */
  abstract void await(IoBatch batch);

  @Override
  public final Path path() {
    return path;
  }

  @Override
  public final IoStatus status() {
    return status;
  }

  @Override
  public final void startRead(IoBatch batch) {
    start(batch, false);
  }

  @Override
  public final void startWrite(IoBatch batch) {
    start(batch, true);
  }

  private void start(IoBatch batch, boolean writes) {
    batch.writes = writes;
    submit(batch);
  }

  @Override
  public final boolean isDone(IoBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      if (IoRequest.result(batch.requests(), i) == IoRequest.PENDING) {
        return false;
      }
    }
    return true;
  }

  @Override
  public final void finish(IoBatch batch) {
    await(batch);
    while (requeue(batch)) {
      submit(batch);
      await(batch);
    }
    check(batch);
  }

  /** Queues again what came out short or was refused for now; tells whether there is any. */
  private static boolean requeue(IoBatch batch) {
    MemorySegment requests = batch.requests();
    boolean any = false;
    for (int i = 0; i < batch.count(); i++) {
      int result = IoRequest.result(requests, i);
      if (result == -EINTR || result == -EAGAIN) {
        IoRequest.result(requests, i, IoRequest.QUEUED);
        any = true;
      } else if (result > 0 && result < IoRequest.length(requests, i)) {
        IoRequest.advance(requests, i, result);
        any = true;
      }
    }
    return any;
  }

  private void check(IoBatch batch) {
    MemorySegment requests = batch.requests();
    for (int i = 0; i < batch.count(); i++) {
      int result = IoRequest.result(requests, i);
      if (result != IoRequest.length(requests, i)) {
        String what =
            "%s of %d bytes at %d"
                .formatted(
                    batch.writes ? "writing" : "reading", batch.length(i), batch.position(i));
        if (result == 0) {
          String end = batch.writes ? " wrote nothing" : ", but the file ends before";
          throw new PageFileException(path, what + end, PageFileException.NO_ERRNO);
        }
        throw new PageFileException(path, what + " failed: " + Errno.describe(-result), -result);
      }
    }
  }
}
