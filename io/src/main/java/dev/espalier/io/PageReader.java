// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Reads pages of a store by slot, bypassing the pool, and checks what they are. Where one follows
 * another in the file, it reads more and more at once: a store may have the maps of many indexes.
 */
class PageReader implements AutoCloseable {
  /** Most bytes that are read at once. */
  private static final int MOST_BYTES = WriteBack.MOST_BYTES;

  private final PageFile file;
  private final int pageBytes;
  private final Arena arena = Arena.ofShared();
  private IoBatch batch;

  /** The slots whose pages are in memory: from the first on, up to the second. */
  private int from;

  private int to;

  PageReader(PageFile file, int pageBytes) {
    this.file = file;
    this.pageBytes = pageBytes;
    this.batch = batchOf(1);
  }

  private IoBatch batchOf(int pages) {
    int alignment = Math.max(pageBytes, file.alignment());
    return new IoBatch(arena.allocate((long) pages * pageBytes, alignment), 1);
  }

  int pageBytes() {
    return pageBytes;
  }

  /**
   * Returns a page, until the next one is read.
   *
   * @param checksum the checksum that it must have
   * @param page the number that it must have
   * @param index the index that it must belong to
   * @throws CorruptPageException if it is another one, or damaged
   */
  MemorySegment read(int slot, int checksum, int page, int index) {
    if (slot < from || slot >= to) {
      if (slot < 0 || (slot + 1L) * pageBytes > file.bytes()) {
        throw corrupt(index, page, "should be in slot " + slot + ", which is not in the file");
      }
      load(slot);
    }
    long at = (long) (slot - from) * pageBytes;
    String fault = PageSeal.fault(batch.memory(), at, pageBytes, page, index, checksum);
    if (fault != null) {
      throw corrupt(index, page, "in slot " + slot + " " + fault);
    }
    return batch.memory().asSlice(at, pageBytes);
  }

  private void load(int slot) {
    int before = to - from;
    int pages = slot >= to && slot - to < before ? Math.min(2 * before, MOST_BYTES / pageBytes) : 1;
    pages = Math.clamp(file.bytes() / pageBytes - slot, 1, pages);
    to = from;
    try {
      load(slot, pages);
    } catch (PageFileException failed) {
      if (pages == 1) {
        throw failed;
      }
      load(slot, 1); // What can't be read may be a page that nobody asks for.
    }
  }

  private void load(int slot, int pages) {
    if (batch.memory().byteSize() < (long) pages * pageBytes) {
      batch = batchOf(pages);
    }
    batch.clear();
    batch.add((long) slot * pageBytes, 0, pages * pageBytes);
    file.read(batch);
    from = slot;
    to = slot + pages;
  }

  /**
   * Notes that a map refers to a slot.
   *
   * @throws CorruptPageException if there can be no such slot, or another page is there
   */
  void claim(SlotSpace space, int slot, int page, int index) {
    if (slot < space.first() || slot >= space.room()) {
      throw corrupt(index, page, "should be in slot %d of %d".formatted(slot, space.room()));
    }
    if (space.isLoaded(slot)) {
      throw corrupt(index, page, "should be in slot " + slot + ", where another page is");
    }
    space.noteLoaded(slot);
  }

  /** Returns the exception to throw if a page says something impossible. */
  CorruptPageException corrupt(int index, int page, String what) {
    String name =
        index == Catalogue.ID
            ? "page %d of the catalogue".formatted(page)
            : page < 0
                ? PageMap.name(page) + " of index " + index
                : "page %d of index %d".formatted(page, index);
    return CorruptPageException.named(file.path(), page, name + " " + what);
  }

  @Override
  public void close() {
    arena.close();
  }
}
