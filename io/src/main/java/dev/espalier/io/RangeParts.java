// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.bytes.BytesCursor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Cuts a range that is removed on a device without room for all of it into parts. */
final class RangeParts {
  /** In place of a number of entries: there is room for the removal of the whole range. */
  static final int ALL = Integer.MAX_VALUE;

  private RangeParts() {}

  /**
   * Returns the key of the last of so many entries of a range, or {@code to} if there are fewer.
   *
   * @param most entries of the part, at least 1
   */
  static long end(LongCursor cursor, long from, boolean fromInclusive, long to, int most) {
    boolean isOn = fromInclusive ? cursor.ceiling(from) : cursor.higher(from);
    for (int i = 1; i < most && isOn; i++) {
      isOn = cursor.next();
    }
    return isOn ? Math.min(cursor.key(), to) : to;
  }

  /**
   * Returns the key of the last of so many entries of a range, or null if there are fewer.
   *
   * @param most entries of the part, at least 1
   * @param longest bytes of the key; a longer one ends no part, since the log has no room for it
   */
  static byte @Nullable [] end(
      BytesCursor cursor, byte[] from, boolean fromInclusive, byte[] to, int most, int longest) {
    MemorySegment first = MemorySegment.ofArray(from);
    boolean isOn = fromInclusive ? cursor.ceiling(first) : cursor.higher(first);
    for (int i = 1; isOn; i++) {
      byte[] key = cursor.keyArray();
      if (Arrays.compareUnsigned(key, to) >= 0) {
        return null;
      }
      if (i >= most && key.length <= longest) {
        return key;
      }
      isOn = cursor.next();
    }
    return null;
  }
}
