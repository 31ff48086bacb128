// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import java.lang.foreign.MemorySegment;

/** Reads a sorted run of pairs from a file, a buffer at a time. */
final class RunReader {
  private final SpillFile file;
  private final MemorySegment buffer;
  private final int order;
  private long position;
  private long unread;
  private long inBuffer;
  private long pair = -1;
  private long key;

  /**
   * Reads from the run's beginning.
   *
   * @param order number of the run among those that are merged: its entries were added before those
   *     of any run with a larger number
   * @param buffer for some pairs
   */
  RunReader(SpillFile file, Run run, int order, MemorySegment buffer) {
    this.file = file;
    this.buffer = buffer;
    this.order = order;
    this.position = run.position();
    this.unread = run.pairs();
  }

  /**
   * A run in a file.
   *
   * @param position of its first byte
   * @param pairs in it
   */
  record Run(long position, long pairs) {}

  /** Moves to the next pair; the first call moves to the first one. Returns false at the end. */
  boolean next() {
    pair++;
    if (pair == inBuffer) {
      if (unread == 0) {
        return false;
      }
      inBuffer = Math.min(unread, buffer.byteSize() / Pairs.BYTES);
      file.read(position, buffer.asSlice(0, inBuffer * Pairs.BYTES));
      position += inBuffer * Pairs.BYTES;
      unread -= inBuffer;
      pair = 0;
    }
    key = Pairs.key(buffer, pair);
    return true;
  }

  long key() {
    return key;
  }

  long value() {
    return Pairs.value(buffer, pair);
  }

  /** Tells whether this reader's pair comes before that of another. */
  boolean isBefore(RunReader other) {
    return key < other.key || (key == other.key && order < other.order);
  }
}
