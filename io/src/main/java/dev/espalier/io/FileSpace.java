// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageAllocation;

/**
 * Where the pages of a file are in it, which of them are given out, and room for more. Nothing else
 * knows what a page's number has to do with its position.
 */
final class FileSpace {
  /** Most bytes by which a file grows at once; by an eighth of its length below that. */
  private static final long MOST_GROWTH_BYTES = 64L << 20;

  /** Fewest pages by which a file grows at once. */
  private static final int LEAST_GROWTH_PAGES = 16;

  private final PageFile file;
  private final int pageBytes;
  private final PageAllocation numbers;

  /** For how many pages there is room in the file. */
  private long roomFor;

  /**
   * Begins with the pages that a header tells of.
   *
   * @param free numbers of the free pages
   */
  FileSpace(PageFile file, FileHeader header, int[] free) {
    this.file = file;
    this.pageBytes = header.pageBytes();
    this.numbers = new PageAllocation(header.top(), free);
    this.roomFor = file.bytes() / pageBytes - FileHeader.BLOCKS;
  }

  int pageBytes() {
    return pageBytes;
  }

  /** Returns which pages are given out. */
  PageAllocation numbers() {
    return numbers;
  }

  /** Returns where in the file a page is. */
  long position(int page) {
    return FileHeader.position(page, pageBytes);
  }

  /**
   * Makes room for pages that are given out next.
   *
   * @throws MemoryLimitException if there is none
   */
  void makeRoom(int first, int count) {
    if (first < 0 || first > Integer.MAX_VALUE - count) {
      throw new MemoryLimitException(file.path() + ": has the most pages a file can have");
    }
    int last = first + count - 1;
    if (last > roomFor) {
      grow(last);
    }
  }

  /** Makes room for a page and, if the device has it, for those that will come. */
  private void grow(int page) {
    long step = Math.min(roomFor / 8, MOST_GROWTH_BYTES / pageBytes);
    try {
      growTo(page + Math.max(step, LEAST_GROWTH_PAGES));
    } catch (PageFileException full) {
      try {
        growTo(page);
      } catch (PageFileException stillFull) {
        throw new MemoryLimitException(
            file.path() + ": there is no room for page " + page + ": " + stillFull.getMessage(),
            stillFull);
      }
    }
  }

  /** Makes room for blocks behind the last page, if there is none yet. */
  void makeRoomBehind(long blocks) {
    if (numbers.top() + blocks > roomFor) {
      growTo(numbers.top() + blocks);
    }
  }

  private void growTo(long pages) {
    file.grow((pages + FileHeader.BLOCKS) * pageBytes);
    roomFor = pages;
  }

  /** Tells whether there are numbers left for so many pages; what room there is, a device knows. */
  boolean hasNumbers(long pages) {
    return pages <= Integer.MAX_VALUE - numbers.top();
  }
}
