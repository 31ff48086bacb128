// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;

/**
 * Reads the values of a batch of keys where they lie, as a {@link ValueReader} does. Keys are
 * answered in any order; the pieces of one value come one after the other.
 */
@FunctionalInterface
public interface BatchReader {

  /**
   * Receives a piece of the value of key number {@code index}. Absent keys are left out.
   *
   * @see ValueReader#read
   */
  void read(int index, MemorySegment piece, long from, long bytes, long position, long total);
}
