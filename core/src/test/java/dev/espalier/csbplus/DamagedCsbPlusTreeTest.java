// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.csbplus.CsbPlusTree.Geometry;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of nodes overwritten at random: every call answers something or throws, and ends. A call
 * that never ends is found by the limit on steps or, as a last resort, by the time limit.
 */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedCsbPlusTreeTest {
  private static final long MEMORY_LIMIT = 64 << 20;

  @Test
  void smallestNodesSurvive() {
    damageAndUse(400, 300, new Geometry(1, 1, 1, 3));
    damageAndUse(400, 300, new Geometry(1, 1, 3, 3));
    damageAndUse(400, 300, new Geometry(1, 2, 2, 0));
  }

  @Test
  void wideNodesSurvive() {
    damageAndUse(300, 4_000, new Geometry(8, 8, 1, 16));
    damageAndUse(300, 4_000, new Geometry(4, 8, 7, 16));
  }

  /** Behind the nodes lie gigabytes of address space, where a wild count or offset may lead. */
  @Test
  void treeInReservedMemorySurvives() {
    damageAndUse(25, 150_000, Geometry.DEFAULT);
    damageAndUse(25, 150_000, new Geometry(2, 4, 3, 16));
  }

  private static void damageAndUse(int trees, int entries, Geometry geometry) {
    for (long seed : TestSize.seeds(trees)) {
      IndexOptions options = IndexOptions.DEFAULT.withMemoryLimit(MEMORY_LIMIT);
      try (CsbPlusTree index = CsbPlusTree.create(options, geometry)) {
        long[] keys = LongStream.range(0, entries).toArray();
        index.bulkload(
            LongEntrySource.of(keys, keys, entries), 0.67, entries, ProgressListener.NONE);
        SplittableRandom random = new SplittableRandom(seed);
        damage(index.tree, random);
        DamagedUse.of(index, random, entries, mostSteps(index.tree));
        index.clear();
        index.verify();
        index.put(1, 10);
        assertEquals(10, index.get(1));
        index.verify();
      }
    }
  }

  /** Overwrites up to 16 words, in nodes of all levels, their headers more often than the rest. */
  private static void damage(CsbPlusStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      int level = random.nextInt(tree.height);
      long node = randomNode(tree, level, random);
      int words = tree.widthOf(level) * CacheLine.LONGS;
      int header = level == 0 ? words - 1 : random.nextInt(tree.inner.segments);
      int word = random.nextInt(3) == 0 ? header : random.nextInt(words);
      Words.putLong(tree.nodes, node + 8L * word, randomContents(tree, random));
    }
  }

  /** Goes down a random path, or as far as earlier damage lets it. */
  private static long randomNode(CsbPlusStructure tree, int level, SplittableRandom random) {
    long node = tree.root;
    for (int at = tree.height - 1; at > level; at--) {
      int children = tree.inner.children(tree.nodes, node);
      if (children < 1 || children > tree.inner.maxChildren) {
        return tree.root;
      }
      node = tree.inner.child(tree.nodes, node, random.nextInt(children), tree.childBytes(at));
      if (node < 0 || node + tree.inner.bytes + tree.leaf.bytes > tree.memory.endOffset()) {
        return tree.root;
      }
    }
    return node;
  }

  private static long randomContents(CsbPlusStructure tree, SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> Words.getLong(tree.nodes, random.nextLong(1, tree.memory.endOffset() / 8) * 8);
      case 3 -> random.nextInt(64);
      default -> segment(tree, random);
    };
  }

  /** A segment that is somewhere in the memory, and has a possible number of children and room. */
  private static long segment(CsbPlusStructure tree, SplittableRandom random) {
    long line = random.nextLong(tree.memory.endOffset() / CacheLine.BYTES);
    long end = random.nextLong(tree.inner.maxChildren + 1);
    long room = random.nextLong(tree.inner.maxChildren + 1);
    return room << 48 | end << 32 | line;
  }

  /** A leaf may begin at every line, and each is scanned at most once. */
  private static long mostSteps(CsbPlusStructure tree) {
    return tree.memory.endOffset() / CacheLine.BYTES * tree.leaf.capacity;
  }
}
