// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.memory.Words.putShort;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Shorts;
import java.lang.foreign.MemorySegment;

/**
 * Layout of a leaf that tells 28 lines of pairs apart by 15 bits of the last key of each.
 *
 * <pre>
 *  0           8           10                          64
 *  | base      | shift     | digest 0 .. digest 26     |
 *    long        short       shorts
 * </pre>
 *
 * The base is the first key below the leaf. A key's digest is {@code (key - base) >>> shift}, with
 * the smallest shift that makes those of all keys below the leaf fit into 15 bits. So digests
 * ascend as the keys do, but neighbours may have the same one. Digest {@code i} is that of the last
 * key of line {@code i}; the last line needs none. Unused slots hold {@link #PADDING}.
 */
final class DigestLeaf {
  static final int BYTES = CacheLine.BYTES;

  private static final int BASE = 0;
  private static final int SHIFT = Long.BYTES;
  private static final int DIGESTS = SHIFT + Short.BYTES;

  /** Digests of a leaf. */
  static final int SLOTS = (BYTES - DIGESTS) / Short.BYTES;

  /** Entries below a leaf. */
  static final int CAPACITY = (SLOTS + 1) * EntryArray.PAIRS_PER_LINE;

  /** The digest in unused slots: none is larger. */
  static final short PADDING = Short.MAX_VALUE;

  private static final int DIGEST_BITS = 15;

  private DigestLeaf() {}

  /**
   * Returns the smallest shift that leaves 15 bits of {@code span}.
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
    return getUnsignedShort(nodes, leaf + SHIFT);
  }

  static int digest(MemorySegment nodes, long leaf, int slot) {
    return getUnsignedShort(nodes, leaf + DIGESTS + ((long) slot << 1));
  }

  /** Makes a leaf for {@code count} entries of an array, from {@code first} on. O(count). */
  static void build(MemorySegment nodes, long leaf, EntryArray array, long first, int count) {
    long base = count == 0 ? 0 : array.key(first);
    int shift = count == 0 ? 0 : shiftFor(array.key(first + count - 1) - base);
    putLong(nodes, leaf + BASE, base);
    putShort(nodes, leaf + SHIFT, shift);
    for (int line = 0; line < SLOTS; line++) {
      long next = (line + 1) * (long) EntryArray.PAIRS_PER_LINE;
      int digest = next < count ? (int) ((array.key(first + next - 1) - base) >>> shift) : PADDING;
      putShort(nodes, leaf + DIGESTS + ((long) line << 1), digest);
    }
  }

  /**
   * Returns the line of the first digest that is not smaller than that of {@code key}. No entry in
   * front of it has the key. If the leaf is where the key belongs and the key is not below its
   * base, the first entry that is not below the key is there or follows.
   *
   * <p>A key far above the last one of the tree may have too large a digest for 15 bits. What is
   * left of it leads to any line, which still is not behind the place of the key.
   */
  static int line(MemorySegment nodes, long leaf, long key) {
    short digest = (short) ((key - base(nodes, leaf)) >>> shift(nodes, leaf));
    return Shorts.smallerInLine(nodes, leaf, DIGESTS >> 1, digest);
  }
}
