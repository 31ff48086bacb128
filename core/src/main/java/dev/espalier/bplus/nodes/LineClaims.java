// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.support.LineSet;

/** The lines of memory that a check of a tree has come by: each may belong to one node only. */
public final class LineClaims {
  private final LineSet lines = new LineSet();

  /**
   * Where the memory given out ends; what is reserved behind it may be a thousand times as much.
   */
  private final long end;

  private long bytes;

  public LineClaims(long end) {
    this.end = end;
  }

  /** Checks I9 for a node, whose kind is for the message, and takes its lines. */
  public void claim(long node, int width, String kind) {
    int bytesOfNode = width << CacheLine.SHIFT;
    if (node <= 0 || node % CacheLine.BYTES != 0 || node + bytesOfNode > end) {
      throw new InvariantViolationException(
          "I9", "the %s would lie @%d, but nodes end @%d".formatted(kind, node, end));
    }
    for (long line = node >>> CacheLine.SHIFT, after = line + width; line < after; line++) {
      if (!lines.add(line)) {
        throw new InvariantViolationException(
            "I9", "the %s @%d overlaps another node".formatted(kind, node));
      }
    }
    bytes += bytesOfNode;
  }

  /** Returns the bytes of all nodes so far. */
  public long bytes() {
    return bytes;
  }
}
