// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An engine that holds the threads that wait for it, as calls of the system do, and notes whether
 * these are virtual. On order, it holds reads back until so many are under way.
 */
final class HeldDevice {
  private final AtomicInteger carriersHeld = new AtomicInteger();
  private volatile CountDownLatch reads = new CountDownLatch(0);

  /** Holds reads back until so many are under way; all that come later go on at once. */
  void hold(int count) {
    reads = new CountDownLatch(count);
  }

  /** Returns how many of the reads that are to be under way at once have not come yet. */
  long awaited() {
    return reads.getCount();
  }

  /** Returns how often a virtual thread would have held its carrier. */
  int carriersHeld() {
    return carriersHeld.get();
  }

  /** Returns an opener whose files are those of an engine, and hold threads. */
  PageFileOpener over(PageFileOpener engine) {
    return (path, access, blockBytes) -> new HeldFile(engine.open(path, access, blockBytes));
  }

  private final class HeldFile extends EngineFile {
    private final PageFile file;

    HeldFile(PageFile file) {
      super(file.path(), file.status());
      this.file = file;
    }

    /** Tells whether the calling thread can be held; notes it if not. */
    private boolean mayHold() {
      boolean isVirtual = Thread.currentThread().isVirtual();
      if (isVirtual) {
        carriersHeld.incrementAndGet();
      }
      return !isVirtual;
    }

    @Override
    void submit(IoBatch batch) {
      if (batch.writes) {
        file.startWrite(batch);
      } else {
        file.startRead(batch);
      }
    }

    @Override
    void await(IoBatch batch) {
      if (!hasEnded(batch)) {
        mayHold();
      }
      file.finish(batch);
    }

    @Override
    void transfer(IoBatch batch) {
      if (mayHold() && !batch.writes) {
        CountDownLatch held = reads;
        for (int i = 0; i < batch.count(); i++) {
          held.countDown();
        }
        Waiting.await(held);
      }
      if (batch.writes) {
        file.write(batch);
      } else {
        file.read(batch);
      }
    }

    @Override
    public int alignment() {
      return file.alignment();
    }

    @Override
    long length() {
      return file.bytes();
    }

    @Override
    void lengthen(long from, long to) {
      mayHold();
      file.grow(to);
    }

    @Override
    void shorten(long bytes) {
      mayHold();
      file.truncate(bytes);
    }

    @Override
    void forceData() {
      mayHold();
      file.force();
    }

    @Override
    void stop() {
      file.close();
    }
  }
}
