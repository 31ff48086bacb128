// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Trace;
import java.lang.foreign.MemorySegment;

/**
 * Searches the sorted keys of one node. All kernels return how many keys are smaller than the one
 * sought, which is also the slot where it is or belongs (lowerBound).
 *
 * <p>Keys are longs, stored one after the other from a byte offset. Arrays that are searched as a
 * whole are padded to their last slot with {@link Long#MAX_VALUE}, which is not smaller than any
 * key. So kernels need not read the count of the node first, which would cost another cache miss.
 */
public final class Keys {
  /** The key in unused slots of an array. */
  public static final long PADDING = Long.MAX_VALUE;

  /**
   * Whether {@link #lowerBound} uses SIMD. It does if the module jdk.incubator.vector is present,
   * the machine has vectors of at least 4 longs, and the system property {@code espalier.simd} is
   * not {@code off}.
   */
  public static final boolean SIMD =
      !Trace.ON
          && !"off".equals(System.getProperty("espalier.simd"))
          && ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
          && VectorKeys.isWorthwhile();

  private Keys() {}

  /**
   * Returns the number of keys smaller than {@code key} in {@code slots} slots, using the fastest
   * kernel for this machine. O(slots).
   *
   * @param nodes native memory
   * @param offset byte offset of the first key
   * @param slots length of the array, including padding
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
   * Returns the number of keys smaller than {@code key} in one cache line. Same as {@link
   * #lowerBound} with 8 slots, but small enough to be inlined whatever was compiled before.
   */
  public static int lowerBoundInLine(MemorySegment nodes, long offset, long key) {
    return SIMD
        ? VectorKeys.lowerBoundInLine(nodes, offset, key)
        : lowerBoundLinear(nodes, offset, CacheLine.LONGS, key);
  }

  /**
   * Does the same as {@link #lowerBoundInLine(MemorySegment, long, long)}, but counts the first
   * {@code header} words of the line as smaller, whatever they are: they may change meanwhile.
   */
  public static int lowerBoundInLine(MemorySegment nodes, long offset, int header, long key) {
    return SIMD
        ? VectorKeys.lowerBoundInLine(nodes, offset, header, key)
        : header
            + lowerBoundLinear(nodes, offset + ((long) header << 3), CacheLine.LONGS - header, key);
  }

  /**
   * Returns the number of keys smaller than {@code key} in one cache line of four pairs, each a key
   * and a value. No branch depends on the keys.
   *
   * @param offset byte offset of the line, a multiple of its size
   */
  public static int lowerBoundInPairs(MemorySegment nodes, long offset, long key) {
    return SIMD
        ? VectorKeys.lowerBoundInPairs(nodes, offset, key)
        : lowerBoundInPairsByScalars(nodes, offset, key);
  }

  static int lowerBoundInPairsByScalars(MemorySegment nodes, long offset, long key) {
    int smaller = 0;
    for (int i = 0; i < CacheLine.LONGS; i += 2) {
      smaller += getLong(nodes, offset + ((long) i << 3)) < key ? 1 : 0;
    }
    return smaller;
  }

  /**
   * Does the same as {@link #lowerBound} for two lines of keys. There is one method for each number
   * of lines that hot searches need, because HotSpot does not inline a method once it has been
   * compiled to more than 2500 bytes of code, which happens to one with many cases.
   */
  public static int lowerBoundOf2Lines(MemorySegment nodes, long offset, long key) {
    return SIMD
        ? VectorKeys.lowerBoundOf2Lines(nodes, offset, key)
        : lowerBoundByLine(nodes, offset, 2 * CacheLine.LONGS, key);
  }

  /**
   * Does the same as {@link #lowerBound} for four lines of keys; see {@link #lowerBoundOf2Lines}.
   */
  public static int lowerBoundOf4Lines(MemorySegment nodes, long offset, long key) {
    return SIMD
        ? VectorKeys.lowerBoundOf4Lines(nodes, offset, key)
        : lowerBoundByLine(nodes, offset, 4 * CacheLine.LONGS, key);
  }

  /**
   * Does the same as {@link #lowerBoundBehindHeader} for a node of four lines whose first word is
   * not a key; see {@link #lowerBoundOf2Lines}.
   */
  public static int lowerBoundOf4LinesBehindWord(MemorySegment nodes, long node, long key) {
    return SIMD
        ? VectorKeys.lowerBoundOf4LinesBehindWord(nodes, node, key)
        : lowerBoundBehindHeader(nodes, node, 1, 4 * CacheLine.LONGS, key);
  }

  /** Does the same as {@link #lowerBoundOf4LinesBehindWord} for five lines. */
  public static int lowerBoundOf5LinesBehindWord(MemorySegment nodes, long node, long key) {
    return SIMD
        ? VectorKeys.lowerBoundOf5LinesBehindWord(nodes, node, key)
        : lowerBoundBehindHeader(nodes, node, 1, 5 * CacheLine.LONGS, key);
  }

  /**
   * Returns the number of keys smaller than {@code key} in a node whose first words are not keys.
   * Those words are compared like keys and then subtracted from the count, because whole lines need
   * no mask. O(slots).
   *
   * @param nodes native memory
   * @param node byte offset of the node, which starts with the words that are not keys
   * @param header number of words that are not keys, fewer than a line has
   * @param slots number of words of the node, including the header: a multiple of 8
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
   * Does the same as {@link #lowerBound} for an array that starts at a cache line and may end
   * within one: whole lines are searched together, then the up to seven keys after them. O(slots).
   *
   * @param nodes native memory, which includes the whole last line of the array
   * @param offset byte offset of the first key, a multiple of the line size
   * @param slots length of the array, including padding
   */
  public static int lowerBoundRagged(MemorySegment nodes, long offset, int slots, long key) {
    if (SIMD) {
      return VectorKeys.lowerBoundRagged(nodes, offset, slots, key);
    }
    int whole = slots & -CacheLine.LONGS;
    int rest = lowerBoundLinear(nodes, offset + ((long) whole << 3), slots - whole, key);
    return whole == 0 ? rest : lowerBoundByLine(nodes, offset, whole, key) + rest;
  }

  /** Compares every key. No branches, and no load waits for another. */
  public static int lowerBoundLinear(MemorySegment nodes, long offset, int slots, long key) {
    int smaller = 0;
    for (int i = 0; i < slots; i++) {
      smaller += getLong(nodes, offset + ((long) i << 3)) < key ? 1 : 0;
    }
    return smaller;
  }

  /**
   * Compares the last key of every line except the last one, then the keys of one line. {@code
   * slots} must be a multiple of 8. No branches; the loads of the first step do not wait for one
   * another, so the lines of an uncached node arrive together even without prefetching.
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
   * Runs a textbook binary search over the {@code count} keys in use, without branches on keys.
   * O(log count) loads, each of which waits for the one before.
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
