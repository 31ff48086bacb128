// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.ffi.IoRequest;
import dev.espalier.io.IoStatus.Engine;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An engine that moves bytes to and from a file of a {@link SimulatedDisk}, for one life of the
 * process. What is common to engines, such as going on after short transfers, is {@link
 * EngineFile}'s, as in earnest.
 *
 * <p>A batch that was started is under way until it is finished or found to be done. Until then no
 * force covers it, a crash may leave any part of it, and no byte is read or written, so its memory
 * has to be left alone.
 */
final class SimulatedPageFile extends EngineFile {
  private static final int EINTR = 4;

  private final SimulatedDisk disk;
  private final SimulatedFile file;
  private final int life;
  private final boolean writable;
  private final int alignment;
  private final Set<IoBatch> underway = new LinkedHashSet<>();

  /**
   * Opens a file.
   *
   * @param life of the process that opens it
   * @param alignment 1 for going through the page cache
   */
  SimulatedPageFile(
      SimulatedDisk disk,
      Path path,
      SimulatedFile file,
      int life,
      boolean writable,
      int alignment) {
    super(path, new IoStatus(Engine.THREADS, alignment > 1, "the disk is simulated", ""));
    this.disk = disk;
    this.file = file;
    this.life = life;
    this.writable = writable;
    this.alignment = alignment;
  }

  @Override
  public int alignment() {
    return alignment;
  }

  // ---------------------------------------------------------------- transfer

  @Override
  void submit(IoBatch batch) {
    synchronized (disk) {
      disk.checkAlive(life);
      for (int i = 0; i < batch.count(); i++) {
        if (IoRequest.result(batch.requests(), i) == IoRequest.QUEUED) {
          IoRequest.result(batch.requests(), i, IoRequest.PENDING);
        }
      }
      underway.add(batch);
    }
  }

  @Override
  void await(IoBatch batch) {
    synchronized (disk) {
      disk.checkAlive(life);
      for (int i = 0; i < batch.count(); i++) {
        if (IoRequest.result(batch.requests(), i) == IoRequest.PENDING) {
          IoRequest.result(batch.requests(), i, move(batch, i));
        }
      }
      underway.remove(batch);
    }
  }

  /** Sometimes all of a batch is done, sometimes not. */
  @Override
  void reap(IoBatch batch) {
    synchronized (disk) {
      disk.checkAlive(life);
      if (disk.random().nextBoolean()) {
        await(batch);
      }
    }
  }

  /** Moves the bytes of a request; returns how many, or below 0 an error number. */
  private int move(IoBatch batch, int request) {
    MemorySegment requests = batch.requests();
    long position = IoRequest.position(requests, request);
    long address = IoRequest.address(requests, request);
    int length = IoRequest.length(requests, request);
    DiskOperation kind = batch.writes ? DiskOperation.WRITE : DiskOperation.READ;
    DiskFault fault = disk.next(life, kind, path(), position, length, () -> {});
    if (((position | address | length) & (alignment - 1)) != 0) {
      return -Errno.EINVAL;
    }
    int bytes = length;
    if (fault == DiskFault.SHORT && length > alignment) {
      bytes = alignment * (1 + disk.random().nextInt(length / alignment - 1));
    } else if (fault == DiskFault.INTERRUPTED) {
      return -EINTR;
    } else if (fault == DiskFault.FULL) {
      return -Errno.ENOSPC;
    }
    long offset = address - batch.memory().address();
    if (batch.writes) {
      return write(batch.memory(), position, offset, bytes, fault);
    }
    if (fault == DiskFault.DEVICE_ERROR) {
      return -Errno.EIO;
    }
    int there = Math.clamp(file.length() - position, 0, bytes);
    file.read(position, batch.memory(), offset, there, alignment > 1);
    return there;
  }

