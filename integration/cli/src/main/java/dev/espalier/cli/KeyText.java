// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Byte strings for people. */
final class KeyText {
  private KeyText() {}

  /** Returns bytes as text in quotes if they are printable UTF-8, and else in hexadecimal. */
  static String of(byte[] bytes) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      return "0x" + hex(bytes);
    }
    boolean isPrintable =
        text.codePoints()
            .allMatch(c -> c != '\'' && Character.isDefined(c) && !Character.isISOControl(c));
    return isPrintable ? "'" + text + "'" : "0x" + hex(bytes);
  }

  /** Returns two digits for each byte. */
  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
