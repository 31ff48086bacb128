// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Some pages of one index that are read at once from their slots, bypassing the pool, to be checked
 * or written elsewhere. A batch is made once and used again, by one thread at a time.
 */
final class PageBatch implements AutoCloseable {
  /** Bytes that are moved at once: an SSD's bandwidth grows little beyond. */
  private static final int BYTES = 1 << 20;

  private static final int MOST_PAGES = 256;

  private final int pageBytes;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final IoBatch requests;
  private final int[] pages;
  private final int[] slots;
  private final int[] checksums;
  private int count;

  PageBatch(int pageBytes) {
    this.pageBytes = pageBytes;
    int capacity = Math.clamp(BYTES / pageBytes, 1, MOST_PAGES);
    int alignment = Math.max(pageBytes, StoreHeader.BLOCK_BYTES);
    this.memory = arena.allocate((long) capacity * pageBytes, alignment);
    this.requests = new IoBatch(memory, capacity);
    this.pages = new int[capacity];
    this.slots = new int[capacity];
    this.checksums = new int[capacity];
  }

  /** Returns how many pages there are. */
  int count() {
    return count;
  }

  /** Returns the most pages there can be. */
  int capacity() {
    return pages.length;
  }

  boolean isFull() {
    return count == pages.length;
  }

  int page(int i) {
    return pages[i];
  }

  int slot(int i) {
    return slots[i];
  }

  /** Returns the checksum that the page has, or is to have. */
  int checksum(int i) {
    return checksums[i];
  }

  /** Returns what the page was sealed with. */
  long tag(int i) {
    return PageSeal.tag(memory, (long) i * pageBytes);
  }

  /** Forgets all pages. */
  void clear() {
    count = 0;
  }

  /**
   * Adds a page that is to be read.
   *
   * @param checksum with which it was written
   */
  void add(int page, int slot, int checksum) {
    pages[count] = page;
    slots[count] = slot;
    checksums[count] = checksum;
    count++;
  }

  /** Reads all pages, neighbours by one request. */
  void read(PageFile file) {
    addRequests(slots);
    if (count > 0) {
      file.read(requests);
    }
  }

  /** Returns what is wrong with a page that was read, or null. */
  @Nullable String fault(int i, int index) {
    return PageSeal.fault(memory, (long) i * pageBytes, pageBytes, pages[i], index, checksums[i]);
  }

  /**
   * Checks all pages that were read.
   *
   * @throws CorruptPageException if a page is damaged, or is another one
   */
  void check(PageFile file, IndexPages index) {
    for (int i = 0; i < count; i++) {
      String fault = fault(i, index.id);
      if (fault != null) {
        throw new CorruptPageException(
            file.path(),
            pages[i],
            "of index '%s', in slot %d, %s".formatted(index.name, slots[i], fault));
      }
    }
  }

  /** Seals a page anew. */
  void seal(int i, long tag) {
    PageSeal.set(memory, (long) i * pageBytes, pageBytes, pages[i], tag);
    checksums[i] = PageSeal.checksumOf(memory, i, pageBytes);
  }

  /** Writes all pages into other slots, neighbours by one request. */
  void write(PageFile file, int[] into) {
    addRequests(into);
    if (count > 0) {
      file.write(requests);
    }
  }

  private void addRequests(int[] at) {
    requests.clear();
    int from = 0;
    for (int i = 1; i <= count; i++) {
      if (i == count || at[i] != at[i - 1] + 1) {
        long bytes = (long) (i - from) * pageBytes;
        requests.add((long) at[from] * pageBytes, (long) from * pageBytes, (int) bytes);
        from = i;
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
