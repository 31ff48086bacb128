// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * How byte strings are written.
 *
 * @param keys text or hexadecimal
 * @param values text or hexadecimal
 */
record BytesForm(Form keys, Form values) {
  /** The longest value that is printed, in bytes: its text has to fit into memory several times. */
  private static final int MOST_PRINTED = 1 << 26;

  private static final HexFormat DIGITS = HexFormat.of();

  /**
   * Returns the bytes of a key.
   *
   * @throws IllegalArgumentException if it is not written so
   */
  byte[] key(String text) {
    return bytes(keys, text);
  }

  /**
   * Returns the bytes of a value.
   *
   * @throws IllegalArgumentException if it is not written so
   */
  byte[] value(String text) {
    return bytes(values, text);
  }

  private static byte[] bytes(Form form, String text) {
    if (form == Form.TEXT) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    try {
      return DIGITS.parseHex(text.startsWith("0x") ? text.substring(2) : text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' is not hexadecimal, two digits for each byte".formatted(shortened(text)), e);
    }
  }

  /** Returns as much of a text as fits into a message. */
  static String shortened(String text) {
    int most = 60;
    return text.length() <= most ? text : text.substring(0, most) + "...";
  }

  /**
   * Returns a key as it is written.
   *
   * @throws CommandFailure if that is not possible
   */
  String keyText(byte[] key) {
    try {
      return text(keys, key);
    } catch (CharacterCodingException e) {
      throw new CommandFailure(
          "key %s is not UTF-8; --keys hex prints it".formatted(shortened(KeyText.of(key))), e);
    }
  }

  /**
   * Returns a value as it is written.
   *
   * @param key whose value it is
   * @throws CommandFailure if that is not possible
   */
  String valueText(byte[] key, byte[] value) {
    try {
      return text(values, value);
    } catch (CharacterCodingException e) {
      throw new CommandFailure(
          "the value of key %s is not UTF-8; --values hex prints it"
              .formatted(shortened(KeyText.of(key))),
          e);
    }
  }

  private static String text(Form form, byte[] bytes) throws CharacterCodingException {
    return form == Form.TEXT
        ? StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString()
        : DIGITS.formatHex(bytes);
  }

  /**
   * Checks that a value can be printed, before it is copied.
   *
   * @throws CommandFailure if it is too long
   */
  static void checkPrints(byte[] key, long valueBytes) {
    if (valueBytes > MOST_PRINTED) {
      throw new CommandFailure(
          "the value of key %s has %d bytes; at most %d can be printed"
              .formatted(shortened(KeyText.of(key)), valueBytes, MOST_PRINTED));
    }
  }
}
