// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import dev.espalier.bytes.BytesIndex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Arrays;
import java.util.Objects;

/**
 * Looks up columns of keys in an index of byte strings, and makes columns of values.
 *
 * <p>Keeps an array as long as the values of the largest answer so far. A lookup is used by one
 * thread at a time; several lookups may share an index.
 */
public final class BytesLookup {
  private static final int ABSENT = -1;

  /** Longer arrays are not possible. */
  private static final long MOST_BYTES = Integer.MAX_VALUE - 8;

  private final BytesIndex index;

  /** Values in the order in which the index has shown them, which is not that of the rows. */
  private byte[] shown = {};

  private int shownBytes;

  /** Where the value of each row begins in {@code shown}, or {@link #ABSENT}. */
  private int[] starts = {};

  private int[] lengths = {};

  /** Creates a lookup over an index, which the caller continues to own. */
  public BytesLookup(BytesIndex index) {
    this.index = Objects.requireNonNull(index, "index");
  }

  /**
   * Looks up every key, and returns a column with as many rows: the value of the key in the same
   * row, or null if that is null or not in the index.
   *
   * <p>Calls the allocator three times: for the validity bits, for the offsets, and for the bytes,
   * in this order and each time for exactly the size needed. If the allocator hands out the buffers
   * of an Arrow vector, the answer is that vector.
   *
   * @throws IllegalStateException if the index is closed
   * @throws IllegalArgumentException if an allocated segment is too short
   * @throws ArithmeticException if the values have almost 2 GiB or more in all
   */
  public BytesColumn getAll(BytesColumn keys, SegmentAllocator allocator) {
    int rows = keys.count();
    reserve(rows);
    lookUp(keys);
    MemorySegment validity = allocate(allocator, Validity.bytes(rows));
    MemorySegment offsets = allocate(allocator, (rows + 1L) * Integer.BYTES);
    MemorySegment bytes = allocate(allocator, shownBytes);
    validity.fill((byte) 0);
    int end = 0;
    offsets.set(JAVA_INT_UNALIGNED, 0, 0);
    for (int row = 0; row < rows; row++) {
      if (starts[row] != ABSENT) {
        Validity.write(validity, row, 1, 1);
        MemorySegment.copy(shown, starts[row], bytes, JAVA_BYTE, end, lengths[row]);
        end += lengths[row];
      }
      offsets.set(JAVA_INT_UNALIGNED, (row + 1L) * Integer.BYTES, end);
    }
    return BytesColumn.of(bytes, offsets, validity, rows);
  }

  /** Looks up the keys between those that are too long for an index, which it has not. */
  private void lookUp(BytesColumn keys) {
    int from = 0;
    for (int row = 0; row < keys.count(); row++) {
      if (keys.bytesOf(row) > BytesIndex.MAX_KEY) {
        lookUp(keys, from, row);
        from = row + 1;
      }
    }
    lookUp(keys, from, keys.count());
  }

  private void lookUp(BytesColumn keys, int first, int end) {
    BytesColumn asked = keys.slice(first, end);
    index.getAll(
        asked.packed(),
        (row, piece, from, bytes, position, total) -> {
          if (asked.isValid(row)) {
            keep(first + row, piece, from, (int) bytes, position, total);
          }
        });
  }

  private void reserve(int rows) {
    if (starts.length < rows) {
      starts = new int[rows];
      lengths = new int[rows];
    }
    Arrays.fill(starts, 0, rows, ABSENT);
    shownBytes = 0;
  }

  private void keep(int row, MemorySegment piece, long from, int bytes, long position, long total) {
    if (position == 0) {
      starts[row] = shownBytes;
      lengths[row] = (int) total;
      long end = shownBytes + total;
      if (end > MOST_BYTES) {
        throw new ArithmeticException(
            "the values have more than " + MOST_BYTES + " bytes; those of fewer keys have fewer");
      }
      if (end > shown.length) {
        shown = Arrays.copyOf(shown, (int) Math.max(end, Math.min(2L * shown.length, 1 << 30)));
      }
      shownBytes = (int) end;
    }
    MemorySegment.copy(piece, JAVA_BYTE, from, shown, starts[row] + (int) position, bytes);
  }

  private static MemorySegment allocate(SegmentAllocator allocator, long bytes) {
    MemorySegment segment = allocator.allocate(bytes);
    if (segment.byteSize() < bytes) {
      throw new IllegalArgumentException(
          "the allocator returned %d bytes where %d were asked for"
              .formatted(segment.byteSize(), bytes));
    }
    return segment;
  }
}
