// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Checks arguments and state; messages name the argument and its value. */
final class Arguments {
  private Arguments() {}

  static void checkEqualLengths(long[] keys, long[] values) {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    if (keys.length != values.length) {
      throw new IllegalArgumentException(
          "keys and values differ in length: keys.length="
              + keys.length
              + ", values.length="
              + values.length);
    }
  }

  /**
   * Checks that the index is open. For calls that an adapter answers without calling the index,
   * which would check this itself.
   */
  static void checkOpen(LongIndex index) {
    if (index.isClosed()) {
      throw new IllegalStateException("the " + index.variant().name() + " is closed");
    }
  }

  /** Checks the sizes of two segments, and that the second is writable. */
  static void checkSegments(MemorySegment keys, MemorySegment values) {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    if (keys.byteSize() != values.byteSize() || keys.byteSize() % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "keys has "
              + keys.byteSize()
              + " bytes and values has "
              + values.byteSize()
              + "; both must have the same size, a multiple of 8");
    }
    if (values.isReadOnly()) {
      throw new IllegalArgumentException("values is read-only: " + values);
    }
  }

  /** Checks the ranges of two arrays. */
  static void checkBatch(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    checkRange("keys", keys.length, keysFrom, count);
    checkRange("values", values.length, valuesFrom, count);
  }

  private static void checkRange(String name, int length, int from, int count) {
    if ((length | from | count) < 0 || count > length - from) {
      throw new IndexOutOfBoundsException(
          "out of bounds of %s, whose length is %d: %sFrom=%d, count=%d"
              .formatted(name, length, name, from, count));
    }
  }

  /**
   * Checks that an array has a bit for each of {@code count} keys, unless the count is negative.
   */
  static void checkFound(long[] found, int count) {
    Objects.requireNonNull(found, "found");
    if (found.length < (count + 63L) / 64) {
      throw new IndexOutOfBoundsException(
          "found has too few words, one for each 64 keys: found.length=%d, count=%d"
              .formatted(found.length, count));
    }
  }
}
