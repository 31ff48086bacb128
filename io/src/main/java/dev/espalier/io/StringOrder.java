// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Finds the order of keys that are byte strings, those that are equal in the order in which they
 * were written.
 *
 * <p>As {@link LastWrites} does, it sorts numbers, which have the first bits of a key above the
 * number of its write; here the bits that follow what all keys begin with. Keys that agree in those
 * bits are sorted once more among themselves, so each byte of a key is looked at about once.
 */
final class StringOrder {
  /** Fewer are sorted one by one. */
  private static final int FEW = 24;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes;
  private final int[] starts;
  private final int[] lengths;

  /** The keys in the order that was found so far. */
  private final int[] order;

  /** Ranges of {@link #order} that are not sorted yet. */
  private final ArrayDeque<Range> unsorted = new ArrayDeque<>();

  /** Keys from a place to another, all of which have the same first bytes, so many. */
  private record Range(int from, int to, int depth) {}

  private StringOrder(byte[] bytes, int[] starts, int[] lengths, int count) {
    this.bytes = bytes;
    this.starts = starts;
    this.lengths = lengths;
    this.order = new int[count];
    Arrays.setAll(order, i -> i);
  }

  /**
   * Returns the numbers of the keys in ascending order of the keys.
   *
   * @param bytes those of all keys
   * @param starts where in them each key begins
   * @param lengths how many bytes each key has
   * @param count of the keys
   */
  static int[] of(byte[] bytes, int[] starts, int[] lengths, int count) {
    StringOrder sorting = new StringOrder(bytes, starts, lengths, count);
    sorting.unsorted.push(new Range(0, count, 0));
    while (!sorting.unsorted.isEmpty()) {
      sorting.sort(sorting.unsorted.pop());
    }
    return sorting.order;
  }

  private void sort(Range range) {
    int from = range.from;
    int to = range.to;
    if (to - from <= FEW) {
      insertionSort(from, to, range.depth);
      return;
    }
    int depth = range.depth + common(range);
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    long[] sorted = new long[to - from];
    for (int i = 0; i < sorted.length; i++) {
      long head = head(order[from + i], depth);
      sorted[i] = head;
      least = Math.min(least, head);
      most = Math.max(most, head);
    }
    if (least == most) {
      sortByLength(from, to, depth);
      return;
    }
    int numberBits = Integer.SIZE - Integer.numberOfLeadingZeros(to - from - 1);
    int headBits = Long.SIZE - Long.numberOfLeadingZeros(most - least);
    int cut = Math.max(0, headBits + numberBits - Long.SIZE);
    for (int i = 0; i < sorted.length; i++) {
      long head = (sorted[i] - least) >>> cut;
      sorted[i] = ((head << numberBits) | i) ^ Long.MIN_VALUE; // which is compared as signed
    }
    Arrays.parallelSort(sorted);
    int[] before = Arrays.copyOfRange(order, from, to);
    int mask = (1 << numberBits) - 1;
    int first = 0;
    for (int i = 0; i < sorted.length; i++) {
      order[from + i] = before[(int) sorted[i] & mask];
      if (sorted[i] >>> numberBits != sorted[first] >>> numberBits) {
        push(from + first, from + i, depth);
        first = i;
      }
    }
    push(from + first, to, depth);
  }

  private void push(int from, int to, int depth) {
    if (to - from > 1) {
      unsorted.push(new Range(from, to, depth));
    }
  }

  /**
   * Sorts keys whose next eight bytes are the same, zeros taken for what is missing: a key that
   * ends before is the beginning of the longer ones, and equal to those of its length.
   */
  private void sortByLength(int from, int to, int depth) {
    int[] next = new int[Long.BYTES + 2]; // where a key goes of which so many bytes are left
    for (int i = from; i < to; i++) {
      next[rest(order[i], depth) + 1]++;
    }
    next[0] = from;
    for (int rest = 1; rest < next.length; rest++) {
      next[rest] += next[rest - 1];
    }
    int longer = next[Long.BYTES];
    int[] before = Arrays.copyOfRange(order, from, to);
    for (int key : before) {
      order[next[rest(key, depth)]++] = key;
    }
    push(longer, to, depth + Long.BYTES);
  }

  /** Returns how many bytes all keys of a range have in common behind its depth. */
  private int common(Range range) {
    int first = order[range.from];
    int from = starts[first] + range.depth;
    int common = lengths[first] - range.depth;
    for (int i = range.from + 1; i < range.to && common > 0; i++) {
      int start = starts[order[i]] + range.depth;
      int most = Math.min(common, lengths[order[i]] - range.depth);
      int differs = Arrays.mismatch(bytes, from, from + most, bytes, start, start + most);
      common = differs < 0 ? most : differs;
    }
    return common;
  }

  /** Returns a number that compares as eight bytes of a key do, zeros for what it does not have. */
  private long head(int key, int depth) {
    int at = starts[key] + depth;
    int rest = rest(key, depth);
    if (at + Long.BYTES <= bytes.length) {
      long word = (long) BIG_ENDIAN.get(bytes, at);
      int unused = Byte.SIZE * (Long.BYTES - rest);
      return (unused < Long.SIZE ? word >>> unused << unused : 0) ^ Long.MIN_VALUE;
    }
    long word = 0;
    for (int i = 0; i < rest; i++) {
      word |= (bytes[at + i] & 0xffL) << (Long.SIZE - Byte.SIZE * (i + 1));
    }
    return word ^ Long.MIN_VALUE;
  }

  private int rest(int key, int depth) {
    return Math.min(lengths[key] - depth, Long.BYTES);
  }

  private void insertionSort(int from, int to, int depth) {
    for (int i = from + 1; i < to; i++) {
      int key = order[i];
      int at = i;
      for (; at > from && compare(order[at - 1], key, depth) > 0; at--) {
        order[at] = order[at - 1];
      }
      order[at] = key;
    }
  }

  private int compare(int a, int b, int depth) {
    return Arrays.compareUnsigned(
        bytes,
        starts[a] + depth,
        starts[a] + lengths[a],
        bytes,
        starts[b] + depth,
        starts[b] + lengths[b]);
  }
}
