// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Writes changed pages in batches: copies of them are gathered in page order and sealed, and
 * neighbours become one request. All are written and waited for at once, with no read among them
 * (PIO principles 1 to 3).
 *
 * <p>All calls but {@link #writeAll} are made under the lock of the frames.
 */
final class WriteBack {
  /** Most bytes gathered: an SSD's bandwidth no longer grows beyond. */
  static final int MOST_BYTES = 1 << 20;

  /** What O_DIRECT wants of memory addresses. */
  private static final long ALIGNMENT = 4096;

  private final Frames frames;
  private final MemorySegment copies;
  private final IoBatch batch;
  private final int pageBytes;
  private final int capacity;

  /** Pages gathered since the last batch was written. */
  private int gathered;

  /** Where in the file the next request begins, and of how many pages it is so far. */
  private long requestPosition;

  private int requestPages;

  /** Where each page that is gathered goes. */
  private final long[] positions;

  private long requests;
  private long written;

  /**
   * Takes memory for copies.
   *
   * @param capacity most pages that are written at once
   */
  WriteBack(Frames frames, Arena arena, int capacity) {
    this.frames = frames;
    this.pageBytes = frames.pageBytes();
    this.capacity = capacity;
    this.copies = Region.ofArena(arena, (long) capacity * pageBytes, ALIGNMENT);
    this.batch = new IoBatch(copies, capacity);
    this.positions = new long[capacity];
  }

  /** Returns how many pages are written at once. */
  int capacity() {
    return capacity;
  }

  /** Returns the number of requests written so far. */
  long requests() {
    return requests;
  }

  /** Returns the number of pages written so far. */
  long written() {
    return written;
  }

  /**
   * Writes all changed pages of a store, none of which is being changed.
   *
   * @throws PageFileException if that fails
   */
  void writeAll(PooledPageStore store) {
    long[] changed = changedOf(store);
    for (int from = 0; from < changed.length; from += capacity) {
      frames.lock.lock();
      try {
        write(store, changed, from, Math.min(from + capacity, changed.length));
      } finally {
        frames.lock.unlock();
      }
    }
  }

  private long[] changedOf(PooledPageStore store) {
    frames.lock.lock();
    try {
      return frames.of(store).filter(frames::isChanged).mapToLong(frames::key).sorted().toArray();
    } finally {
      frames.lock.unlock();
    }
  }

  /**
   * Writes some frames of a store, as far as they are changed. Tells whether it could.
   *
   * @param keys of the frames; they are sorted
   * @param count how many, no more than are written at once
   */
  boolean tryWrite(PooledPageStore store, long[] keys, int count) {
    Arrays.sort(keys, 0, count);
    try {
      write(store, keys, 0, count);
      return true;
    } catch (PageFileException failed) {
      return false; // the store takes no more changes, and says why
    }
  }

  /** Writes those of some frames, in page order, that still have their pages and are changed. */
  private void write(PooledPageStore store, long[] keys, int from, int to) {
    int end = from;
    try {
      for (int i = from; i < to; i++) {
        if (frames.holds(store, keys[i]) && isTaken(Frames.frameOf(keys[i]))) {
          keys[end++] = keys[i];
          gather(store, Frames.frameOf(keys[i]));
        }
      }
      writeGathered(store.file);
    } catch (RuntimeException failed) {
      for (int i = from; i < end; i++) {
        frames.set(Frames.frameOf(keys[i]), Frames.CHANGED);
      }
      for (int i = 0; i < gathered; i++) {
        store.noteNotWritten(frames.page(Frames.frameOf(keys[from + i])), positions[i]);
      }
      throw store.noteFailure(failed);
    } finally {
      batch.clear();
      requestPages = 0;
      gathered = 0;
    }
    for (int i = from; i < end; i++) {
      int page = frames.page(Frames.frameOf(keys[i]));
      store.noteWritten(
          page, positions[i - from], PageSeal.checksumOf(copies, i - from, pageBytes));
    }
    written += end - from;
  }

  /**
   * Makes a changed frame a clean one whose page is copied next. Nobody may change the page
   * meanwhile: the frame is busy, or if it is pinned, then for reading only.
   */
  private boolean isTaken(int frame) {
    int state = frames.state(frame);
    boolean isPinned = (state & Frames.PINS) != 0;
    int clean = state & ~Frames.CHANGED;
    return (state & (Frames.CHANGED | Frames.BUSY)) == Frames.CHANGED
        && frames.replace(frame, state, isPinned ? clean : clean | Frames.BUSY);
  }

  /** Copies a page to where it is written from, sealed. */
  private void gather(PooledPageStore store, int frame) {
    long to = (long) gathered * pageBytes;
    MemorySegment.copy(frames.memory(), frames.offset(frame), copies, to, pageBytes);
    if ((frames.state(frame) & Frames.PINS) == 0) {
      frames.clear(frame, Frames.BUSY);
    }
    long position = store.seal(copies, to, frames.page(frame));
    if (position != requestPosition + (long) requestPages * pageBytes) {
      addRequest();
      requestPosition = position;
    }
    positions[gathered] = position;
    requestPages++;
    gathered++;
  }

  private void addRequest() {
    if (requestPages > 0) {
      long offset = (long) (gathered - requestPages) * pageBytes;
      batch.add(requestPosition, offset, requestPages * pageBytes);
      requests++;
    }
    requestPages = 0;
  }

  /** Writes what was gathered, and waits for it. */
  private void writeGathered(PageFile file) {
    addRequest();
    if (batch.count() > 0) {
      file.write(batch);
    }
  }
}
