// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.memory.CacheLine;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.SequencedSet;

/**
 * Where the parts of a node are: its count, an array of keys, and an array of partners, which are
 * values or children. Lines are given by their offsets in the node.
 *
 * @param countOffset of the number of keys, an int
 * @param capacity the most keys
 * @param minimum as many keys as a half-full node has
 * @param keysOffset of the first key
 * @param keyLines lines of the array of keys
 * @param keyBytes bytes of a key
 * @param partnersOffset of the first partner
 * @param partnerBytes bytes of a partner
 * @param moreThanKeys how many more partners than keys there are
 */
public record NodeParts(
    int countOffset,
    int capacity,
    int minimum,
    int keysOffset,
    int keyLines,
    int keyBytes,
    int partnersOffset,
    int partnerBytes,
    int moreThanKeys) {

  /** Returns the header's line, and the lines of the first half of the keys. */
  SequencedSet<Long> halfLinear() {
    SequencedSet<Long> lines = new LinkedHashSet<>();
    addLines(lines, countOffset, Integer.BYTES);
    addLines(lines, keysOffset & -CacheLine.BYTES, (keyLines + 1) / 2 * CacheLine.BYTES);
    return lines;
  }

  /** Returns the header's line, and the lines in use of a half-full node. */
  SequencedSet<Long> halfBinary() {
    SequencedSet<Long> lines = new LinkedHashSet<>();
    addLines(lines, countOffset, Integer.BYTES);
    lines.addAll(binary(minimum));
    return lines;
  }

  /**
   * Returns the lines with any of so many keys, then those with their partners, from left to right.
   */
  public SequencedSet<Long> inUse(int count) {
    SequencedSet<Long> lines = new LinkedHashSet<>();
    addLines(lines, keysOffset, count * keyBytes);
    addLines(lines, partnersOffset, (count + moreThanKeys) * partnerBytes);
    return lines;
  }

  /** Returns the same lines in the order in which binary searches come to them. */
  SequencedSet<Long> binary(int count) {
    SequencedSet<Integer> slots = breadthFirst(count);
    SequencedSet<Long> lines = new LinkedHashSet<>();
    for (int slot : slots) {
      addLines(lines, keysOffset + slot * keyBytes, keyBytes);
    }
    for (int slot : slots) {
      addLines(lines, partnersOffset + slot * partnerBytes, (1 + moreThanKeys) * partnerBytes);
    }
    return lines;
  }

  /** The slots that Keys.lowerBoundBinary may read of {@code count}, by its steps. */
  private static SequencedSet<Integer> breadthFirst(int count) {
    record Range(int low, int length) {}
    SequencedSet<Integer> slots = new LinkedHashSet<>();
    Queue<Range> ranges = new ArrayDeque<>();
    ranges.add(new Range(0, count));
    while (!ranges.isEmpty()) {
      Range range = ranges.remove();
      int half = range.length >>> 1;
      if (half > 0) {
        slots.add(range.low + half - 1);
        ranges.add(new Range(range.low, range.length - half));
        ranges.add(new Range(range.low + half, range.length - half));
      } else if (range.length == 1) {
        slots.add(range.low);
      }
    }
    return slots;
  }

  /** Adds the lines of so many bytes, from left to right. */
  private static void addLines(SequencedSet<Long> lines, int offset, int bytes) {
    if (bytes > 0) {
      for (int line = offset & -CacheLine.BYTES; line < offset + bytes; line += CacheLine.BYTES) {
        lines.add((long) line);
      }
    }
  }
}
