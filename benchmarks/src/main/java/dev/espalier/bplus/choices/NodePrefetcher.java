// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static dev.espalier.memory.Words.getInt;

import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * Prefetches the lines of one kind of node by one of the policies of thesis 5.3. Which lines, and
 * in which order, is worked out beforehand: lines that follow one another, or a table; and for the
 * policies that read the header, a table for every count.
 */
public final class NodePrefetcher {
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
    NodeParts parts =
        new NodeParts(
            leaf.countOffset,
            leaf.capacity,
            leaf.minimum,
            0,
            leaf.keyLines,
            Long.BYTES,
            leaf.valuesOffset,
            Long.BYTES,
            0);
    return policy == NodePrefetch.BY_SEARCH
        ? new NodePrefetcher(
            leaf.countOffset, leaf.valuesOffset, leaf.valueLines, NONE, new long[0][])
        : of(policy, parts, leaf.width);
  }

  static NodePrefetcher of(NodePrefetch policy, InnerNode inner) {
    NodeParts parts =
        new NodeParts(
            inner.countOffset,
            inner.capacity,
            inner.minimum,
            0,
            inner.keyLines,
            Long.BYTES,
            inner.childrenOffset,
            Integer.BYTES,
            1);
    return policy == NodePrefetch.BY_SEARCH
        ? of(NodePrefetch.NONE, parts, inner.width)
        : of(policy, parts, inner.width);
  }

  /** Makes one for nodes of {@code width} lines with such parts, by any policy but BY_SEARCH. */
  public static NodePrefetcher of(NodePrefetch policy, NodeParts parts, int width) {
    return switch (policy) {
      case NONE, BY_SEARCH -> new NodePrefetcher(parts.countOffset(), 0, 0, NONE, new long[0][]);
      case LINEAR -> new NodePrefetcher(parts.countOffset(), 0, width, NONE, new long[0][]);
      case HALF_LINEAR -> byHeader(parts, parts.halfLinear(), true);
      case BINARY -> byHeader(parts, new LinkedHashSet<>(), false);
      case HALF_BINARY -> byHeader(parts, parts.halfBinary(), false);
    };
  }

  private static NodePrefetcher byHeader(
      NodeParts parts, SequencedSet<Long> first, boolean leftToRight) {
    long[][] rest = new long[parts.capacity() + 1][];
    for (int count = 0; count <= parts.capacity(); count++) {
      SequencedSet<Long> lines = leftToRight ? parts.inUse(count) : parts.binary(count);
      lines.removeAll(first);
      rest[count] = toArray(lines);
    }
    return new NodePrefetcher(parts.countOffset(), 0, 0, toArray(first), rest);
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
  public void prefetchFirst(long base, long node, Locality hint) {
    if (firstLines > 0) {
      Words.prefetch(base + node + firstOffset, firstLines, hint);
    } else if (first.length > 0) {
      Words.prefetchGroup(base + node, first, 0, first.length, 1, hint);
    }
  }

  /** Reads the header, if the policy does, and prefetches what it says is in use. */
  public void prefetchRest(MemorySegment nodes, long base, long node, Locality hint) {
    if (readsHeader()) {
      int count = getInt(nodes, node + countOffset);
      if (count >= 0 && count < rest.length && rest[count].length > 0) {
        Words.prefetchGroup(base + node, rest[count], 0, rest[count].length, 1, hint);
      }
    }
  }

  /** Tells whether {@link #prefetchRest} does anything. */
  public boolean readsHeader() {
    return rest.length > 0;
  }
}
