// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;
import static dev.espalier.io.LittleEndian.LONG;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of every page in a file. They reveal damage, and pages that are not where they
 * belong. They are set when a page is written and checked when it is read.
 *
 * <pre>
 *  0        4      8       10                  16
 *  | crc32c | page | index | checkpoint before | the tree's bytes ... |
 *    int      int    short   48 bits
 * </pre>
 *
 * The checksum covers all bytes after it. The map has it as well, so that a page that was written
 * earlier is not taken for the one that was written last. Index and checkpoint together are the
 * tag, which says what a page was if its map is lost. Little-endian.
 */
final class PageSeal {
  private static final long CHECKSUM = 0;
  private static final long PAGE = 4;
  private static final long TAG = 8;

  /** Bits of a tag that say which index; those above say which checkpoint. */
  private static final int INDEX_BITS = 16;

  private PageSeal() {}

  /**
   * Returns the tag that says to which index a page belongs, and after which checkpoint it was
   * written.
   */
  static long tag(int index, long checkpoint) {
    return index | checkpoint << INDEX_BITS;
  }

  /** Seals the page that is at an offset in memory. */
  static void set(MemorySegment memory, long offset, int pageBytes, int page, long tag) {
    memory.set(INT, offset + PAGE, page);
    memory.set(LONG, offset + TAG, tag);
    memory.set(INT, offset + CHECKSUM, checksum(memory, offset, pageBytes));
  }

  /**
   * Returns what is wrong with a page that was read from its slot, or null.
   *
   * @param index the index that it must belong to
   * @param checksum the checksum with which it was written last
   */
  static @Nullable String fault(
      MemorySegment memory, long offset, int pageBytes, int page, int index, int checksum) {
    int stated = memory.get(INT, offset + CHECKSUM);
    int actual = checksum(memory, offset, pageBytes);
    if (stated != actual) {
      return "is damaged: its checksum is %08x, that of its bytes %08x".formatted(stated, actual);
    }
    int number = memory.get(INT, offset + PAGE);
    int owner = (int) memory.get(LONG, offset + TAG) & ((1 << INDEX_BITS) - 1);
    if (number != page || owner != index) {
      return "holds page %d of index %d, not page %d of index %d"
          .formatted(number, owner, page, index);
    }
    return stated == checksum
        ? null
        : "is not what was written last: its checksum is %08x, not %08x"
            .formatted(stated, checksum);
  }

  /** Returns the checksum that a page was sealed with, of pages that lie side by side. */
  static int checksumOf(MemorySegment memory, long page, int pageBytes) {
    return memory.get(INT, page * pageBytes + CHECKSUM);
  }

  /** Tells whether the bytes of a page are those that were sealed, whatever page it is. */
  static boolean isSound(MemorySegment memory, long offset, int pageBytes) {
    return memory.get(INT, offset + CHECKSUM) == checksum(memory, offset, pageBytes);
  }

  /** Returns the number that a page was sealed with. */
  static int page(MemorySegment memory, long offset) {
    return memory.get(INT, offset + PAGE);
  }

  /** Returns to which index a page belongs, by its tag. */
  static int indexOf(long tag) {
    return (int) tag & ((1 << INDEX_BITS) - 1);
  }

  /** Returns the tag that a page was sealed with. */
  static long tag(MemorySegment memory, long offset) {
    return memory.get(LONG, offset + TAG);
  }

  /** Returns after which checkpoint a page was written, by its tag. */
  static long checkpointOf(long tag) {
    return tag >>> INDEX_BITS;
  }

  private static int checksum(MemorySegment memory, long offset, int pageBytes) {
    CRC32C crc = new CRC32C();
    crc.update(memory.asSlice(offset + PAGE, pageBytes - PAGE).asByteBuffer());
    return (int) crc.getValue();
  }
}
