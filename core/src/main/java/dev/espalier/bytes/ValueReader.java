// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;

/**
 * Reads a value where it lies. A value that lies in its leaf comes in one piece. A longer one lies
 * in several pages, and comes in several pieces, in order; an empty one comes in one empty piece.
 *
 * <p>A piece is valid until the reader returns. The reader must not call the index.
 */
@FunctionalInterface
public interface ValueReader {

  /**
   * Receives a piece of the value.
   *
   * @param piece memory that holds the piece; read-only
   * @param from where the piece begins in that memory
   * @param bytes length of the piece
   * @param position where the piece begins in the value
   * @param total length of the value
   */
  void read(MemorySegment piece, long from, long bytes, long position, long total);
}
