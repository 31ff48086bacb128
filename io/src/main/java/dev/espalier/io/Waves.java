// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings pages into frames: those that are to be pinned and are not there, by waves of reads; those
 * that are wanted soon, by waves that nobody waits for yet; and new ones, without reading. What
 * becomes of a wave that was begun is up to {@link WavesInFlight}.
 */
final class Waves {
  /* Overview
   *
   * Threads that pin waves could wait for one another's pins. So a thread that lacks a frame gives
   * back what it has pinned and waits for its turn; the one whose turn it is keeps its pins.
   *
   * A thread that claims frames leaves the lock while it writes changed pages for them. So frames
   * are claimed first, and then pages are looked at and given frames, all under the lock.
   *
   * Turns are waited for without the lock of the frames, and so are devices: the order of locks is
   * that of WavesInFlight.
   */

  /** How long a thread waits for its turn: those before it may have slow devices. */
  private static final int TURN_SECONDS = 60;

  /** How far the hand goes to read ahead, which should cost little where it can't. */
  private static final int AHEAD_STEPS = 64;

  private final Frames frames;
  private final Replacement replacement;
  private final WriteBack writeBack;
  private final WavesInFlight inFlight;
  private final ReentrantLock lock;

  private final LongAdder misses = new LongAdder();

  /** Held by the one thread that may keep pins while it waits for more frames. */
  private final ReentrantLock turn = new ReentrantLock(true);

  /** Changes under the lock of the frames. */
  private long readAheads;

  Waves(Frames frames, Replacement replacement, WriteBack writeBack, WavesInFlight inFlight) {
    this.frames = frames;
    this.replacement = replacement;
    this.writeBack = writeBack;
    this.inFlight = inFlight;
    this.lock = frames.lock;
  }

  /** Returns how many pins did not find their page at once. */
  long misses() {
    return misses.sum();
  }

  /** Returns how many pages were asked for ahead; under the lock. */
  long readAheads() {
    return readAheads;
  }

  // ---------------------------------------------------------------- pin

  /**
   * Pins pages that were not all found in their frames. {@code pages[i]} is the page's number where
   * it is 0 or more, and otherwise {@code ~offset} of a page that is pinned already; all become
   * offsets. If that fails, none is pinned.
   */
  void pinMissing(PooledPageStore store, long[] pages, int from, int count) {
    misses.add(countMissing(pages, from, count));
    boolean hasTurn = false;
    try {
      long patience = 0;
      while (true) {
        Round round = pinRound(store, pages, from, count);
        if (round.own != null) {
          awaitOwn(round.own, pages, from, count);
          redeem(round.own, pages, from, count);
        }
        if (round.missing == 0) {
          break;
        }
        if (round.others != null) {
          inFlight.await(round.others);
        } else if (round.own == null && hasTurn) {
          patience = waitForFrame(store, patience, () -> exhausted(store, pages, from, count));
        } else if (round.own == null) {
          giveBack(pages, from, count);
          waitForTurn();
          hasTurn = true;
        }
      }
    } catch (RuntimeException | Error failed) {
      giveBack(pages, from, count);
      throw failed;
    } finally {
      if (hasTurn) {
        turn.unlock();
      }
    }
    for (int i = from; i < from + count; i++) {
      pages[i] = ~pages[i];
    }
  }

  private static int countMissing(long[] pages, int from, int count) {
    int missing = 0;
    for (int i = from; i < from + count; i++) {
      missing += pages[i] >= 0 ? 1 : 0;
    }
    return missing;
  }

  /** Unpins what is pinned of a wave that lacks frames; offsets become page numbers again. */
  private void giveBack(long[] pages, int from, int count) {
    for (int i = from; i < from + count; i++) {
      if (pages[i] < 0) {
        long offset = ~pages[i];
        pages[i] = frames.page(frames.frameAt(offset));
        frames.unpin(offset);
      }
    }
  }

  /** Waits until no other thread waits for frames with pins of its own. */
  private void waitForTurn() {
    if (!Waiting.tryLock(turn, TimeUnit.SECONDS.toNanos(TURN_SECONDS))) {
      throw exhausted();
    }
  }

  /**
   * The outcome of a round of pinning.
   *
   * @param own the wave that it needs, not yet read, or null
   * @param others another's wave to be waited for, or null
   * @param missing pages that have no frame yet
   */
  private record Round(@Nullable Wave own, @Nullable Wave others, int missing) {}

  /** Above this, the number of a page has its number in a wave and 1. */
  private static final int IN_WAVE_SHIFT = 32;

