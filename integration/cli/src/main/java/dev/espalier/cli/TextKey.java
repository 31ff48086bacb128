// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.Locale;

/** Columns of TPC-H's table customer that are texts, on which orders are joined with it. */
enum TextKey {
  /** Unique: "Customer#" and nine digits. */
  NAME,
  /** From 29 to 116 characters, which some customers share. */
  COMMENT;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
