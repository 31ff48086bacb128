// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static dev.espalier.memory.Words.getInt;

import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.SequencedSet;

/**
 * Prefetches the lines of one kind of node by one of the policies of thesis 5.3. Which lines, and
 * in which order, is worked out beforehand: lines that follow one another, or a table; and for the
 * policies that read the header, a table for every count.
 */
final class NodePrefetcher {
  private static final long[] NONE = {};

  private final int countOffset;

  /** Lines that are fetched first: either these, which follow one another, */
  private final int firstOffset;

  private final int firstLines;

  /** or these, by their offsets. */
  private final long[] first;

  /** By count, the offsets of the lines that are fetched when the count is known. */
  private final long[][] rest;

  private NodePrefetcher(
      int countOffset, int firstOffset, int firstLines, long[] first, long[][] rest) {
    this.countOffset = countOffset;
    this.firstOffset = firstOffset;
    this.firstLines = firstLines;
    this.first = first;
    this.rest = rest;
  }

  static NodePrefetcher of(NodePrefetch policy, LeafNode leaf) {
    Parts parts =
        new Parts(
            leaf.capacity,
            leaf.minimum,
            leaf.keyLines,
            leaf.valuesOffset,
            Long.BYTES,
            0,
            leaf.countOffset);
    return policy == NodePrefetch.BY_SEARCH
        ? new NodePrefetcher(
            leaf.countOffset, leaf.valuesOffset, leaf.valueLines, NONE, new long[0][])
        : of(policy, parts, leaf.width);
  }

  static NodePrefetcher of(NodePrefetch policy, InnerNode inner) {
    Parts parts =
        new Parts(
            inner.capacity,
            inner.minimum,
            inner.keyLines,
            inner.childrenOffset,
            Integer.BYTES,
            1,
            inner.countOffset);
    return policy == NodePrefetch.BY_SEARCH
        ? of(NodePrefetch.NONE, parts, inner.width)
        : of(policy, parts, inner.width);
  }

  private static NodePrefetcher of(NodePrefetch policy, Parts parts, int width) {
    return switch (policy) {
      case NONE, BY_SEARCH -> new NodePrefetcher(parts.countOffset, 0, 0, NONE, new long[0][]);
      case LINEAR -> new NodePrefetcher(parts.countOffset, 0, width, NONE, new long[0][]);
      case HALF_LINEAR -> byHeader(parts, parts.halfLinear(), true);
      case BINARY -> byHeader(parts, new LinkedHashSet<>(), false);
      case HALF_BINARY -> byHeader(parts, parts.halfBinary(), false);
    };
  }

  private static NodePrefetcher byHeader(
      Parts parts, SequencedSet<Long> first, boolean leftToRight) {
    long[][] rest = new long[parts.capacity + 1][];
    for (int count = 0; count <= parts.capacity; count++) {
      SequencedSet<Long> lines = leftToRight ? parts.inUse(count) : parts.binary(count);
      lines.removeAll(first);
      rest[count] = toArray(lines);
    }
    return new NodePrefetcher(parts.countOffset, 0, 0, toArray(first), rest);
  }

  private static long[] toArray(SequencedSet<Long> lines) {
    return lines.stream().mapToLong(Long::longValue).toArray();
  }

  /** Prefetches a node at {@code base + node} that will be searched next. */
  void prefetch(MemorySegment nodes, long base, long node, Locality hint) {
    prefetchFirst(base, node, hint);
    prefetchRest(nodes, base, node, hint);
  }

  /** Prefetches what needs no header. */
  void prefetchFirst(long base, long node, Locality hint) {
    if (firstLines > 0) {
      Words.prefetch(base + node + firstOffset, firstLines, hint);
    } else if (first.length > 0) {
      Words.prefetchGroup(base + node, first, 0, first.length, 1, hint);
    }
  }

  /** Reads the header, if the policy does, and prefetches what it says is in use. */
  void prefetchRest(MemorySegment nodes, long base, long node, Locality hint) {
    if (readsHeader()) {
      int count = getInt(nodes, node + countOffset);
      if (count >= 0 && count < rest.length && rest[count].length > 0) {
        Words.prefetchGroup(base + node, rest[count], 0, rest[count].length, 1, hint);
      }
    }
  }

  /** Tells whether {@link #prefetchRest} does anything. */
  boolean readsHeader() {
    return rest.length > 0;
  }

  /**
   * Where the parts of a node are: keys from its start on, then {@code count + moreThanKeys} values
   * or children of {@code partnerBytes} each.
   */
  private record Parts(
      int capacity,
      int minimum,
      int keyLines,
      int partnersOffset,
      int partnerBytes,
      int moreThanKeys,
      int countOffset) {

    SequencedSet<Long> halfLinear() {
      SequencedSet<Long> lines = new LinkedHashSet<>();
      lines.add(line(countOffset));
      for (int i = 0; i < (keyLines + 1) / 2; i++) {
        lines.add((long) i << CacheLine.SHIFT);
      }
      return lines;
    }

    SequencedSet<Long> halfBinary() {
      SequencedSet<Long> lines = new LinkedHashSet<>();
      lines.add(line(countOffset));
      lines.addAll(binary(minimum));
      return lines;
    }

    /** Lines with keys, then lines with values or children, from left to right. */
    SequencedSet<Long> inUse(int count) {
      SequencedSet<Long> lines = new LinkedHashSet<>();
      for (int slot = 0; slot < count; slot++) {
        lines.add(line(slot * Long.BYTES));
      }
      for (int slot = 0; slot < count + moreThanKeys; slot++) {
        lines.add(line(partnersOffset + slot * partnerBytes));
      }
      return lines;
    }

    /** The same lines in the order in which binary searches come to them. */
    SequencedSet<Long> binary(int count) {
      SequencedSet<Integer> slots = breadthFirst(count);
      SequencedSet<Long> lines = new LinkedHashSet<>();
      for (int slot : slots) {
        lines.add(line(slot * Long.BYTES));
      }
      for (int slot : slots) {
        for (int partner = slot; partner <= slot + moreThanKeys; partner++) {
          lines.add(line(partnersOffset + partner * partnerBytes));
        }
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

    private static long line(int offset) {
      return offset & -CacheLine.BYTES;
    }
  }
}