  /** Pins what is there and makes a wave of what is not, as far as there are frames. */
  private Round pinRound(PooledPageStore store, long[] pages, int from, int count) {
    lock.lock();
    try {
      int missing = checkPages(store, pages, from, count);
      Claims claims = claim(Math.min(missing, Wave.MOST_PAGES), Integer.MAX_VALUE, true);
      try {
        return pinRound(store, pages, from, count, claims);
      } finally {
        claims.giveBack();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Checks pages that are to be pinned; returns how many have no frame. */
  private static int checkPages(PooledPageStore store, long[] pages, int from, int count) {
    int missing = 0;
    for (int i = from; i < from + count; i++) {
      if (pages[i] >= 0) {
        store.checkPage(pages[i]);
        boolean isMissing = store.frameOf((int) pages[i]) == Frames.NONE;
        missing += isMissing && isFirst(pages, from, i) ? 1 : 0;
      }
    }
    return missing;
  }

  /** Tells whether a page is not among those before it, of which there are few. */
  private static boolean isFirst(long[] pages, int from, int i) {
    int j = from;
    while (pages[j] != pages[i]) {
      j++;
    }
    return j == i;
  }

  private Round pinRound(PooledPageStore store, long[] pages, int from, int count, Claims claims) {
    Wave own = null;
    try {
      checkPages(store, pages, from, count); // again, for the lock may have been left
      Wave others = null;
      int missing = 0;
      for (int i = from; i < from + count; i++) {
        if (pages[i] < 0) {
          continue;
        }
        int page = (int) pages[i];
        int frame = store.frameOf(page);
        if (frame == Frames.NONE && claims.hasNext()) {
          frame = claims.next();
          own = own == null ? inFlight.begin(store, false) : own;
          inFlight.add(own, frame, page);
        }
        if (frame == Frames.NONE) {
          missing++;
          others = others == null ? inFlight.firstAhead() : others;
        } else if (own != null && inFlight.into(frame) == own) {
          long inWave = own.promisePin(frame);
          pages[i] = page | (inWave + 1) << IN_WAVE_SHIFT;
        } else if (frames.tryPin(store, page, frame)) {
          pages[i] = ~frames.offset(frame);
        } else {
          missing++;
          others = inFlight.into(frame);
        }
      }
      if (own != null) {
        inFlight.noteStart(own);
      }
      return new Round(own, others, missing);
    } catch (RuntimeException | Error failed) {
      if (own != null) {
        inFlight.noteStart(own);
        own.fail(new PageFileException(store.file.path(), "reading failed", failed));
        inFlight.settle(own);
      }
      throw failed;
    }
  }

  /** Waits for a wave whose pins are promised to this thread; if that fails, it has none. */
  private void awaitOwn(Wave own, long[] pages, int from, int count) {
    boolean isSettled = false;
    try {
      inFlight.await(own);
      isSettled = true;
    } finally {
      if (!isSettled) {
        withdraw(own, pages, from, count);
      }
    }
  }

  private void withdraw(Wave own, long[] pages, int from, int count) {
    lock.lock();
    try {
      for (int i = from; i < from + count; i++) {
        int inWave = inWave(pages[i]);
        if (inWave >= 0) {
          int frame = own.frame(inWave);
          if (own.equals(inFlight.into(frame))) {
            own.withdrawPin(inWave);
          } else if (!own.isFaulty(inWave)) {
            frames.unpin(frames.offset(frame));
          }
          pages[i] = (int) pages[i];
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number that a page has in the own wave, or a negative one if it has none. */
  private static int inWave(long page) {
    return (page < 0 ? 0 : (int) (page >>> IN_WAVE_SHIFT)) - 1;
  }

  /** Replaces the pages of a wave that is settled by where they are pinned. */
  private void redeem(Wave wave, long[] pages, int from, int count) {
    PageFileException failure = null;
    for (int i = from; i < from + count; i++) {
      int inWave = inWave(pages[i]);
      if (inWave >= 0) {
        PageFileException fault = wave.fault(inWave);
        failure = failure == null ? fault : failure;
        pages[i] = fault == null ? ~frames.offset(wave.frame(inWave)) : 0;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Waits a little for pins that other threads hold.
   *
   * @param patience when it ends, 0 if it begins now
   * @param exhausted tells what is to be thrown then
   * @return when it ends
   */
  private static long waitForFrame(
      PooledPageStore store, long patience, Supplier<IllegalStateException> exhausted) {
    store.checkUsable();
    long now = System.nanoTime();
    if (patience != 0 && now - patience > 0) {
      throw exhausted.get();
    }
    Waiting.nap(TimeUnit.MICROSECONDS.toNanos(50));
    return patience != 0
        ? patience
        : now + TimeUnit.MILLISECONDS.toNanos(BufferPool.PATIENCE_MILLIS);
  }

  /** Says what was waited for in vain: a frame, or that one of the pages gets fewer pins. */
  private IllegalStateException exhausted(
      PooledPageStore store, long[] pages, int from, int count) {
    lock.lock();
    try {
      for (int i = from; i < from + count; i++) {
        int frame = pages[i] < 0 ? Frames.NONE : store.frameOf((int) pages[i]);
        if (frame != Frames.NONE && frames.hasMostPins(frame)) {
          return new IllegalStateException(
              "page %d of %s was pinned %d times at once for %d ms; it can't be pinned more often"
                  .formatted(
                      pages[i], store.file.path(), Frames.MOST_PINS, BufferPool.PATIENCE_MILLIS));
        }
      }
      return exhausted();
    } finally {
      lock.unlock();
    }
  }

  private IllegalStateException exhausted() {
    return new IllegalStateException(
        "the pool is exhausted: for %d ms all %d frames of %d bytes were pinned, or not to be written"
            .formatted(BufferPool.PATIENCE_MILLIS, frames.inUse(), frames.pageBytes()));
  }

  // ---------------------------------------------------------------- claim

  /** Claims as many of the wanted frames as can be had; releases the lock while it writes. */
  private Claims claim(int wanted, int steps, boolean mayWrite) {
    Claims claims = new Claims(replacement, wanted);
    try {
      while (!claims.areEnough()) {
        int frame = claim(steps, mayWrite);
        if (frame == Frames.NONE) {
          break;
        }
        claims.add(frame);
      }
      return claims;
    } catch (RuntimeException | Error failed) {
      claims.giveBack();
      throw failed;
    }
  }

  /**
   * Returns a busy frame without a page, as {@link Replacement#claim} does. If there is none until
   * other threads have finished writing, it waits for them, as long as they succeed.
   */
  private int claim(int steps, boolean mayWrite) {
    long failures = writeBack.failures();
    while (true) {
      if (!replacement.findEmpty()) {
        inFlight.settleDone();
      }
      int frame = replacement.claim(steps, mayWrite);
      if (frame != Frames.NONE
          || !mayWrite
          || !writeBack.isWriting()
          || writeBack.failures() != failures) {
        return frame;
      }
      writeBack.awaitEnd();
    }
  }

  // ---------------------------------------------------------------- read ahead

  /** Starts to read pages that are not there, as far as frames are at hand; a mere hint. */
  void readAhead(PooledPageStore store, int[] pages, int from, int count) {
    if (!lock.tryLock()) {
      return;
    }
    try {
      int wanted = 0;
      for (int i = from; i < from + count && wanted < Wave.MOST_PAGES; i++) {
        wanted += mayReadAhead(store, pages[i]) ? 1 : 0;
      }
      Claims claims = claim(wanted, AHEAD_STEPS, false);
      try {
        readAhead(store, pages, from, count, claims);
      } finally {
        claims.giveBack();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean mayReadAhead(PooledPageStore store, int page) {
    return store.isUsable()
        && inFlight.reads() < frames.sure / 2
        && store.position(page) >= 0
        && store.frameOf(page) == Frames.NONE;
  }

  private void readAhead(PooledPageStore store, int[] pages, int from, int count, Claims claims) {
    Wave wave = null;
    for (int i = from; i < from + count && claims.hasNext(); i++) {
      if (mayReadAhead(store, pages[i])) {
        wave = wave == null ? inFlight.begin(store, true) : wave;
        inFlight.add(wave, claims.next(), pages[i]);
        readAheads++;
      }
    }
    if (wave != null) {
      inFlight.startAhead(wave);
    }
  }

  // ---------------------------------------------------------------- without reading

  /** Gives a page that was never written a frame with zeros. */
  void addFresh(PooledPageStore store, int page) {
    long patience = 0;
    while (!tryAddFresh(store, page)) {
      store.beforeChange(); // If pages can't be written, that is why there is no frame.
      patience = waitForFrame(store, patience, this::exhausted);
    }
  }

  private boolean tryAddFresh(PooledPageStore store, int page) {
    lock.lock();
    try {
      store.checkUsable(); // A store that was closed meanwhile must not have frames any more.
      int frame = claim(Integer.MAX_VALUE, true);
      if (frame == Frames.NONE) {
        return false;
      }
      if (!store.isUsable() || store.frameOf(page) != Frames.NONE) {
        replacement.vacate(frame); // The lock was left.
        store.checkUsable();
        return true;
      }
      frames.memory().asSlice(frames.offset(frame), frames.pageBytes()).fill((byte) 0);
      frames.assign(frame, store, page);
      frames.makePinnable(frame, Frames.USED | Frames.CHANGED);
      return true;
    } finally {
      lock.unlock();
    }
  }
}
