// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.util.Arrays;

/**
 * Which pages a buffer pool holds, and which of them it has to write: as {@link ClockPool}, but
 * pages that are pinned stay, and those that were changed are noted.
 */
final class WriteBackPool {
  private static final int LEAST_FRAMES = 8;

  /** For each frame the number of its page, or 0 for none. */
  private final int[] pageOf;

  private final boolean[] referenced;
  private final boolean[] changed;
  private final int[] pins;
  private int hand;

  /** Pages that are not needed for a while; those of which it was said last make room first. */
  private final int[] unneeded;

  private int unneededCount;

  /** By number of page the number of its frame and 1, or 0. */
  private int[] frameOf = new int[16];

  /** Changed pages that had to make room and are not yet taken to be written. */
  private int evicted;

  WriteBackPool(int frames) {
    if (frames < LEAST_FRAMES) {
      throw new IllegalArgumentException(
          "frames is %d; it must be at least %d".formatted(frames, LEAST_FRAMES));
    }
    pageOf = new int[frames];
    referenced = new boolean[frames];
    changed = new boolean[frames];
    pins = new int[frames];
    unneeded = new int[frames];
  }

  int frames() {
    return pageOf.length;
  }

  /** Uses a page, for which another has to make room if it is not there. Returns whether it was. */
  boolean bring(int page) {
    if (page >= frameOf.length) {
      frameOf = Arrays.copyOf(frameOf, Math.max(page + 1, 2 * frameOf.length));
    }
    boolean wasThere = frameOf[page] != 0;
    if (!wasThere) {
      int frame = findFrame();
      pageOf[frame] = page;
      frameOf[page] = frame + 1;
    }
    referenced[frameOf[page] - 1] = true;
    return wasThere;
  }

  /**
   * Returns a frame without a page.
   *
   * @throws IllegalStateException if all pages are pinned
   */
  private int findFrame() {
    while (unneededCount > 0) {
      int frame = frameOf[unneeded[--unneededCount]] - 1;
      if (frame >= 0 && pins[frame] == 0 && !referenced[frame]) {
        evict(frame);
        return frame;
      }
    }
    for (int step = 0; step <= 2 * pageOf.length; step++) {
      int frame = hand;
      hand = (hand + 1) % pageOf.length;
      if (pageOf[frame] == 0) {
        return frame;
      }
      if (pins[frame] > 0) {
        continue;
      }
      if (!referenced[frame]) {
        evict(frame);
        return frame;
      }
      referenced[frame] = false;
    }
    throw new IllegalStateException("all %d frames are pinned".formatted(pageOf.length));
  }

  private void evict(int frame) {
    evicted += changed[frame] ? 1 : 0;
    changed[frame] = false;
    frameOf[pageOf[frame]] = 0;
    pageOf[frame] = 0;
  }

  /** Returns how many changed pages have made room since the last call. */
  int takeEvicted() {
    int taken = evicted;
    evicted = 0;
    return taken;
  }

  /** Pins a page that is there. */
  void pin(int page) {
    pins[frameOf[page] - 1]++;
  }

  /** Gives back a pin. */
  void unpin(int page, boolean wasChanged) {
    int frame = page < frameOf.length ? frameOf[page] - 1 : -1;
    if (frame < 0 || pins[frame] == 0) {
      throw new IllegalStateException("page " + page + " is not pinned");
    }
    pins[frame]--;
    changed[frame] |= wasChanged;
  }

  /** Lets a page make room before others, unless it is used before that. */
  void wontNeed(int page) {
    if (page < frameOf.length && frameOf[page] != 0) {
      referenced[frameOf[page] - 1] = false;
      if (unneededCount < unneeded.length) {
        unneeded[unneededCount++] = page;
      }
    }
  }

  /**
   * Takes it that changed pages are written, beginning at the hand. Returns how many there were.
   */
  int clean(int most) {
    int cleaned = 0;
    for (int i = 0; i < pageOf.length && cleaned < most; i++) {
      int frame = (hand + i) % pageOf.length;
      if (changed[frame] && pins[frame] == 0) {
        changed[frame] = false;
        cleaned++;
      }
    }
    return cleaned;
  }

  /** Forgets a page that is no more; it need not be there. */
  void drop(int page) {
    int frame = page < frameOf.length ? frameOf[page] - 1 : -1;
    if (frame >= 0) {
      frameOf[page] = 0;
      pageOf[frame] = 0;
      referenced[frame] = false;
      changed[frame] = false;
    }
  }

  /** Forgets all pages, none of which may be pinned. */
  void clear() {
    Arrays.fill(frameOf, 0);
    Arrays.fill(pageOf, 0);
    Arrays.fill(referenced, false);
    Arrays.fill(changed, false);
    evicted = 0;
    hand = 0;
    unneededCount = 0;
  }
}
