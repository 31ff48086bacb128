// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;

import dev.espalier.memory.PageStore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The numbers of the free pages, as a file keeps them: in blocks behind the last page that are
 * sealed as pages are, each a row of ints.
 */
final class FreePages {
  private FreePages() {}

  private static int perBlock(int pageBytes) {
    return (pageBytes - PageStore.RESERVED_BYTES) / Integer.BYTES;
  }

  /** Returns how many blocks so many numbers take. */
  static long blocks(int count, int pageBytes) {
    return Math.ceilDiv((long) count, perBlock(pageBytes));
  }

  /** Writes the numbers behind the last page. */
  static void write(PageFile file, FileSpace space, long fileId, int[] free) {
    int pageBytes = space.pageBytes();
    space.makeRoomBehind(blocks(free.length, pageBytes));
    int perBlock = perBlock(pageBytes);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment block = arena.allocate(pageBytes, Math.max(pageBytes, file.alignment()));
      IoBatch batch = new IoBatch(block, 1);
      int number = space.numbers().top();
      for (int from = 0; from < free.length; from += perBlock) {
        number++;
        int count = Math.min(perBlock, free.length - from);
        block.fill((byte) 0);
        MemorySegment.copy(free, from, block, INT, PageStore.RESERVED_BYTES, count);
        PageSeal.set(block, 0, pageBytes, number, fileId);
        batch.clear();
        batch.add(space.position(number), 0, pageBytes);
        file.write(batch);
      }
    }
  }

  /**
   * Reads the numbers.
   *
   * @throws CorruptPageException if a block is damaged, or a number is none of a page or there
   *     twice
   */
  static int[] read(PageFile file, FileHeader header) {
    int pageBytes = header.pageBytes();
    int perBlock = perBlock(pageBytes);
    int[] free = new int[header.freePages()];
    BitSet seen = new BitSet();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment block = arena.allocate(pageBytes, Math.max(pageBytes, file.alignment()));
      IoBatch batch = new IoBatch(block, 1);
      int number = header.top();
      for (int from = 0; from < free.length; from += perBlock) {
        number++;
        batch.clear();
        batch.add(FileHeader.position(number, pageBytes), 0, pageBytes);
        file.read(batch);
        String fault = PageSeal.fault(block, 0, pageBytes, number, header.fileId());
        if (fault != null) {
          throw new CorruptPageException(file.path(), number, fault);
        }
        int count = Math.min(perBlock, free.length - from);
        MemorySegment.copy(block, INT, PageStore.RESERVED_BYTES, free, from, count);
        check(file, header, number, Arrays.copyOfRange(free, from, from + count), seen);
      }
    }
    return free;
  }

  /** Checks the numbers of one block, which may have a seal and be nonsense all the same. */
  private static void check(
      PageFile file, FileHeader header, int block, int[] numbers, BitSet seen) {
    for (int page : numbers) {
      if (page < 1 || page > header.top()) {
        throw new CorruptPageException(file.path(), block, "lists page " + page + " as free");
      }
      if (seen.get(page)) {
        throw new CorruptPageException(
            file.path(), block, "lists page " + page + " as free, which was listed before");
      }
      seen.set(page);
    }
  }
}
