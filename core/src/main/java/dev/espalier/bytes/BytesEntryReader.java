// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

/** Reads one entry: its key and, if it likes, its value. */
@FunctionalInterface
public interface BytesEntryReader {

  /**
   * Reads the entry.
   *
   * @param entry is on the entry until this returns, and must not be moved; {@link
   *     BytesEntrySource#key} and {@link BytesEntrySource#value} show it, {@link
   *     BytesEntrySource#valueArray} copies
   */
  void read(BytesEntrySource entry);
}
