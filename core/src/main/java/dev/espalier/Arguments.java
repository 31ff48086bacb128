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

  /** For calls that an adapter answers without calling the index, which would check this itself. */
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
}
