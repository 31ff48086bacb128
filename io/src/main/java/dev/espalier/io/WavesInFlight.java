// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The waves that were begun and are not settled: which of them reads into a frame, and how it ends.
 * All calls are made under the lock of the frames, but {@link #await} and {@link #awaitRead}
 * without it.
 */
final class WavesInFlight {
  /* Overview
   *
   *     begin --- add pages ---> start --- finish ---> settle
   *
   * A wave that is waited for is read by the first thread that waits. One that was started ahead is
   * read meanwhile, and settled by a thread that needs one of its pages, or room.
   *
   * Lock order: the lock of a Wave's finishing is never asked for, but only tried, while the lock
   * of the frames is held. Devices are waited for without that lock.
   */

  private final Frames frames;
  private final Replacement replacement;
  private final ReentrantLock lock;

  // What follows changes under the lock of the frames.

  /** By frame, the wave that is reading into it; as long as the frames need that were read into. */
  private @Nullable Wave[] intoFrame = new Wave[64];

  /** Waves that were started ahead and not yet settled. */
  private final ArrayDeque<Wave> ahead = new ArrayDeque<>();

  /** For waves to come. */
  private final ArrayDeque<IoBatch> batches = new ArrayDeque<>();

  private int reads;
  private int mostReads;
  private long count;

  WavesInFlight(Frames frames, Replacement replacement) {
    this.frames = frames;
    this.replacement = replacement;
    this.lock = frames.lock;
  }

  /** Returns how many reads were begun and are not settled. */
  int reads() {
    return reads;
  }

  /** Returns the most that there were at once. */
  int mostReads() {
    return mostReads;
  }

  /** Returns how many waves there have been. */
  long count() {
    return count;
  }

  /** Returns the one that was started ahead first, or null. */
  @Nullable Wave firstAhead() {
    return ahead.peekFirst();
  }

  // ---------------------------------------------------------------- begin

  /** Begins a wave with no pages yet. */
  Wave begin(PooledPageStore store, boolean isAhead) {
    IoBatch kept = batches.pollFirst();
    IoBatch batch = kept == null ? new IoBatch(frames.memory(), Wave.MOST_PAGES) : kept;
    return new Wave(frames, store, batch, isAhead);
  }

  /** Gives a claimed frame to a page that a wave will read. */
  void add(Wave wave, int frame, int page) {
    if (frame >= intoFrame.length) {
      intoFrame = Arrays.copyOf(intoFrame, Math.max(frame + 1, 2 * intoFrame.length));
    }
    intoFrame[frame] = wave;
    wave.add(frame, page);
    frames.assign(frame, wave.store, page);
  }

  /** Returns the wave that is reading into a frame, if there is one. */
  @Nullable Wave into(int frame) {
    return frame < intoFrame.length ? intoFrame[frame] : null;
  }

  /** Counts a wave that has all its pages; the first who waits for it reads them. */
  void noteStart(Wave wave) {
    count++;
    reads += wave.count();
    mostReads = Math.max(mostReads, reads);
  }

  /** Starts to read the pages of a wave that nobody waits for yet. */
  void startAhead(Wave wave) {
    ahead.addLast(wave);
    noteStart(wave);
    try {
      wave.store.file.startRead(wave.batch);
    } catch (RuntimeException refused) {
      wave.fail(refused); // told if anyone needs the pages
    } catch (Error failed) {
      wave.giveUp(failed);
      throw failed;
    }
  }

  // ---------------------------------------------------------------- end

  /** Waits for a wave, and settles it, even if an error is thrown meanwhile. */
  void await(Wave wave) {
    try {
      wave.finish();
    } finally {
      lock.lock();
      try {
        settle(wave);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits for the wave that is reading a page, if one is. */
  void awaitRead(PooledPageStore store, int page) {
    Wave wave = null;
    lock.lock();
    try {
      int frame = store.frameOf(page);
      wave = frame == Frames.NONE ? null : into(frame);
    } finally {
      lock.unlock();
    }
    if (wave != null) {
      await(wave);
    }
  }

  /**
   * Makes the frames of a finished wave pinnable, or empty where something is wrong. If that fails
   * for want of memory, the next call goes on. Does nothing if the wave is not finished.
   */
  void settle(Wave wave) {
    if (wave.settled || !wave.isFinished()) {
      return;
    }
    for (int i = 0; i < wave.count(); i++) {
      int frame = wave.frame(i);
      if (intoFrame[frame] != wave) {
        continue; // done by the call that failed
      }
      if (!wave.isFaulty(i)) {
        int bits = wave.isAhead ? Frames.USED | Frames.AHEAD : Frames.USED;
        frames.makePinnable(frame, bits | wave.pins(i));
      } else {
        replacement.vacate(frame);
      }
      intoFrame[frame] = null;
    }
    wave.settled = true;
    reads -= wave.count();
    ahead.remove(wave);
    wave.batch.clear();
    batches.addFirst(wave.batch);
  }

  /** Settles the waves read ahead that are done, so that nobody needs them to be used again. */
  void settleDone() {
    for (Wave wave : ahead.toArray(new Wave[0])) {
      if (wave.finishIfDone()) {
        settle(wave);
      }
    }
  }
}
