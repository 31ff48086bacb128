// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Takes from their frames the pages that mean nothing any more, changed or not: one that was given
 * back, or all of a store. First it waits for those of their reads and writes that have begun.
 */
final class Invalidation {
  private final Frames frames;
  private final Replacement replacement;
  private final WriteBack writeBack;
  private final WavesInFlight inFlight;
  private final ReentrantLock lock;

  Invalidation(
      Frames frames, Replacement replacement, WriteBack writeBack, WavesInFlight inFlight) {
    this.frames = frames;
    this.replacement = replacement;
    this.writeBack = writeBack;
    this.inFlight = inFlight;
    this.lock = frames.lock;
  }

  /**
   * Forgets a page, and gives it back before anybody can bring it into a frame again: what the
   * frame had would be taken for the contents of the page when it is next given out.
   *
   * @param givingBack called under the lock of the frames
   * @throws IllegalStateException if the page is pinned
   */
  void discard(PooledPageStore store, int page, Runnable givingBack) {
    long patience = 0;
    while (true) {
      Wave wave;
      lock.lock();
      try {
        int frame = store.frameOf(page);
        if (frame != Frames.NONE && frames.isBeingWritten(frame)) {
          writeBack.awaitEnd();
          continue;
        }
        wave = frame == Frames.NONE ? null : inFlight.into(frame);
        if (frame == Frames.NONE || (wave == null && frames.makeBusy(frame, 0) >= 0)) {
          if (frame != Frames.NONE) {
            replacement.vacate(frame);
          }
          givingBack.run();
          return;
        }
      } finally {
        lock.unlock();
      }
      if (wave != null) {
        inFlight.await(wave);
      } else {
        patience = waitForPin(page, patience);
      }
    }
  }

  /**
   * Waits a little for a pin that may not be a real one: a thread that looks in this frame for
   * another page, which the frame has lost meanwhile, counts a pin for a moment.
   *
   * @param patience when it ends, 0 if it begins now
   * @return when it ends
   */
  private static long waitForPin(int page, long patience) {
    long now = System.nanoTime();
    if (patience != 0 && now - patience > 0) {
      throw new IllegalStateException("page " + page + " is taken back, but it is pinned");
    }
    Waiting.nap(TimeUnit.MICROSECONDS.toNanos(50));
    return patience != 0
        ? patience
        : now + TimeUnit.MILLISECONDS.toNanos(BufferPool.PATIENCE_MILLIS);
  }

  /** Forgets all pages of a store, changed or not. Pins that are held stay good until unpinned. */
  void forget(PooledPageStore store) {
    Wave wave;
    while ((wave = forgetSettled(store)) != null) {
      inFlight.await(wave);
    }
  }

  /**
   * Forgets the pages that no wave is reading, once those whose writing has begun are written;
   * returns a wave.
   */
  private @Nullable Wave forgetSettled(PooledPageStore store) {
    lock.lock();
    try {
      Wave wave = null;
      boolean isWriting = true;
      while (isWriting) {
        wave = null;
        isWriting = false;
        for (int frame : frames.of(store).toArray()) {
          Wave reading = inFlight.into(frame);
          if (reading != null) {
            wave = reading;
            continue;
          }
          frames.clear(frame, Frames.CHANGED);
          if (frames.isBeingWritten(frame)) {
            isWriting = true;
          } else if (frames.makeBusy(frame, 0) >= 0) {
            replacement.vacate(frame);
          } else {
            frames.disown(frame);
          }
        }
        if (isWriting) {
          writeBack.awaitEnd();
        }
      }
      return wave;
    } finally {
      lock.unlock();
    }
  }
}
