// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;

/**
 * A batch of byte strings, one after the other, as Arrow lays out a column of them. Nothing is
 * copied.
 *
 * @param bytes all the bytes
 * @param offsets {@code count + 1} ints in native byte order, not descending: string {@code i}
 *     begins at byte {@code offsets[i]} and ends before {@code offsets[i + 1]}
 * @param count number of strings
 */
public record PackedBytes(MemorySegment bytes, MemorySegment offsets, int count) {

  /**
   * Creates a batch. Offsets are checked when the batch is used.
   *
   * @throws IllegalArgumentException if {@code count} is negative, or there are too few offsets
   */
  public PackedBytes {
    if (count < 0 || offsets.byteSize() < (count + 1L) * Integer.BYTES) {
      throw new IllegalArgumentException(
          "count is %d, and offsets has %d bytes; it must have 4 for each string and 4 more"
              .formatted(count, offsets.byteSize()));
    }
  }

  /**
   * Returns a batch of copies of the strings, in the heap.
   *
   * @throws ArithmeticException if they have more than 2^31 - 1 bytes in all
   */
  public static PackedBytes of(List<byte[]> strings) {
    int[] offsets = new int[strings.size() + 1];
    for (int i = 0; i < strings.size(); i++) {
      offsets[i + 1] = Math.addExact(offsets[i], strings.get(i).length);
    }
    byte[] bytes = new byte[offsets[strings.size()]];
    for (int i = 0; i < strings.size(); i++) {
      System.arraycopy(strings.get(i), 0, bytes, offsets[i], strings.get(i).length);
    }
    return new PackedBytes(
        MemorySegment.ofArray(bytes), MemorySegment.ofArray(offsets), strings.size());
  }

  /**
   * Returns string {@code i}, without a copy.
   *
   * @throws IndexOutOfBoundsException if there is no string {@code i}, or its offsets descend or
   *     are outside of the bytes
   */
  public MemorySegment get(int i) {
    Objects.checkIndex(i, count);
    long from = offset(i);
    return bytes.asSlice(from, offset(i + 1) - from);
  }

  /**
   * Returns where in {@link #bytes} string {@code i} begins. Only {@link #get} checks the offset.
   */
  public long start(int i) {
    return offset(i);
  }

  private long offset(int i) {
    return offsets.get(ValueLayout.JAVA_INT_UNALIGNED, (long) i * Integer.BYTES);
  }
}
