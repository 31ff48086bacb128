// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;
import static dev.espalier.io.LittleEndian.LONG;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of every page in a file, by which damage is found and pages that are not where
 * they belong. They are set when a page is written and checked when it is read.
 *
 * <pre>
 *  0        4      8         16
 *  | crc32c | page | file id | the tree's bytes ... |
 *    int      int    long
 * </pre>
 *
 * The checksum is that of all bytes behind it. Little-endian.
 */
final class PageSeal {
  private static final long CHECKSUM = 0;
  private static final long PAGE = 4;
  private static final long FILE_ID = 8;

  private PageSeal() {}

  /** Seals the page that is at an offset in memory. */
  static void set(MemorySegment memory, long offset, int pageBytes, int page, long fileId) {
    memory.set(INT, offset + PAGE, page);
    memory.set(LONG, offset + FILE_ID, fileId);
    memory.set(INT, offset + CHECKSUM, checksum(memory, offset, pageBytes));
  }

  /** Returns what is wrong with a page that was read, or null. */
  static @Nullable String fault(
      MemorySegment memory, long offset, int pageBytes, int page, long fileId) {
    int stated = memory.get(INT, offset + CHECKSUM);
    int actual = checksum(memory, offset, pageBytes);
    int number = memory.get(INT, offset + PAGE);
    if (stated != actual) {
      return stated == 0 && number == 0
          ? "was never written, or its beginning is lost"
          : "is damaged: its checksum is %08x, that of its bytes %08x".formatted(stated, actual);
    }
    if (number != page) {
      return "holds page " + number + " of a file";
    }
    long id = memory.get(LONG, offset + FILE_ID);
    return id == fileId ? null : "belongs to another file: its id is %x".formatted(id);
  }

  /** Returns the checksum that a page was sealed with, of pages that lie side by side. */
  static int checksumOf(MemorySegment memory, long page, int pageBytes) {
    return memory.get(INT, page * pageBytes + CHECKSUM);
  }

  private static int checksum(MemorySegment memory, long offset, int pageBytes) {
    CRC32C crc = new CRC32C();
    crc.update(memory.asSlice(offset + PAGE, pageBytes - PAGE).asByteBuffer());
    return (int) crc.getValue();
  }
}
