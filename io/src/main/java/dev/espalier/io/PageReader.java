// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Reads single pages of a store by slot, bypassing the pool, and checks what they are. */
class PageReader implements AutoCloseable {
  private final PageFile file;
  private final int pageBytes;
  private final Arena arena = Arena.ofShared();
  private final IoBatch batch;

  PageReader(PageFile file, int pageBytes) {
    this.file = file;
    this.pageBytes = pageBytes;
    int alignment = Math.max(pageBytes, file.alignment());
    this.batch = new IoBatch(arena.allocate(pageBytes, alignment), 1);
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
    batch.clear();
    batch.add((long) slot * pageBytes, 0, pageBytes);
    file.read(batch);
    String fault = PageSeal.fault(batch.memory(), 0, pageBytes, page, index, checksum);
    if (fault != null) {
      throw new CorruptPageException(file.path(), page, "in slot " + slot + " " + fault);
    }
    return batch.memory();
  }

  /**
   * Notes that a map refers to a slot.
   *
   * @throws CorruptPageException if there can be no such slot, or another page is there
   */
  void claim(SlotSpace space, int slot, int page) {
    if (slot < space.first() || slot >= space.room()) {
      throw new CorruptPageException(
          file.path(), page, "should be in slot %d of %d".formatted(slot, space.room()));
    }
    if (space.isLoaded(slot)) {
      throw new CorruptPageException(
          file.path(), page, "should be in slot " + slot + ", where another page is");
    }
    space.noteLoaded(slot);
  }

  /** Returns the exception to throw if a page says something impossible. */
  CorruptPageException corrupt(int page, String what) {
    return new CorruptPageException(file.path(), page, what);
  }

  @Override
  public void close() {
    arena.close();
  }
}
