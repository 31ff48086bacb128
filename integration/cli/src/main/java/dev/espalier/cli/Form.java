// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.Locale;

/** How keys or values are written. */
enum Form {
  /** Longs, as decimal numbers. */
  INT64,
  /** Byte strings that are UTF-8, as text. */
  TEXT,
  /** Byte strings, with two hexadecimal digits for each byte. */
  HEX;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
