// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Trace;
import java.lang.foreign.MemorySegment;

/**
 * Searching the sorted keys of one node. Every kernel answers the same question: how many of the
 * keys are smaller than the one sought, which is also the slot where it is or belongs (lowerBound).
 *
 * <p>Keys are longs, one after the other from a byte offset on. Key arrays that are searched whole
 * are padded to their last slot with {@link Long#MAX_VALUE}, which is smaller than no key, so that
 * no kernel has to read the node's count first: that read would cost a cache miss of its own.
 */
public final class Keys {
  /** What the unused slots of a key array hold. */
  public static final long PADDING = Long.MAX_VALUE;

  /**
   * Whether {@link #lowerBound} uses SIMD: the program added the module jdk.incubator.vector, the
   * machine has vectors of 4 longs or more, and {@code espalier.simd=off} is not set.
   */
  public static final boolean SIMD =
      !Trace.ON
          && !"off".equals(System.getProperty("espalier.simd"))
          && ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
          && VectorKeys.isWorthwhile();

  private Keys() {}

  /**
   * Counts the keys smaller than {@code key} in {@code slots} slots, by the kernel that is fastest
   * here. O(slots).
   *
   * @param nodes native memory
   * @param offset byte offset of the first key
   * @param slots length of the key array, padding included
   */
  public static int lowerBound(MemorySegment nodes, long offset, int slots, long key) {
    if (slots % CacheLine.LONGS != 0) {
      return lowerBoundLinear(nodes, offset, slots, key);
    }
    return SIMD
        ? VectorKeys.lowerBound(nodes, offset, slots, key)
        : lowerBoundByLine(nodes, offset, slots, key);
  }

  /**
   * Counts the keys smaller than {@code key} in one cache line, by the kernel that is fastest here.
   * As {@link #lowerBound} with 8 slots, but small enough to be inlined whatever was compiled
   * before.
   */
  public static int lowerBoundInLine(MemorySegment nodes, long offset, long key) {
    return SIMD
        ? VectorKeys.lowerBoundInLine(nodes, offset, key)
        : lowerBoundLinear(nodes, offset, CacheLine.LONGS, key);
  }

  /**
   * As {@link #lowerBound} over two lines of keys. A method of its own for each number of lines
   * that hot searches need: once HotSpot has compiled a method by itself to more than 2500 bytes of
   * code, it inlines it nowhere, and that happens to one with many cases.
   */
  public static int lowerBoundOf2Lines(MemorySegment nodes, long offset, long key) {
    return SIMD
        ? VectorKeys.lowerBoundOf2Lines(nodes, offset, key)
        : lowerBoundByLine(nodes, offset, 2 * CacheLine.LONGS, key);
  }

  /** As {@link #lowerBound} over four lines of keys; see {@link #lowerBoundOf2Lines}. */
  public static int lowerBoundOf4Lines(MemorySegment nodes, long offset, long key) {
    return SIMD
        ? VectorKeys.lowerBoundOf4Lines(nodes, offset, key)
        : lowerBoundByLine(nodes, offset, 4 * CacheLine.LONGS, key);
  }

  /**
   * As {@link #lowerBoundBehindHeader} in a node of four lines whose first word is no key; see
   * {@link #lowerBoundOf2Lines}.
   */
  public static int lowerBoundOf4LinesBehindWord(MemorySegment nodes, long node, long key) {
    return SIMD
        ? VectorKeys.lowerBoundOf4Lines(nodes, node, key) - (getLong(nodes, node) < key ? 1 : 0)
        : lowerBoundBehindHeader(nodes, node, 1, 4 * CacheLine.LONGS, key);
  }

  /**
   * Counts the keys smaller than {@code key} in a node whose first words are no keys. The words are
   * compared as if they were, and taken off the count again: whole lines need no mask. O(slots).
   *
   * @param nodes native memory
   * @param node byte offset of the node, where the words that are no keys begin
   * @param header number of words that are no keys, fewer than a line has
   * @param slots words of the node, the header included: a multiple of 8
   */
  public static int lowerBoundBehindHeader(
      MemorySegment nodes, long node, int header, int slots, long key) {
    if (SIMD) {
      return VectorKeys.lowerBound(nodes, node, slots, key)
          - lowerBoundLinear(nodes, node, header, key);
    }
    if (slots == CacheLine.LONGS) {
      return lowerBoundLinear(nodes, node + ((long) header << 3), CacheLine.LONGS - header, key);
    }
    int smaller = lowerBoundByLine(nodes, node, slots, key);
    boolean beyondFirstLine = smaller >= CacheLine.LONGS;
    return smaller - (beyondFirstLine ? header : lowerBoundLinear(nodes, node, header, key));
  }

  /**
   * As {@link #lowerBound} over an array that begins on a cache line and may end within one: what
   * fills whole lines is searched as there, the up to seven keys behind by themselves. O(slots).
   *
   * @param nodes native memory, which has all of the array's last line
   * @param offset byte offset of the first key, a multiple of the line size
   * @param slots length of the key array, padding included
   */
  public static int lowerBoundRagged(MemorySegment nodes, long offset, int slots, long key) {
    if (SIMD) {
      return VectorKeys.lowerBoundRagged(nodes, offset, slots, key);
    }
    int whole = slots & -CacheLine.LONGS;
    int rest = lowerBoundLinear(nodes, offset + ((long) whole << 3), slots - whole, key);
    return whole == 0 ? rest : lowerBoundByLine(nodes, offset, whole, key) + rest;
  }

  /** Compares every key: no branch, and no load waits for another. */
  public static int lowerBoundLinear(MemorySegment nodes, long offset, int slots, long key) {
    int smaller = 0;
    for (int i = 0; i < slots; i++) {
      smaller += getLong(nodes, offset + ((long) i << 3)) < key ? 1 : 0;
    }
    return smaller;
  }

  /**
   * Compares the last key of every line but the last, then the keys of one line. {@code slots} is a
   * multiple of 8. No branch; the loads of the first step do not wait for one another, so the lines
   * of a node that is not in the cache arrive together even without prefetching.
   */
  public static int lowerBoundByLine(MemorySegment nodes, long offset, int slots, long key) {
    int lines = 0;
    for (long last = offset + CacheLine.BYTES - Long.BYTES,
            end = offset + ((long) slots << 3) - CacheLine.BYTES;
        last < end;
        last += CacheLine.BYTES) {
      lines += getLong(nodes, last) < key ? 1 : 0;
    }
    long line = offset + ((long) lines << CacheLine.SHIFT);
    int smaller = lines << 3;
    for (int i = 0; i < CacheLine.LONGS; i++) {
      smaller += getLong(nodes, line + ((long) i << 3)) < key ? 1 : 0;
    }
    return smaller;
  }

  /**
   * Binary search without a branch on the keys: the textbook's, over the {@code count} keys in use.
   * O(log count) loads, each waiting for the one before.
   */
  public static int lowerBoundBinary(MemorySegment nodes, long offset, int count, long key) {
    int low = 0;
    int length = count;
    while (length > 1) {
      int half = length >>> 1;
      low += getLong(nodes, offset + ((long) (low + half - 1) << 3)) < key ? half : 0;
      length -= half;
    }
    return low + (length == 1 && getLong(nodes, offset + ((long) low << 3)) < key ? 1 : 0);
  }
}
