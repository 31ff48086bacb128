// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A page file on a simulated device: transfers move no bytes, they only make a clock go on. A batch
 * takes the latency for each of its turns of {@code atOnce} requests, and some time for each block.
 */
final class TimedPageFile extends PageFileAround {
  /** What each file of a device goes on with. */
  record Device(long readNanos, long writeNanos, int atOnce, long blockNanos, AtomicLong clock) {
    Device(long readNanos, long writeNanos, int atOnce, long blockNanos) {
      this(readNanos, writeNanos, atOnce, blockNanos, new AtomicLong());
    }

    PageFileOpener opener() {
      return (path, access, blockBytes) ->
          new TimedPageFile(PageFiles.CHANNEL.open(path, access, blockBytes), this);
    }

    LongSupplier nanos() {
      return clock::get;
    }

    /** Returns what a batch of so many pages takes. */
    double nanos(boolean writes, int pages, int pageBytes) {
      long blocks = (long) pages * pageBytes / DeviceMeasurement.BLOCK_BYTES;
      return (double) (writes ? writeNanos : readNanos) * Math.ceilDiv(pages, atOnce)
          + blocks * blockNanos;
    }
  }

  private final Device device;

  private TimedPageFile(PageFile file, Device device) {
    super(file);
    this.device = device;
  }

  private void charge(IoBatch batch, boolean writes) {
    device.clock.addAndGet((long) device.nanos(writes, batch.count(), batch.length(0)));
  }

  @Override
  public void startRead(IoBatch batch) {
    charge(batch, false);
  }

  @Override
  public void startWrite(IoBatch batch) {
    charge(batch, true);
  }

  @Override
  public void finish(IoBatch batch) {
    // It has ended.
  }

  @Override
  public void grow(long bytes) {
    // It has no bytes.
  }
}
