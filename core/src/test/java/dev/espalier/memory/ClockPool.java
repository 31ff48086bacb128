// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.util.Arrays;

/**
 * Which pages a buffer pool of a number of frames would hold if it replaced them by CLOCK: each use
 * of a page sets the reference bit of its frame; the hand that looks for a frame to be used again
 * goes round, clears the bits it finds set, and stops at the first that is not.
 *
 * <p>Frames come into being as they are needed, so that a pool without end costs no more than what
 * it holds.
 */
final class ClockPool {
  private final int frames;

  /** For each frame in being the number of its page, 0 for none, and the reference bit. */
  private int[] pageOf = new int[16];

  private boolean[] referenced = new boolean[16];

  /** Number of frames in being. */
  private int used;

  private int hand;

  /** Frames in being without a page. */
  private int[] empty = new int[16];

  private int emptyCount;

  /** By number of page the number of its frame and 1, or 0. */
  private int[] frameOf = new int[16];

  /** Makes an empty pool of at most so many frames. */
  ClockPool(int frames) {
    if (frames < 1) {
      throw new IllegalArgumentException("frames is " + frames + "; it must be positive");
    }
    this.frames = frames;
  }

  /** Uses a page. Returns whether it was there; if not, it has been fetched. */
  boolean use(int page) {
    if (page >= frameOf.length) {
      frameOf = Arrays.copyOf(frameOf, Math.max(page + 1, 2 * frameOf.length));
    }
    boolean hit = frameOf[page] != 0;
    if (!hit) {
      int frame = findFrame();
      pageOf[frame] = page;
      frameOf[page] = frame + 1;
    }
    referenced[frameOf[page] - 1] = true;
    return hit;
  }

  private int findFrame() {
    if (emptyCount > 0) {
      return empty[--emptyCount];
    }
    if (used < frames) {
      if (used == pageOf.length) {
        pageOf = Arrays.copyOf(pageOf, 2 * used);
        referenced = Arrays.copyOf(referenced, 2 * used);
      }
      return used++;
    }
    while (referenced[hand]) {
      referenced[hand] = false;
      hand = (hand + 1) % frames;
    }
    int frame = hand;
    hand = (hand + 1) % frames;
    frameOf[pageOf[frame]] = 0;
    return frame;
  }

  /** Forgets a page that is no more; it need not be there. */
  void drop(int page) {
    int frame = page < frameOf.length ? frameOf[page] - 1 : -1;
    if (frame < 0) {
      return;
    }
    frameOf[page] = 0;
    pageOf[frame] = 0;
    if (emptyCount == empty.length) {
      empty = Arrays.copyOf(empty, 2 * emptyCount);
    }
    empty[emptyCount++] = frame;
  }

  /** Forgets all pages. */
  void clear() {
    Arrays.fill(frameOf, 0);
    used = 0;
    emptyCount = 0;
    hand = 0;
  }
}
