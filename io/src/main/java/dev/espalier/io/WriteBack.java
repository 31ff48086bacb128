// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Writes pages in batches: copies of them are gathered in page order and sealed, and neighbours
 * become one request. All are written and waited for at once, with no read among them (PIO
 * principles 1 to 3).
 */
final class WriteBack {
  /** Most bytes gathered: an SSD's bandwidth no longer grows beyond. */
  static final int MOST_BYTES = 1 << 20;

  /** What O_DIRECT wants of memory addresses. */
  private static final long ALIGNMENT = 4096;

  private final MemorySegment staging;
  private final IoBatch batch;
  private final int pageBytes;
  private final int capacity;

  private int gathered;

  /** Where in the file the pending request begins, and how many pages it has. */
  private long runPosition;

  private int runPages;

  private long requests;

  WriteBack(Arena arena, int pageBytes, int capacity) {
    this.pageBytes = pageBytes;
    this.capacity = capacity;
    this.staging = Region.ofArena(arena, (long) capacity * pageBytes, ALIGNMENT);
    this.batch = new IoBatch(staging, capacity);
  }

  /** Returns how many pages fit. */
  int capacity() {
    return capacity;
  }

  boolean isFull() {
    return gathered == capacity;
  }

  /** Returns the number of requests written so far. */
  long requests() {
    return requests;
  }

  /** Gathers a page, whose number is above those before. */
  void add(FilePageStore store, int page, MemorySegment memory, long place) {
    long to = (long) gathered * pageBytes;
    MemorySegment.copy(memory, place, staging, to, pageBytes);
    PageSeal.set(staging, to, pageBytes, page, store.fileId());
    long position = store.position(page);
    if (position != runPosition + (long) runPages * pageBytes) {
      endRun();
      runPosition = position;
    }
    runPages++;
    gathered++;
  }

  private void endRun() {
    if (runPages > 0) {
      batch.add(runPosition, (long) (gathered - runPages) * pageBytes, runPages * pageBytes);
      requests++;
    }
    runPages = 0;
  }

  /**
   * Writes what was gathered, and waits for it.
   *
   * @throws PageFileException if that failed; nothing is gathered then either
   */
  void write(PageFile file) {
    endRun();
    try {
      if (batch.count() > 0) {
        file.write(batch);
      }
    } finally {
      batch.clear();
      gathered = 0;
    }
  }
}
