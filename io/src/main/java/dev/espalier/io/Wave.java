// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Pages of one store that are read into frames by one batch. The frames are busy until the wave is
 * settled; whoever needs one of them sees to it that the wave is settled.
 *
 * <p>A wave ends in two steps: it is <em>finished</em>, which waits for the device, looks at the
 * pages, and needs only {@link #finishing}; then it is <em>settled</em> under the lock of the
 * frames.
 */
final class Wave {
  /** Most pages in a wave: as many reads as an SSD answers at once. */
  static final int MOST_PAGES = 64;

  final PooledPageStore store;
  final IoBatch batch;

  /** Whether it was started ahead; if not, the first who waits for it reads. */
  final boolean isAhead;

  private final Frames all;

  /** The frames that are read into, their pages, and how often those are pinned at once. */
  private int[] frames = new int[4];

  private int[] pages = new int[4];
  private int[] pins = new int[4];
  private int count;

  /** Held while the wave is waited for. */
  final ReentrantLock finishing = new ReentrantLock();

  private volatile boolean finished;

  /** What is wrong with each page, once it is finished; null if nothing is. */
  private @Nullable PageFileException[] faults = {};

  /** The error with which reading ended, so that no page has come; null if there was none. */
  private @Nullable Error error;

  /** Whether the frames are busy no more; under their lock. */
  boolean settled;

  Wave(Frames all, PooledPageStore store, IoBatch batch, boolean isAhead) {
    this.all = all;
    this.store = store;
    this.batch = batch;
    this.isAhead = isAhead;
  }

  int count() {
    return count;
  }

  int frame(int i) {
    return frames[i];
  }

  int pins(int i) {
    return pins[i];
  }

  /** Counts a pin that the wave's reader will hold, and returns the page's number in the wave. */
  int promisePin(int frame) {
    int i = 0;
    while (frames[i] != frame) {
      i++;
    }
    pins[i]++;
    return i;
  }

  /** Takes back a pin that was promised to a reader which goes away. */
  void withdrawPin(int i) {
    pins[i]--;
  }

  /** Adds a page. */
  void add(int frame, int page) {
    if (count == frames.length) {
      frames = Arrays.copyOf(frames, 2 * count);
      pages = Arrays.copyOf(pages, 2 * count);
      pins = Arrays.copyOf(pins, 2 * count);
    }
    frames[count] = frame;
    pages[count] = page;
    pins[count] = 0;
    count++;
    batch.add(store.position(page), all.offset(frame), all.pageBytes());
  }

  /** Tells whether nothing is read any more. */
  boolean isFinished() {
    return finished;
  }

  /**
   * Waits for the device, and checks the pages that came. After an error the wave is finished, too,
   * unless the device may still be at it: then the next call goes on.
   */
  void finish() {
    finishing.lock();
    try {
      if (!finished) {
        faults = readFaults();
        finished = true;
      }
    } finally {
      finishing.unlock();
    }
  }

  /**
   * Does what {@link #finish} does, if that needs no waiting; tells whether the wave is finished.
   */
  boolean finishIfDone() {
    if (!finishing.tryLock()) {
      return false;
    }
    try {
      if (!finished && isAhead && store.file.isDone(batch)) {
        faults = readFaults();
        finished = true;
      }
      return finished;
    } finally {
      finishing.unlock();
    }
  }

  private @Nullable PageFileException[] readFaults() {
    @Nullable PageFileException[] found = new PageFileException[count];
    try {
      if (isAhead) {
        store.file.finish(batch);
      } else {
        store.file.read(batch);
      }
    } catch (RuntimeException failed) {
      Arrays.fill(found, asFailure(failed));
      return found;
    } catch (Error failed) {
      if (!isAhead) {
        giveUp(failed);
      }
      throw failed;
    }
    for (int i = 0; i < count; i++) {
      found[i] = store.fault(batch.memory(), batch.offset(i), pages[i]);
    }
    return found;
  }

  /** Gives up the wave after an error, unless the device may still be at it. */
  void giveUp(Error failed) {
    if (EngineFile.hasEnded(batch)) {
      error = failed;
      finished = true;
    }
  }

  /** Gives up the wave, which could not be started. */
  void fail(RuntimeException refused) {
    faults = new PageFileException[count];
    Arrays.fill(faults, asFailure(refused));
    finished = true;
  }

  private PageFileException asFailure(Throwable failed) {
    return failed instanceof PageFileException failure
        ? failure
        : new PageFileException(store.file.path(), "reading failed: " + failed, failed);
  }

  /** Tells whether something is wrong with a page of the finished wave. */
  boolean isFaulty(int i) {
    return error != null || faults[i] != null;
  }

  /** Returns what is wrong with a page of the finished wave, or null. */
  @Nullable PageFileException fault(int i) {
    return error == null ? faults[i] : asFailure(error);
  }
}
