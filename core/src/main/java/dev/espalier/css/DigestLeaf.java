// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Ints;
import java.lang.foreign.MemorySegment;

/**
 * Layout of a leaf that tells keys apart by 31 bits of each.
 *
 * <pre>
 *  0           8           12                          64
 *  | base      | shift     | digest 0 .. digest 12     |
 *    long        int         ints
 * </pre>
 *
 * The base is the first key below the leaf. A key's digest is {@code (key - base) >>> shift}, with
 * the smallest shift that makes it fit into 31 bits. So digests ascend as the keys do, but
 * neighbours may have the same one. Unused slots hold {@link #PADDING}.
 */
final class DigestLeaf {
  static final int BYTES = CacheLine.BYTES;

  private static final int BASE = 0;
  private static final int SHIFT = Long.BYTES;
  private static final int DIGESTS = SHIFT + Integer.BYTES;

  /** Digests of a leaf. */
  static final int CAPACITY = (BYTES - DIGESTS) / Integer.BYTES;

  /** The digest in unused slots: none is larger. */
  static final int PADDING = Integer.MAX_VALUE;

  private static final int DIGEST_BITS = 31;

  private DigestLeaf() {}

  /**
   * Returns the smallest shift that leaves 31 bits of {@code span}.
   *
   * @param span the largest key minus the smallest, as an unsigned number
   */
  static int shiftFor(long span) {
    return Math.max(Long.SIZE - DIGEST_BITS - Long.numberOfLeadingZeros(span), 0);
  }

  static long base(MemorySegment nodes, long leaf) {
    return getLong(nodes, leaf + BASE);
  }

  static int shift(MemorySegment nodes, long leaf) {
    return getInt(nodes, leaf + SHIFT);
  }

  static int digest(MemorySegment nodes, long leaf, int slot) {
    return getInt(nodes, leaf + DIGESTS + ((long) slot << 2));
  }

  /** Makes a leaf for {@code count} entries of an array, from {@code first} on. O(count). */
  static void build(MemorySegment nodes, long leaf, EntryArray array, long first, int count) {
    long base = count == 0 ? 0 : array.key(first);
    int shift = count == 0 ? 0 : shiftFor(array.key(first + count - 1) - base);
    putLong(nodes, leaf + BASE, base);
    putInt(nodes, leaf + SHIFT, shift);
    for (int i = 0; i < CAPACITY; i++) {
      int digest = i < count ? (int) ((array.key(first + i) - base) >>> shift) : PADDING;
      putInt(nodes, leaf + DIGESTS + ((long) i << 2), digest);
    }
  }

  /**
   * Returns the slot of the first digest that is not smaller than that of {@code key}. No entry in
   * front of it has the key. If the leaf is where the key belongs and the key is not below its
   * base, the first entry that is not below the key is there or follows.
   *
   * <p>A key far above the last one of the tree may have too large a digest for 31 bits. What is
   * left of it leads to any slot, which still is not behind the place of the key.
   */
  static int slot(MemorySegment nodes, long leaf, long key) {
    int digest = (int) ((key - base(nodes, leaf)) >>> shift(nodes, leaf));
    return Ints.smallerInLine(nodes, leaf, DIGESTS >> 2, digest);
  }
}
