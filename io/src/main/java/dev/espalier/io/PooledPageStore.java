// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one index; those in use are in the frames of a {@link BufferPool}. This class has
 * everything that does not depend on where in a file the pages lie.
 *
 * <p>Pinning a page that is in its frame is a hot path, so nothing on it is virtual.
 */
abstract class PooledPageStore implements PageStore {
  final PageFile file;
  final BufferPool pool;
  final Frames frames;
  final StoreCondition condition;

  /** How many pages of the file were changed in their frames and are to be written. */
  final AtomicInteger changedPages;

  private final boolean readsAhead;

  /** By page number, the frame of the page plus 1, or 0; replaced under the lock of the frames. */
  private int[] frameOf;

  /** Whether anything is different from what was last made safe. */
  boolean changed;

  /**
   * Makes a store over an open file.
   *
   * @param changedPages counts the changed pages of all stores over the file
   * @param pages the number of pages that the table of frames has room for at first
   */
  PooledPageStore(
      PageFile file,
      BufferPool pool,
      StoreCondition condition,
      AtomicInteger changedPages,
      int pages,
      boolean readsAhead) {
    this.file = file;
    this.pool = pool;
    this.frames = pool.frames;
    this.condition = condition;
    this.changedPages = changedPages;
    this.readsAhead = readsAhead;
    this.frameOf = new int[Math.max(16, pages + 1)];
  }

  // ---------------------------------------------------------------- for the pool

  /**
   * Returns where in the file a page is to be read, or a negative number if it was never written.
   */
  abstract long position(int page);

  /**
   * Seals the copy of a page that is about to be written, and returns where in the file it goes.
   * Under the lock of the frames.
   *
   * @throws PageFileException if there is no room for it
   */
  abstract long seal(MemorySegment copies, long at, int page);

  /**
   * Notes that a page was written. Under the lock of the frames.
   *
   * @param position what {@link #seal} returned
   * @param checksum what {@link #seal} made it
   */
  abstract void noteWritten(int page, long position, int checksum);

  /**
   * Notes that a page could not be written, or one that was to be written with it. Under the lock
   * of the frames.
   *
   * @param position what {@link #seal} returned
   */
  abstract void noteNotWritten(int page, long position);

  /** Returns what is wrong with a page that was read, or null. */
  abstract @Nullable PageFileException fault(MemorySegment memory, long offset, int page);

  /** Checks that a page can be pinned. */
  abstract void checkPage(long page);

  /** Returns the frame of a page, or {@link Frames#NONE}. */
  int frameOf(int page) {
    return frameOf[page] - 1;
  }

  /** Returns a number that no page with a frame exceeds. */
  int mostPages() {
    return frameOf.length - 1;
  }

  final void map(int page, int frame) {
    frameOf[page] = frame + 1;
  }

  final void unmap(int page) {
    frameOf[page] = 0;
  }

  /** Tells whether pages can be pinned at all; once it is false, it stays so. */
  boolean isUsable() {
    return condition.isUsable();
  }

  /** Checks that pages can be pinned at all. */
  void checkUsable() {
    condition.checkUsable();
  }

  /** Takes no more changes, because changed pages could not be written. Returns the reason. */
  PageFileException noteFailure(RuntimeException cause) {
    return condition.noteFailure(cause);
  }

  // ---------------------------------------------------------------- pages

  @Override
  public MemorySegment segment() {
    return frames.memory();
  }

  @Override
  public long pin(int page) {
    if (page > 0 && page < frameOf.length) {
      int frame = frameOf[page] - 1;
      if (frame >= 0 && frames.tryHit(this, page, frame)) {
        return frames.offset(frame);
      }
    }
    return pinMissing(page);
  }

  private long pinMissing(int page) {
    long[] one = {Math.max(page, 0)};
    pool.waves.pinMissing(this, one, 0, 1);
    return one[0];
  }

  @Override
  public long pinFresh(int page) {
    beforeChange();
    if (frameOf(page) == Frames.NONE) {
      pool.waves.addFresh(this, page);
    }
    return pin(page);
  }

  @Override
  public void pinAll(long[] pages, int from, int count) {
    int missing = 0;
    for (int i = from; i < from + count; i++) {
      int page = (int) pages[i];
      int frame = page > 0 && page < frameOf.length ? frameOf[page] - 1 : Frames.NONE;
      if (frame >= 0 && frames.tryHit(this, page, frame)) {
        pages[i] = ~frames.offset(frame);
      } else {
        pages[i] = Math.max(page, 0);
        missing++;
      }
    }
    if (missing > 0) {
      pool.waves.pinMissing(this, pages, from, count);
      return;
    }
    for (int i = from; i < from + count; i++) {
      pages[i] = ~pages[i];
    }
  }

  @Override
  public void unpin(long offset, boolean pageChanged) {
    if (pageChanged) {
      if (!changed) { // The line has what all threads read.
        changed = true;
      }
      frames.unpinChanged(this, offset);
    } else {
      frames.unpin(offset);
    }
  }

  @Override
  public long look(int page) {
    int[] table = frameOf;
    int frame = page > 0 && page < table.length ? table[page] - 1 : Frames.NONE;
    return frame >= 0 ? frames.look(this, page, frame) : Frames.NONE;
  }

  @Override
  public long offset(long look) {
    return frames.offsetOf(look);
  }

  @Override
  public boolean isStill(long look) {
    return frames.isStill(look);
  }

  @Override
  public void noteLooks(int pages) {
    frames.addHits(pages);
  }

  /**
   * Under the lock, because a page of this store may have to make room for one of another
   * meanwhile.
   */
  final void enlargeTable(int page) {
    if (page < frameOf.length) {
      return;
    }
    frames.lock.lock();
    try {
      if (page >= frameOf.length) { // Another thread may have made it larger meanwhile.
        frameOf = Arrays.copyOf(frameOf, (int) Math.min(2L * page, Integer.MAX_VALUE - 8));
      }
    } finally {
      frames.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- hints

  @Override
  public void readAhead(int[] pages, int from, int count) {
    if (readsAhead) {
      pool.waves.readAhead(this, pages, from, count);
    }
  }

  @Override
  public void wontNeed(int page) {
    hintUnneeded(page, true);
  }

  @Override
  public void willFree(int page) {
    hintUnneeded(page, false);
  }

  private void hintUnneeded(int page, boolean evenIfChanged) {
    frames.lock.lock();
    try {
      pool.replacement.wontNeed(this, page, evenIfChanged);
    } finally {
      frames.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- facts

  @Override
  public int pageBytes() {
    return frames.pageBytes();
  }

  @Override
  public int mostPins() {
    return pool.mostPins();
  }

  /** Returns false: a page that is not pinned may have to make room for another. */
  @Override
  public boolean pagesStay() {
    return false;
  }

  /** Returns the bytes that the pool has in use, which others may share. */
  @Override
  public long committedBytes() {
    return pool.usedBytes();
  }

  @Override
  public boolean hugePagesGranted() {
    return pool.hasHugePages();
  }

  @Override
  public Path file() {
    return file.path();
  }

  @Override
  public String closedMessage(String tree) {
    return condition.closedMessage();
  }

  @Override
  public boolean isClosed() {
    return condition.isClosed();
  }

  // ---------------------------------------------------------------- changes

  @Override
  public void beforeChange() {
    condition.checkTakesChanges();
  }
}
