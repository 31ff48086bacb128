// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Arrays;

/**
 * Chooses which page makes room for another: first those that were declared unneeded for a while,
 * then by CLOCK. Changed pages are written first, together with others that would come next.
 *
 * <p>All calls are made under the lock of the frames, which {@link #claim} releases while it
 * writes.
 */
@SuppressWarnings("ReferenceEquality") // A store is only ever itself.
final class Replacement {
  /** How many frames are looked at for each one that could be written, so that they adjoin. */
  private static final int WRITE_STEPS = 8;

  /** What keeps a frame's page from making room, besides being changed or written. */
  private static final int IN_USE = Frames.PINS | Frames.BUSY | Frames.USED;

  /** What makes the hand pass a frame at once. */
  private static final int PASSED = Frames.PINS | Frames.BUSY | Frames.WRITING;

  private final Frames frames;
  private final WriteBack writeBack;

  /** Frames that are in use and have no pages. */
  private int[] empty = new int[16];

  private int emptyCount;
  private int hand;

  /**
   * Keys of frames whose pages are not needed for a while. Those that were declared so last make
   * room first: the first ones may be about to be merged with them.
   */
  private long[] unneeded = new long[16];

  private int unneededCount;

  private final long[] victims;
  private long evictions;
  private long readAheadsWasted;

  /** Begins with frames none of which is in use. */
  Replacement(Frames frames, WriteBack writeBack) {
    this.frames = frames;
    this.writeBack = writeBack;
    this.victims = new long[writeBack.capacity()];
  }

  /** Returns how many pages had to make room. */
  long evictions() {
    return evictions;
  }

  /** Returns how many of them were read ahead and never pinned. */
  long readAheadsWasted() {
    return readAheadsWasted;
  }

  /** Tells whether there is an empty frame, if need be by taking one more into use. */
  boolean findEmpty() {
    if (emptyCount == 0) {
      int frame = frames.takeIntoUse();
      if (frame != Frames.NONE) {
        empty[emptyCount++] = frame;
      }
    }
    return emptyCount > 0;
  }

  /** Empties a busy frame. */
  void vacate(int frame) {
    if (emptyCount == empty.length) {
      empty = Arrays.copyOf(empty, 2 * emptyCount); // If that fails, the frame is as it was.
    }
    frames.disown(frame);
    empty[emptyCount++] = frame;
  }

  // ---------------------------------------------------------------- claim

  /**
   * Returns a busy frame without a page, or {@link Frames#NONE}. If there is no room to write more,
   * because other threads are writing, it finds only frames of pages that need not be written.
   *
   * @param steps most frames that the hand passes, twice those in use at most
   * @param mayWrite whether changed pages may be written for it
   */
  int claim(int steps, boolean mayWrite) {
    if (findEmpty()) {
      return empty[--emptyCount];
    }
    int unneededFrame = claimUnneeded();
    if (unneededFrame != Frames.NONE) {
      return unneededFrame;
    }
    int count = frames.inUse();
    for (int left = Math.min(steps, 2 * count); left > 0; left--) {
      int frame = hand;
      hand = hand + 1 >= count ? 0 : hand + 1;
      long state = frames.state(frame);
      if ((state & PASSED) != 0) {
        continue;
      }
      if ((state & Frames.USED) != 0) {
        frames.replace(frame, state, state & ~Frames.USED);
        continue;
      }
      if ((state & Frames.CHANGED) != 0) {
        if (mayWrite && !writeBack.hasRoom()) {
          left = Math.min(left, WRITE_STEPS * victims.length); // Others will soon have written.
        }
        if (!makeClean(frame, mayWrite)) {
          continue;
        }
      }
      if (evict(frame)) {
        return frame;
      }
    }
    return Frames.NONE;
  }

  /** Does what {@link #claim} does, but only with a page that was declared unneeded for a while. */
  private int claimUnneeded() {
    while (unneededCount > 0) {
      long key = unneeded[unneededCount - 1];
      int frame = Frames.frameOf(key);
      PooledPageStore store = frames.owner(frame);
      if (store != null && isUnneeded(store, key)) {
        if (frames.isBeingWritten(frame)) {
          return Frames.NONE;
        }
        if (frames.isChanged(frame)) {
          if (!writeUnneeded(store)) {
            return Frames.NONE;
          }
          continue; // Others may have changed the hints meanwhile.
        }
        if (evict(frame)) {
          unneededCount--;
          return frame;
        }
      }
      unneededCount--;
    }
    return Frames.NONE;
  }

  /** Tells whether nobody has used the page since it was declared unneeded. */
  private boolean isUnneeded(PooledPageStore store, long key) {
    return frames.holds(store, key) && (frames.state(Frames.frameOf(key)) & IN_USE) == 0;
  }

  /** Takes its page from a frame, unless that is in use or changed. */
  private boolean evict(int frame) {
    int bits = frames.makeBusy(frame, Frames.CHANGED | Frames.USED);
    if (bits < 0) {
      return false;
    }
    evictions++;
    readAheadsWasted += (bits & Frames.AHEAD) != 0 ? 1 : 0;
    frames.disown(frame);
    return true;
  }

  // ---------------------------------------------------------------- hint

  /**
   * Lets a page make room before others, unless it is used before that.
   *
   * @param evenIfChanged whether it may be written for that
   */
  void wontNeed(PooledPageStore store, int page, boolean evenIfChanged) {
    int frame = store.frameOf(page);
    if (frame == Frames.NONE || (frames.isChanged(frame) && !evenIfChanged)) {
      return;
    }
    frames.clear(frame, Frames.USED);
    if (unneededCount == unneeded.length && unneededCount < frames.inUse()) {
      unneeded = Arrays.copyOf(unneeded, 2 * unneededCount);
    } else if (unneededCount == unneeded.length) {
      unneededCount /= 2; // Hints that are old: most of these pages are in use again, or gone.
      System.arraycopy(unneeded, unneeded.length - unneededCount, unneeded, 0, unneededCount);
    }
    unneeded[unneededCount++] = frames.key(frame);
  }

  // ---------------------------------------------------------------- write

  /** Writes a page that was changed, with others, if that may be; tells whether it could. */
  private boolean makeClean(int frame, boolean mayWrite) {
    PooledPageStore store = frames.owner(frame);
    if (store == null) { // whoever had it pinned when it was forgotten has changed it later
      frames.clear(frame, Frames.CHANGED);
      return true;
    }
    return mayWrite && writeFrom(store, frame);
  }

  /** Writes changed pages of a store that the hand comes to next. Tells whether it could. */
  private boolean writeFrom(PooledPageStore store, int first) {
    int count = 0;
    int frame = first;
    int inUse = frames.inUse();
    for (int step = 0; step < WRITE_STEPS * victims.length && step < inUse; step++) {
      long state = frames.state(frame) & (IN_USE | Frames.CHANGED | Frames.WRITING);
      if (state == Frames.CHANGED && frames.owner(frame) == store) {
        victims[count++] = frames.key(frame);
        if (count == victims.length) {
          break;
        }
      }
      frame = frame + 1 >= inUse ? 0 : frame + 1;
    }
    return writeBack.tryWrite(store, victims, count);
  }

  /** Does what {@link #writeFrom} does, with the pages that are not needed for a while. */
  private boolean writeUnneeded(PooledPageStore store) {
    int count = 0;
    for (int i = unneededCount - 1; i >= 0 && count < victims.length; i--) {
      if (isUnneeded(store, unneeded[i])) {
        victims[count++] = unneeded[i];
      }
    }
    return writeBack.tryWrite(store, victims, count);
  }
}
