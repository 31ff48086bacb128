// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import java.util.Arrays;
import java.util.BitSet;

/** The cache lines that a check of a tree has come by: each may belong to one node only. */
public final class LineSet {
  private static final int PART_SHIFT = 30;

  /** In parts small enough for a {@code BitSet}. */
  private final BitSet[] parts = new BitSet[1 << (32 - PART_SHIFT)];

  /** Creates an empty set. */
  public LineSet() {
    Arrays.setAll(parts, i -> new BitSet());
  }

  /** Adds a line by its number, unless it is there already; tells whether it was added. */
  public boolean add(long line) {
    BitSet part = parts[(int) (line >>> PART_SHIFT)];
    int bit = (int) (line & ((1 << PART_SHIFT) - 1));
    boolean isNew = !part.get(bit);
    part.set(bit);
    return isNew;
  }
}
