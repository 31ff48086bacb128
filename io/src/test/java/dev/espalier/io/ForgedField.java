// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.ByteBuffer;
import java.util.Random;

/** A field of some width that is given another value. */
final class ForgedField {
  private ForgedField() {}

  /**
   * Changes a field by one, or to a random number, a small one or an extreme.
   *
   * @param base from which the offset counts that is named
   * @return what was changed
   */
  static String change(
      ByteBuffer bytes, int base, int offset, int width, long[] extremes, Random random) {
    int at = base + offset;
    long old = get(bytes, at, width);
    long value =
        switch (random.nextInt(4)) {
          case 0 -> old + (random.nextBoolean() ? 1 : -1);
          case 1 -> random.nextLong();
          case 2 -> random.nextInt(40);
          default -> extremes[random.nextInt(extremes.length)];
        };
    switch (width) {
      case 1 -> bytes.put(at, (byte) value);
      case 2 -> bytes.putShort(at, (short) value);
      case 4 -> bytes.putInt(at, (int) value);
      default -> bytes.putLong(at, value);
    }
    return " %d bytes at %d from %d to %d;".formatted(width, offset, old, get(bytes, at, width));
  }

  private static long get(ByteBuffer bytes, int at, int width) {
    return switch (width) {
      case 1 -> bytes.get(at);
      case 2 -> bytes.getShort(at);
      case 4 -> bytes.getInt(at);
      default -> bytes.getLong(at);
    };
  }
}
