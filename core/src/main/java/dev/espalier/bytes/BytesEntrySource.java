// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A sequence of entries, read one after the other: the input of {@link BytesIndex#bulkload}. Every
 * {@link BytesCursor} is one.
 */
public interface BytesEntrySource {

  /** Moves to the next entry; the first call moves to the first entry. Returns false at the end. */
  boolean next();

  /** Returns the key of the entry; valid until the next move. */
  MemorySegment key();

  /** Shows the value of the entry to {@code reader}. */
  void value(ValueReader reader);

  /** Returns the length of the value of the entry, in bytes. */
  long valueBytes();

  /** Returns a copy of the value of the entry. */
  default byte[] valueArray() {
    byte[] array = new byte[(int) valueBytes()];
    value(
        (piece, from, bytes, position, _) ->
            MemorySegment.copy(
                piece, ValueLayout.JAVA_BYTE, from, array, (int) position, (int) bytes));
    return array;
  }
}
