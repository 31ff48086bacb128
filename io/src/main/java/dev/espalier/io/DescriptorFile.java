// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.FileCalls;
import dev.espalier.ffi.IoRequest;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;

/**
 * What engines that know their file by a descriptor of the system have in common: everything but
 * the transfers of batches.
 */
abstract class DescriptorFile extends EngineFile {
  private final Descriptor descriptor;
  private final Closing closing;
  private final Cleaner.Cleanable closeOnce;

  /** Whether the file system may tell that it would have to wait. */
  private volatile boolean mayReadAtOnce;

  /** Closes the file in the system; knows nothing of the object that stands for it here. */
  private static final class Closing implements Runnable {
    private final int number;
    private volatile int result;

    Closing(int number) {
      this.number = number;
    }

    @Override
    public void run() {
      result = FileCalls.close(number);
    }
  }

  DescriptorFile(Descriptor descriptor, IoStatus status) {
    super(descriptor.path(), status);
    this.descriptor = descriptor;
    this.closing = new Closing(descriptor.number());
    this.closeOnce = Dropped.once(gate, closing);
    this.mayReadAtOnce = descriptor.alignment() == 1;
  }

  /** Waits for all that was submitted, and lets go of all but the file. Called once. */
  abstract void stopTransfers();

  /** Returns the number by which the system knows the file. */
  final int number() {
    return descriptor.number();
  }

  /**
   * Moves the bytes of a request by a read or write of the system, and returns the result.
   *
   * @param file the number of the file
   */
  static int move(int file, MemorySegment requests, int request, boolean writes) {
    long position = IoRequest.position(requests, request);
    long address = IoRequest.address(requests, request);
    int length = IoRequest.length(requests, request);
    return writes
        ? FileCalls.pwrite(file, address, length, position)
        : FileCalls.pread(file, address, length, position);
  }

  /** A page that the page cache has is copied in less time than it takes to wake a thread. */
  @Override
  final boolean readsAtOnce(IoBatch batch) {
    MemorySegment requests = batch.requests();
    if (!mayReadAtOnce
        || batch.writes
        || batch.count() != 1
        || IoRequest.result(requests, 0) != IoRequest.QUEUED) {
      return false;
    }
    int length = IoRequest.length(requests, 0);
    int result = preadCached(requests, length);
    if (result == length) {
      IoRequest.result(requests, 0, result);
      return true;
    }
    if (result < 0 && result != -EAGAIN) {
      mayReadAtOnce = false;
    }
    return false;
  }

  private int preadCached(MemorySegment requests, int length) {
    gate.enter();
    try {
      return FileCalls.preadCached(
          number(), IoRequest.address(requests, 0), length, IoRequest.position(requests, 0));
    } finally {
      gate.leave();
    }
  }

  @Override
  public final int alignment() {
    return descriptor.alignment();
  }

  @Override
  final long length() {
    long bytes = FileCalls.size(number());
    check(bytes, "reading its length");
    return bytes;
  }

  @Override
  final void lengthen(long from, long to) {
    int result = FileCalls.fallocate(number(), from, to - from);
    if (result == -Errno.EOPNOTSUPP) {
      writeZeros(from, to);
    } else {
      check(result, "making it %d bytes long".formatted(to));
    }
  }

  @Override
  final void shorten(long bytes) {
    check(FileCalls.ftruncate(number(), bytes), "making it shorter");
  }

  @Override
  final void forceData() {
    check(FileCalls.fdatasync(number()), "forcing it to the device");
  }

  @Override
  final void stop() {
    stopTransfers();
    closeOnce.clean();
    check(closing.result, "closing it");
  }

  private void check(long result, String what) {
    if (result < 0) {
      throw new PageFileException(
          path(), what + " failed: " + Errno.describe((int) -result), (int) -result);
    }
  }
}
