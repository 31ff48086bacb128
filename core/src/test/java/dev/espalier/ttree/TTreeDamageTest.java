// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
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
class TTreeDamageTest {
  @Test
  void smallestNodesSurvive() {
    damageAndUse(1, 600, 300);
    damageAndUse(2, 600, 300);
  }

  @Test
  void wideNodesSurvive() {
    damageAndUse(8, 300, 4_000);
    damageAndUse(64, 100, 10_000);
  }

  /** Behind the nodes lie gigabytes of address space, where a wild count or offset may lead. */
  @Test
  void treeInReservedMemorySurvives() {
    damageAndUse(2, 25, 150_000);
    damageAndUse(8, 25, 150_000);
  }

  private static void damageAndUse(int width, int trees, int entries) {
    for (long seed : TestSize.seeds(trees)) {
      try (TTree index = TTree.create(IndexOptions.DEFAULT, width)) {
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

  /** Overwrites up to 16 words, headers more often than the rest. */
  private static void damage(TTreeStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      long node = randomNode(tree, random);
      int words = random.nextBoolean() ? TTreeNode.KEYS_OFFSET / 8 : tree.layout.bytes / 8;
      Words.putLong(tree.nodes, node + 8L * random.nextInt(words), randomContents(tree, random));
    }
  }

  /** Goes down a random path for some levels, or as far as earlier damage lets it. */
  private static long randomNode(TTreeStructure tree, SplittableRandom random) {
    long node = tree.root;
    for (int levels = random.nextInt(16); levels > 0; levels--) {
      long next = tree.layout.child(tree.nodes, node, random.nextInt(2));
      if (next == 0 || next + tree.layout.bytes > tree.memory.endOffset()) {
        return node;
      }
      node = next;
    }
    return node;
  }

  private static long randomContents(TTreeStructure tree, SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> Words.getLong(tree.nodes, random.nextLong(1, tree.memory.endOffset() / 8) * 8);
      case 3 -> random.nextInt(64);
      default -> twoLines(tree, random);
    };
  }

  /** Two children, or a parent, that lead to nodes, or into the middle of some. */
  private static long twoLines(TTreeStructure tree, SplittableRandom random) {
    long lines = tree.memory.endOffset() / CacheLine.BYTES;
    return random.nextLong(lines) << 32 | random.nextLong(lines);
  }

  /** A node may begin at every line, and each is scanned at most once. */
  private static long mostSteps(TTreeStructure tree) {
    return tree.memory.endOffset() / CacheLine.BYTES * tree.layout.capacity;
  }
}
