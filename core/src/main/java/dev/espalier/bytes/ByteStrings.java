// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;

/** Formats byte strings for messages. */
final class ByteStrings {
  /** Enough to recognize a key by, in a message of one line. */
  private static final long MOST_SHOWN = 32;

  private ByteStrings() {}

  /**
   * Returns the bytes as hexadecimal digits; of a long string, only the first bytes and the length.
   */
  static String show(MemorySegment bytes) {
    long shown = Math.min(bytes.byteSize(), MOST_SHOWN);
    String digits =
        HexFormat.of().formatHex(bytes.asSlice(0, shown).toArray(ValueLayout.JAVA_BYTE));
    return shown == bytes.byteSize()
        ? "0x" + digits
        : "0x%s... of %d bytes".formatted(digits, bytes.byteSize());
  }
}
