// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A few nodes of a {@link ConcurrentPbPlusTree}, on the heap: a version word and two words of
 * content each. Who finds different content in the two has seen a node that never was.
 */
final class StressNodes {
  /** Where a node begins. The word of the root is in front. */
  static final long FIRST = 64;

  static final long SECOND = 128;
  static final long THIRD = 192;

  /** What a reader reports that has to begin anew. */
  static final long AGAIN = -1;

  private static final int LONGS = 32;

  private StressNodes() {}

  /** Returns memory in which nobody has written. */
  static MemorySegment memory() {
    return MemorySegment.ofArray(new long[LONGS]);
  }

  /** Makes a node that is in the tree, at rest. */
  static void make(MemorySegment nodes, long node, long content) {
    Versions.begin(nodes, node);
    fill(nodes, node, content);
    Versions.unlatch(nodes, node);
  }

  static void fill(MemorySegment nodes, long node, long content) {
    Words.putLong(nodes, node + 8, content);
    Words.putLong(nodes, node + 16, content);
  }

  static long left(MemorySegment nodes, long node) {
    return Words.getLong(nodes, node + 8);
  }

  static long right(MemorySegment nodes, long node) {
    return Words.getLong(nodes, node + 16);
  }

  /** Reports what was read. */
  static void report(JJ_Result result, long left, long right) {
    result.r1 = left;
    result.r2 = right;
  }

  /** Reads a node as the tree's readers do, which have the word already and check what led here. */
  static void look(MemorySegment nodes, long node, long word, JJ_Result result) {
    long left = left(nodes, node);
    long right = right(nodes, node);
    if (Versions.isStill(nodes, node, word)) {
      report(result, left, right);
    } else {
      report(result, AGAIN, AGAIN);
    }
  }
}
