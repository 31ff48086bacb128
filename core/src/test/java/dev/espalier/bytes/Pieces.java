// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Puts a value together from its pieces, and checks that they come as {@link ValueReader} says. */
final class Pieces implements ValueReader {
  private byte @Nullable [] value;
  private long next;

  @Override
  public void read(MemorySegment piece, long from, long bytes, long position, long total) {
    if (value == null) {
      value = new byte[Math.toIntExact(total)];
    }
    assertTrue(piece.isReadOnly(), "a piece can be written to");
    assertEquals(value.length, total, "the length of the whole value changes on the way");
    assertEquals(next, position, "where the piece begins in the value");
    assertTrue(bytes > 0 || total == 0, "an empty piece of a value that is not empty");
    MemorySegment.copy(
        piece, ValueLayout.JAVA_BYTE, from, value, Math.toIntExact(position), (int) bytes);
    next += bytes;
  }

  boolean isComplete() {
    return value != null && next == value.length;
  }

  byte[] whole() {
    assertNotNull(value, "no piece has come");
    assertEquals(value.length, next, "pieces are missing");
    return value;
  }
}
