// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Pages that a checkpoint writes besides those of the trees: pages of the maps and of the
 * catalogue.
 */
final class PageImages implements AutoCloseable {
  private static final int PER_BLOCK = 64;

  private final int pageBytes;
  private final Arena arena = Arena.ofShared();
  private final List<IoBatch> blocks = new ArrayList<>();
  private int inBlock = PER_BLOCK;

  PageImages(int pageBytes) {
    this.pageBytes = pageBytes;
  }

  /**
   * Returns memory for a page, all zeros, which is to be sealed before the next one is asked for.
   */
  MemorySegment next() {
    if (inBlock == PER_BLOCK) {
      long bytes = (long) PER_BLOCK * pageBytes;
      MemorySegment memory = Region.ofArena(arena, bytes, StoreHeader.BLOCK_BYTES);
      blocks.add(new IoBatch(memory.fill((byte) 0), PER_BLOCK));
      inBlock = 0;
    }
    return blocks.getLast().memory().asSlice((long) inBlock * pageBytes, pageBytes);
  }

  /** Seals a page that goes into a slot, and returns its checksum. */
  int seal(MemorySegment image, int slot, int page, long tag) {
    PageSeal.set(image, 0, pageBytes, page, tag);
    blocks.getLast().add((long) slot * pageBytes, (long) inBlock * pageBytes, pageBytes);
    inBlock++;
    return PageSeal.checksumOf(image, 0, pageBytes);
  }

  /** Returns the bytes of all pages. */
  long bytes() {
    return blocks.stream().mapToLong(IoBatch::count).sum() * pageBytes;
  }

  /**
   * Writes all pages, and waits for them; they are safe after a force. May be called again if it
   * fails.
   */
  void write(PageFile file) {
    for (IoBatch block : blocks) {
      block.repeat();
      file.write(block);
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
