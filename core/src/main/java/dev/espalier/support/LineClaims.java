// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import java.util.Arrays;
import java.util.BitSet;

/** The lines of memory that a check of a tree has come by: each may belong to one node only. */
public final class LineClaims {
  private static final int PART_SHIFT = 30;

  private final String invariant;

  /**
   * Where the memory given out ends; what is reserved behind it may be a thousand times as much.
   */
  private final long end;

  /** The lines, in parts small enough for a {@code BitSet}. */
  private final BitSet[] parts = new BitSet[1 << (32 - PART_SHIFT)];

  private long bytes;

  /**
   * Begins without lines.
   *
   * @param invariant the number of the invariant that is checked
   */
  public LineClaims(String invariant, long end) {
    this.invariant = invariant;
    this.end = end;
    Arrays.setAll(parts, i -> new BitSet());
  }

  /** Checks that a node, whose kind is for the message, has a place of its own, and takes it. */
  public void claim(long node, int width, String kind) {
    long bytesOfNode = (long) width << CacheLine.SHIFT;
    if (node <= 0 || node % CacheLine.BYTES != 0 || node + bytesOfNode > end) {
      throw new InvariantViolationException(
          invariant, "the %s would lie @%d, but nodes end @%d".formatted(kind, node, end));
    }
    for (long line = node >>> CacheLine.SHIFT, after = line + width; line < after; line++) {
      BitSet part = parts[(int) (line >>> PART_SHIFT)];
      int bit = (int) (line & ((1 << PART_SHIFT) - 1));
      if (part.get(bit)) {
        throw new InvariantViolationException(
            invariant, "the %s @%d overlaps another node".formatted(kind, node));
      }
      part.set(bit);
    }
    bytes += bytesOfNode;
  }

  /** Returns the bytes of all nodes so far. */
  public long bytes() {
    return bytes;
  }
}
