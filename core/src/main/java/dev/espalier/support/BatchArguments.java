// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.node.Bits;
import java.util.Objects;

/** Checks what the batched calls are given. */
public final class BatchArguments {
  private BatchArguments() {}

  /** Checks the ranges of two arrays. */
  public static void check(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    checkRange("keys", keys.length, keysFrom, count);
    checkRange("values", values.length, valuesFrom, count);
  }

  /** Checks that an array has a bit for each key. */
  public static void checkFound(long[] found, int count) {
    Objects.requireNonNull(found, "found");
    if (found.length < Bits.words(count)) {
      throw new IndexOutOfBoundsException(
          "found has too few words, one for each 64 keys: found.length="
              + found.length
              + ", count="
              + count);
    }
  }

  private static void checkRange(String name, int length, int from, int count) {
    if ((length | from | count) < 0 || count > length - from) {
      throw new IndexOutOfBoundsException(
          "out of bounds of "
              + name
              + ", whose length is "
              + length
              + ": "
              + name
              + "From="
              + from
              + ", count="
              + count);
    }
  }
}