  private int write(
      MemorySegment memory, long position, long offset, int bytes, @Nullable DiskFault fault) {
    if (!writable) {
      return -Errno.EBADF;
    }
    if (disk.lengthThatFits(file, position + bytes) < position + bytes) {
      return -Errno.ENOSPC;
    }
    if (fault == DiskFault.DEVICE_ERROR) {
      writeSome(position, memory, offset, bytes);
      return -Errno.EIO;
    }
    file.write(position, memory, offset, bytes);
    if (fault == DiskFault.MISDIRECTED) {
      file.misdirect(position + disk.random().nextInt(bytes), disk.random());
    }
    return bytes;
  }

  /** Writes some sectors, and others not. */
  private void writeSome(long position, MemorySegment memory, long offset, int bytes) {
    for (int done = 0; done < bytes; ) {
      int left = (int) (SimulatedFile.SECTOR - (position + done) % SimulatedFile.SECTOR);
      int count = Math.min(left, bytes - done);
      if (disk.random().nextBoolean()) {
        file.write(position + done, memory, offset + done, count);
      }
      done += count;
    }
  }

  /**
   * Does of the writes under way what is done when the process ends: at a power loss all, of which
   * any sector may be lost; at a kill, of each request, none, the beginning, or all.
   */
  void land(boolean powerLoss) {
    for (IoBatch batch : underway) {
      for (int i = 0; batch.writes && writable && i < batch.count(); i++) {
        if (IoRequest.result(batch.requests(), i) == IoRequest.PENDING) {
          land(batch, i, powerLoss);
        }
      }
    }
    underway.clear();
  }

  private void land(IoBatch batch, int request, boolean powerLoss) {
    long position = IoRequest.position(batch.requests(), request);
    long offset = IoRequest.address(batch.requests(), request) - batch.memory().address();
    int length = IoRequest.length(batch.requests(), request);
    RandomGenerator random = disk.random();
    int bytes =
        powerLoss ? length : new int[] {0, random.nextInt(length), length}[random.nextInt(3)];
    if (disk.lengthThatFits(file, position + bytes) >= position + bytes) {
      file.write(position, batch.memory(), offset, bytes);
    }
  }

  // ---------------------------------------------------------------- file

  @Override
  long length() {
    synchronized (disk) {
      disk.checkAlive(life);
      return file.length();
    }
  }

  /** Makes the file longer; where there is no room, it may still have grown by some. */
  @Override
  void lengthen(long from, long to) {
    String what = "making it %d bytes long".formatted(to);
    synchronized (disk) {
      checkWritable(what);
      long fits = disk.lengthThatFits(file, to);
      DiskFault fault =
          disk.next(life, DiskOperation.GROW, path(), from, to - from, () -> file.resize(fits));
      if (fault == DiskFault.DEVICE_ERROR) {
        throw failure(what, fault.errno());
      }
      if (fault == DiskFault.FULL || fits < to) {
        file.resize(disk.random().nextLong(from, fits + 1));
        throw failure(what, Errno.ENOSPC);
      }
      file.resize(to);
    }
  }

  @Override
  void shorten(long bytes) {
    synchronized (disk) {
      checkWritable("making it shorter");
      DiskFault fault =
          disk.next(life, DiskOperation.TRUNCATE, path(), bytes, 0, () -> file.resize(bytes));
      if (fault != null) {
        throw failure("making it shorter", fault.errno());
      }
      file.resize(bytes);
    }
  }

  @Override
  void forceData() {
    synchronized (disk) {
      DiskFault fault = disk.next(life, DiskOperation.FORCE, path(), 0, 0, () -> {});
      if (fault != null) {
        file.failForce(disk.random(), disk.traits().staleCache());
        throw failure("forcing it to the device", fault.errno());
      }
      if (disk.traits().forgetsGrowth()) {
        file.forceBytes();
      } else {
        file.force();
      }
    }
  }

  private void checkWritable(String what) {
    if (!writable) {
      throw failure(what, Errno.EBADF);
    }
  }

  private PageFileException failure(String what, int errno) {
    return new PageFileException(path(), what + " failed: " + Errno.describe(errno), errno);
  }

  /** Ends what is under way; a dead process has nothing left to close. */
  @Override
  void stop() {
    synchronized (disk) {
      if (disk.isAlive(life)) {
        List.copyOf(underway).forEach(this::await);
        disk.closed(this);
      }
    }
  }
}
