// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import java.util.Arrays;
import java.util.BitSet;

/** The lines of memory that a check of a tree has come by: each may belong to one node only. */
final class LineClaims {
  private static final int PART_SHIFT = 30;

  /** In parts small enough for a {@code BitSet}. */
  private final BitSet[] lines = new BitSet[1 << (32 - PART_SHIFT)];

  /**
   * Where the memory given out ends; what is reserved behind it may be a thousand times as much.
   */
  private final long end;

  private long bytes;

  LineClaims(long end) {
    this.end = end;
    Arrays.setAll(lines, i -> new BitSet());
  }

  /** Checks I9 for a node, whose kind is for the message, and takes its lines. */
  void claim(long node, int width, String kind) {
    int bytesOfNode = width << CacheLine.SHIFT;
    if (node <= 0 || node % CacheLine.BYTES != 0 || node + bytesOfNode > end) {
      throw new InvariantViolationException(
          "I9", "the %s would lie @%d, but nodes end @%d".formatted(kind, node, end));
    }
    for (long line = node >>> CacheLine.SHIFT, after = line + width; line < after; line++) {
      BitSet part = lines[(int) (line >>> PART_SHIFT)];
      int bit = (int) (line & ((1 << PART_SHIFT) - 1));
      if (part.get(bit)) {
        throw new InvariantViolationException(
            "I9", "the %s @%d overlaps another node".formatted(kind, node));
      }
      part.set(bit);
    }
    bytes += bytesOfNode;
  }

  /** Returns the bytes of all nodes so far. */
  long bytes() {
    return bytes;
  }
}
