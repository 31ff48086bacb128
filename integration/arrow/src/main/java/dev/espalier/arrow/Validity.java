// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/**
 * Arrow's validity bitmap: row {@code i} is not null if bit {@code i % 8} of byte {@code i / 8} is
 * set. An empty segment stands for no bitmap, and then no row is null.
 */
final class Validity {
  private Validity() {}

  /** Returns how many bytes the bits of so many rows take. */
  static long bytes(long rows) {
    return (rows + Byte.SIZE - 1) / Byte.SIZE;
  }

  /** Returns whether a row is not null. */
  static boolean has(MemorySegment bits, long row) {
    return bits.byteSize() == 0 || (bits.get(JAVA_BYTE, row >> 3) >> (row & 7) & 1) != 0;
  }

  /** Returns the bits of up to 64 rows; bit 0 stands for the first. */
  static long read(MemorySegment bits, long row, int rows) {
    if (bits.byteSize() == 0) {
      return mask(rows);
    }
    long word = 0;
    for (int done = 0; done < rows; ) {
      long at = row + done;
      int shift = (int) (at & 7);
      word |= (bits.get(JAVA_BYTE, at >> 3) & 0xFFL) >>> shift << done;
      done += Byte.SIZE - shift;
    }
    return word & mask(rows);
  }

  /** Writes the bits of up to 64 rows, and leaves those of their neighbours as they are. */
  static void write(MemorySegment bits, long row, int rows, long word) {
    for (int done = 0; done < rows; ) {
      long at = row + done;
      int shift = (int) (at & 7);
      int some = Math.min(Byte.SIZE - shift, rows - done);
      int changed = (int) mask(some) << shift;
      int before = bits.get(JAVA_BYTE, at >> 3);
      int next = (int) (word >>> done) << shift;
      bits.set(JAVA_BYTE, at >> 3, (byte) ((before & ~changed) | (next & changed)));
      done += some;
    }
  }

  /** Returns a word with as many low bits set, from 0 to 64. */
  private static long mask(int rows) {
    return rows == 0 ? 0 : -1L >>> (Long.SIZE - rows);
  }

  /** Checks that a bitmap is empty or has a bit for each of the first rows. */
  static void check(MemorySegment bits, long rows) {
    if (bits.byteSize() != 0 && bits.byteSize() < bytes(rows)) {
      throw new IllegalArgumentException(
          "validity has %d bytes; %d rows need %d, or none if no row is null"
              .formatted(bits.byteSize(), rows, bytes(rows)));
    }
  }
}
