// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.FileCalls;
import java.lang.ref.Cleaner;

/**
 * What engines do alike that know their file by a descriptor of the system: everything but the
 * transfers.
 */
abstract class DescriptorFile extends EngineFile {
  private final Descriptor descriptor;
  private final Gate gate;
  private final Object growing = new Object();
  private final Closing closing;
  private final Cleaner.Cleanable closeOnce;

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
    this.gate = new Gate(descriptor.path());
    this.closing = new Closing(descriptor.number());
    this.closeOnce = Dropped.once(gate, closing);
  }

  /** As {@link #submit}; the file stays open meanwhile. */
  abstract void handOver(IoBatch batch);

  /** As {@link #await}; the file stays open meanwhile. */
  abstract void waitFor(IoBatch batch);

  /** As {@link #transfer}; the file stays open meanwhile. */
  void handOverAndWaitFor(IoBatch batch) {
    handOver(batch);
    waitFor(batch);
  }

  /** As {@link #poll}; the file stays open meanwhile. */
  void look(IoBatch batch) {}

  /** Waits for all that was handed over, and lets go of all but the file. Called once. */
  abstract void stop();

  /** Returns the number by which the system knows the file. */
  final int number() {
    return descriptor.number();
  }

  @Override
  public final int alignment() {
    return descriptor.alignment();
  }

  // ---------------------------------------------------------------- transfer

  @Override
  final void submit(IoBatch batch) {
    gate.enter();
    try {
      handOver(batch);
    } finally {
      gate.leave();
    }
  }

  @Override
  void transfer(IoBatch batch) {
    gate.enter();
    try {
      handOverAndWaitFor(batch);
    } finally {
      gate.leave();
    }
  }

  @Override
  void await(IoBatch batch) {
    if (gate.tryEnter()) { // else closing has waited
      try {
        waitFor(batch);
      } finally {
        gate.leave();
      }
    }
  }

  @Override
  void poll(IoBatch batch) {
    if (gate.tryEnter()) {
      try {
        look(batch);
      } finally {
        gate.leave();
      }
    }
  }

  // ---------------------------------------------------------------- file

  @Override
  public final long bytes() {
    gate.enter();
    try {
      long bytes = FileCalls.size(number());
      check(bytes, "reading its length");
      return bytes;
    } finally {
      gate.leave();
    }
  }

  @Override
  public final void grow(long bytes) {
    gate.enter();
    try {
      synchronized (growing) {
        long from = bytes();
        if (from < bytes) {
          growFrom(from, bytes);
        }
      }
    } finally {
      gate.leave();
    }
  }

  private void growFrom(long from, long to) {
    try {
      int result = FileCalls.fallocate(number(), from, to - from);
      if (result == -Errno.EOPNOTSUPP) {
        writeZeros(from, to);
      } else {
        check(result, "making it %d bytes long".formatted(to));
      }
    } catch (PageFileException full) {
      int shortened = FileCalls.ftruncate(number(), from);
      if (shortened < 0) {
        full.addSuppressed(failure(-shortened, "making it as short as before"));
      }
      throw full;
    }
  }

  @Override
  public final void force() {
    gate.enter();
    try {
      check(FileCalls.fdatasync(number()), "forcing it to the device");
    } finally {
      gate.leave();
    }
  }

  private void check(long result, String what) {
    if (result < 0) {
      throw failure((int) -result, what);
    }
  }

  private PageFileException failure(int errno, String what) {
    return new PageFileException(path(), what + " failed: " + Errno.describe(errno), errno);
  }

  @Override
  public void close() {
    gate.close(
        () -> {
          stop();
          closeOnce.clean();
          check(closing.result, "closing it");
        });
  }
}
