// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * What page files have in common, whichever engine moves the bytes: short transfers are continued,
 * transient refusals retried, failures reported, and closing waits for all other calls.
 *
 * <p>An engine submits the requests of a batch that are {@link IoRequest#QUEUED}, makes them {@link
 * IoRequest#PENDING}, and when one ends sets its result. The methods that engines implement are
 * called while the file is open; the {@code WhileOpen} methods see to that.
 *
 * <p>A virtual thread has another one do all that may wait for the device ({@link OffCarrier}).
 * That one enters the gate, too, so few do at a time, however many threads wait.
 */
abstract class EngineFile implements PageFile {
  private static final int EINTR = 4;
  static final int EAGAIN = 11;

  /** The kernel gives it to requests of a ring when the thread that submitted them has ended. */
  private static final int ECANCELED = 125;

  /** Bytes of zeros that are written at once where a file can be made longer in no other way. */
  private static final int ZEROS_BYTES = 1 << 20;

  private final Path path;
  private final IoStatus status;

  /** Keeps the call that closes the file apart from all others, each of which ends with it. */
  final Gate gate;

  private final Object growing = new Object();

  EngineFile(Path path, IoStatus status) {
    this.path = path;
    this.status = status;
    this.gate = new Gate(path);
  }

  // ---------------------------------------------------------------- the engine

  /**
   * Hands over all requests of a batch that are queued; {@code batch.writes} says in which
   * direction. If some can't be, they get a result at once.
   */
  abstract void submit(IoBatch batch);

  /** Waits until no request of a batch is pending. */
  abstract void await(IoBatch batch);

  /** Submits and awaits, in one step if an engine can. */
  void transfer(IoBatch batch) {
    submit(batch);
    await(batch);
  }

  /** Notes what has ended, where an engine does not do that by itself; does not wait. */
  void reap(IoBatch batch) {}

  /**
   * Tells whether a thread that awaits or transfers waits in the kernel or moves bytes itself, and
   * does not park.
   */
  boolean holdsThreads() {
    return true;
  }

  /**
   * Reads what a batch asks for if all of it is in memory, and tells whether it was; waits for no
   * device. Checks that the file is open.
   */
  boolean readsAtOnce(IoBatch batch) {
    return false;
  }

  /** Returns the length of the file in bytes. */
  abstract long length();

  /** Makes the file longer, with room on the device. */
  abstract void lengthen(long from, long to);

  /** Makes the file shorter. */
  abstract void shorten(long bytes);

  /** Waits until all that was written is safe from a crash of the machine. */
  abstract void forceData();

  /** Waits for all that was submitted, and closes the file. Called once. */
  abstract void stop();

  // ---------------------------------------------------------------- while the file is open

  /**
   * Submits.
   *
   * @throws IllegalStateException if the file is closed
   */
  final void submitWhileOpen(IoBatch batch) {
    gate.enter();
    try {
      submit(batch);
    } finally {
      gate.leave();
    }
  }

  /**
   * Transfers.
   *
   * @throws IllegalStateException if the file is closed
   */
  void transferWhileOpen(IoBatch batch) {
    gate.enter();
    try {
      transfer(batch);
    } finally {
      gate.leave();
    }
  }

  /** Awaits, which closing has done if the file is closed. */
  void awaitWhileOpen(IoBatch batch) {
    if (gate.tryEnter()) {
      try {
        await(batch);
      } finally {
        gate.leave();
      }
    }
  }

  /** Reaps, if there is anything left to be noted. */
  void reapWhileOpen(IoBatch batch) {
    if (gate.tryEnter()) {
      try {
        reap(batch);
      } finally {
        gate.leave();
      }
    }
  }

  // ---------------------------------------------------------------- transfer

  @Override
  public final Path path() {
    return path;
  }

  @Override
  public final IoStatus status() {
    return status;
  }

  @Override
  public final void read(IoBatch batch) {
    move(batch, false);
  }

  @Override
  public final void write(IoBatch batch) {
    move(batch, true);
  }

  private void move(IoBatch batch, boolean writes) {
    batch.writes = writes;
    transferForCaller(batch);
    complete(batch);
  }

  private void transferForCaller(IoBatch batch) {
    if (!OffCarrier.isNeeded() || !holdsThreads()) {
      transferWhileOpen(batch);
    } else if (!readsAtOnce(batch)) {
      OffCarrier.run(() -> transferWhileOpen(batch));
    }
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
    submitWhileOpen(batch);
  }

  @Override
  public final boolean isDone(IoBatch batch) {
    if (!hasEnded(batch)) {
      reapWhileOpen(batch);
    }
    return hasEnded(batch);
  }

  /** Tells whether no request of a batch is pending. */
  static boolean hasEnded(IoBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      if (IoRequest.result(batch.requests(), i) == IoRequest.PENDING) {
        return false;
      }
    }
    return true;
  }

  @Override
  public final void finish(IoBatch batch) {
    if (OffCarrier.isNeeded() && holdsThreads() && !hasEnded(batch)) {
      OffCarrier.run(() -> awaitWhileOpen(batch));
    } else {
      awaitWhileOpen(batch);
    }
    complete(batch);
  }

  private void complete(IoBatch batch) {
    while (requeue(batch)) {
      transferForCaller(batch);
    }
    check(batch);
  }

  /**
   * Queues again the requests that came out short or were refused for now; tells whether there are
   * any.
   */
  private boolean requeue(IoBatch batch) {
    MemorySegment requests = batch.requests();
    boolean any = false;
    for (int i = 0; i < batch.count(); i++) {
      int result = IoRequest.result(requests, i);
      if (result == -EINTR || result == -EAGAIN || result == -ECANCELED) {
        IoRequest.result(requests, i, IoRequest.QUEUED);
        any = true;
      } else if (result > 0
          && result < IoRequest.length(requests, i)
          && result % alignment() == 0) { // what ends between blocks ends with the file
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
        if (result >= 0) {
          String end = batch.writes ? " ended too early" : ", but the file ends before";
          throw new PageFileException(path, what + end, PageFileException.NO_ERRNO);
        }
        throw new PageFileException(path, what + " failed: " + Errno.describe(-result), -result);
      }
    }
  }

  // ---------------------------------------------------------------- file

  @Override
  public final long bytes() {
    gate.enter();
    try {
      return length();
    } finally {
      gate.leave();
    }
  }

  @Override
  public final void grow(long bytes) {
    OffCarrier.run(() -> growWhileOpen(bytes));
  }

  private void growWhileOpen(long bytes) {
    gate.enter();
    try {
      synchronized (growing) {
        long from = length();
        if (from < bytes) {
          growFrom(from, bytes);
        }
      }
    } finally {
      gate.leave();
    }
  }

  @Override
  public final void truncate(long bytes) {
    OffCarrier.run(() -> truncateWhileOpen(bytes));
  }

  private void truncateWhileOpen(long bytes) {
    gate.enter();
    try {
      synchronized (growing) {
        if (length() > bytes) {
          shorten(bytes);
        }
      }
    } finally {
      gate.leave();
    }
  }

  private void growFrom(long from, long to) {
    try {
      lengthen(from, to);
    } catch (PageFileException full) {
      try {
        shorten(from);
      } catch (PageFileException failed) {
        full.addSuppressed(failed);
      }
      throw full;
    }
  }

  /** Writes zeros up to the end that the file is to have; lengths of files are whole blocks. */
  final void writeZeros(long from, long to) {
    try (Arena arena = Arena.ofShared()) {
      IoBatch batch = new IoBatch(arena.allocate(ZEROS_BYTES, alignment()), 1);
      for (long at = from; at < to; at += ZEROS_BYTES) {
        batch.clear();
        batch.add(at, 0, (int) Math.min(ZEROS_BYTES, to - at));
        write(batch);
      }
    }
  }

  @Override
  public final void force() {
    OffCarrier.run(this::forceWhileOpen);
  }

  private void forceWhileOpen() {
    gate.enter();
    try {
      forceData();
    } finally {
      gate.leave();
    }
  }

  @Override
  public void close() {
    gate.close(this::stop);
  }
}
