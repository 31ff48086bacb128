// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds faults in how a tree uses its pages: the debug mode of any page store. An {@link
 * IllegalStateException} names the page when
 *
 * <ul>
 *   <li>a page is pinned, asked for ahead or taken back that is not in use, or taken back while it
 *       is pinned;
 *   <li>more pages are pinned than may be;
 *   <li>an offset is unpinned where no page is pinned;
 *   <li>a page was changed but unpinned as unchanged, or written to when it was no longer pinned,
 *       or written to where it belongs to the store;
 *   <li>pages are still pinned at {@link #checkBalanced}, {@link #clear} or {@link #close}.
 * </ul>
 *
 * <p>It has a few frames of its own. Pinned pages lie there, each time somewhere else, and when
 * they are unpinned nothing of them is left: what reads a page that is not pinned reads nonsense.
 * So no page stays where it is. It copies a page on every pin, which is for tests only.
 *
 * <p>For one thread at a time, readers included.
 */
public final class CheckedPageStore extends ForwardingPageStore {
  /** Fewest frames: trees may count on so many pins. */
  public static final int MIN_PINS = 3;

  /** What is in frames without a page: as a count or an offset it is below all that can be. */
  private static final byte NOTHING = (byte) 0xDB;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;
  private final MemorySegment nothing;
  private final Frame[] frames;

  /** Number of pins held. */
  private int pins;

  /** The frame that was last given a page. */
  private int lastUsed;

  private static final class Frame {
    final long offset;

    /** The page that is here, or was here last. */
    int page;

    int pins;
    boolean changed;

    /** Where the page is in the store behind. */
    long origin;

    Frame(long offset) {
      this.offset = offset;
    }
  }

  /**
   * Stands before {@code store}, and closes it.
   *
   * @param mostPins pins that may be held at once, {@link #MIN_PINS} at least
   */
  public CheckedPageStore(PageStore store, int mostPins) {
    super(store);
    if (mostPins < MIN_PINS) {
      throw new IllegalArgumentException(
          "mostPins is " + mostPins + "; it must be at least " + MIN_PINS);
    }
    int pageBytes = store.pageBytes();
    segment = arena.allocate((long) mostPins * pageBytes, CacheLine.BYTES).fill(NOTHING);
    nothing = arena.allocate(pageBytes).fill(NOTHING).asReadOnly();
    frames = new Frame[mostPins];
    for (int i = 0; i < mostPins; i++) {
      frames[i] = new Frame((long) i * pageBytes);
    }
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public int mostPins() {
    return frames.length;
  }

  /** Returns false: unpinned pages are gone. */
  @Override
  public boolean pagesStay() {
    return false;
  }

  // ---------------------------------------------------------------- pin

  @Override
  public long pin(int page) {
    return pin(page, false);
  }

  @Override
  public long pinFresh(int page) {
    return pin(page, true);
  }

  private long pin(int page, boolean fresh) {
    checkInUse(page, "pinned");
    if (pins == frames.length) {
      throw new IllegalStateException(
          "page " + page + " is pinned beside " + pinnedPages() + ": " + pins + " is the most");
    }
    Frame frame = frameWith(page);
    if (frame.pins == 0) {
      frame.origin = fresh ? store.pinFresh(page) : store.pin(page);
      MemorySegment.copy(store.segment(), frame.origin, segment, frame.offset, pageBytes());
      frame.page = page;
      frame.changed = false;
    }
    frame.pins++;
    pins++;
    return frame.offset;
  }

  @Override
  public void pinAll(long[] pages, int from, int count) {
    int pinned = from;
    try {
      for (; pinned < from + count; pinned++) {
        pages[pinned] = pin((int) pages[pinned]);
      }
    } finally {
      if (pinned < from + count) { // None is pinned if one can't be.
        for (int i = from; i < pinned; i++) {
          unpin(pages[i], false);
        }
      }
    }
  }

  /** Returns the frame where a page is pinned, or the next one that is free. */
  private Frame frameWith(int page) {
    for (Frame frame : frames) {
      if (frame.pins > 0 && frame.page == page) {
        return frame;
      }
    }
    do {
      lastUsed = (lastUsed + 1) % frames.length;
    } while (frames[lastUsed].pins > 0);
    checkUntouched(frames[lastUsed]);
    return frames[lastUsed];
  }

  @Override
  public void unpin(long offset, boolean changed) {
    long number = offset / pageBytes();
    if (offset < 0 || number >= frames.length || frames[(int) number].pins == 0) {
      throw new IllegalStateException(
          "offset " + offset + " is unpinned, but no page is pinned there");
    }
    Frame frame = frames[(int) number];
    frame.changed |= changed;
    frame.pins--;
    pins--;
    if (frame.pins == 0) {
      giveBack(frame);
    }
  }

  private void giveBack(Frame frame) {
    MemorySegment copy = segment.asSlice(frame.offset, pageBytes());
    MemorySegment original = store.segment().asSlice(frame.origin, pageBytes());
    long difference = copy.mismatch(original);
    if (frame.changed) {
      original.copyFrom(copy);
    }
    copy.fill(NOTHING);
    store.unpin(frame.origin, frame.changed);
    if (difference >= 0 && difference < RESERVED_BYTES) {
      throw new IllegalStateException(
          "page "
              + frame.page
              + " was written to in byte "
              + difference
              + ", which is the store's");
    }
    if (difference >= 0 && !frame.changed) {
      throw new IllegalStateException(
          "page "
              + frame.page
              + " was changed in byte "
              + difference
              + ", but it is unpinned as unchanged");
    }
  }

  @Override
  public void readAhead(int[] pages, int from, int count) {
    for (int i = from; i < from + count; i++) {
      checkInUse(pages[i], "asked for ahead");
    }
    super.readAhead(pages, from, count);
  }

  @Override
  public void wontNeed(int page) {
    checkInUse(page, "not needed for a while");
    super.wontNeed(page);
  }

  @Override
  public void willFree(int page) {
    checkInUse(page, "to be given back soon");
    super.willFree(page);
  }

  private void checkInUse(int page, String what) {
    if (!store.isInUse(page)) {
      throw new IllegalStateException("page " + page + " is " + what + ", but it is not in use");
    }
  }

  // ---------------------------------------------------------------- allocate

  @Override
  public void free(int page) {
    for (Frame frame : frames) {
      if (frame.pins > 0 && frame.page == page) {
        throw new IllegalStateException("page " + page + " is taken back, but it is pinned");
      }
    }
    super.free(page);
  }

  @Override
  public void clear() {
    checkBalanced();
    super.clear();
  }

  // ---------------------------------------------------------------- check

  /** Returns the number of pins that are held. */
  public int pins() {
    return pins;
  }

  /**
   * Checks that no page is pinned, and that none was written to since it was unpinned: to be called
   * between operations of a tree.
   */
  public void checkBalanced() {
    if (pins > 0) {
      throw new IllegalStateException("pages " + pinnedPages() + " are still pinned");
    }
    checkUntouched();
  }

  /** Checks that nothing was written to where no page is pinned. */
  public void checkUntouched() {
    for (Frame frame : frames) {
      if (frame.pins == 0) {
        checkUntouched(frame);
      }
    }
  }

  /** Checks that nothing was written into a frame that has no page. */
  private void checkUntouched(Frame frame) {
    long difference = segment.asSlice(frame.offset, pageBytes()).mismatch(nothing);
    if (difference >= 0) {
      throw new IllegalStateException(
          "page "
              + frame.page
              + " was written to in byte "
              + difference
              + " after it was unpinned");
    }
  }

  private List<Integer> pinnedPages() {
    List<Integer> pages = new ArrayList<>();
    for (Frame frame : frames) {
      if (frame.pins > 0) {
        pages.add(frame.page);
      }
    }
    return pages;
  }

  /** Frees everything, then checks that no page was pinned. A second call does nothing. */
  @Override
  public void close() {
    if (isClosed()) {
      return;
    }
    try {
      checkBalanced();
    } finally {
      super.close();
      arena.close();
    }
  }
}
