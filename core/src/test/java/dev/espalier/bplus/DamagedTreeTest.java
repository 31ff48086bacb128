// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of nodes overwritten at random: every call answers something or throws, and ends. A call
 * that never ends is found by the limit on steps or, as a last resort, by the time limit.
 */
@Tag("fallback-too")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedTreeTest {
  @Test
  void smallestNodesSurvive() {
    damageAndUse(600, 300, () -> BPlusTree.create(IndexOptions.DEFAULT, 1));
    damageAndUse(600, 300, () -> PbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 2, 3)));
  }

  @Test
  void smallestNodesWithAJumpPointerArrayOutsideSurvive() {
    Geometry geometry = new Geometry(1, 1, 3);
    for (JumpPointers jumpPointers : List.of(JumpPointers.chunked(1), JumpPointers.FLAT)) {
      PbPlusChoices choices =
          PbPlusChoices.DEFAULT
              .withJumpPointers(jumpPointers)
              .withScanPrefetch(NodePrefetch.HALF_LINEAR);
      damageAndUse(600, 300, () -> PbPlusTree.create(IndexOptions.DEFAULT, geometry, choices));
    }
  }

  @Test
  void wideNodesSurvive() {
    damageAndUse(300, 4_000, () -> BPlusTree.create(IndexOptions.DEFAULT, 8));
    damageAndUse(300, 4_000, PbPlusTree::create);
  }

  /** Behind the nodes lie gigabytes of address space, where a wild count or offset may lead. */
  @Test
  void treeInReservedMemorySurvives() {
    damageAndUse(25, 150_000, () -> BPlusTree.create(IndexOptions.DEFAULT, 4));
    damageAndUse(25, 150_000, PbPlusTree::create);
  }

  private static void damageAndUse(int trees, int entries, Supplier<? extends BPlusIndex> factory) {
    for (int seed = 0; seed < trees; seed++) {
      try (BPlusIndex index = factory.get()) {
        long[] keys = LongStream.range(0, entries).toArray();
        index.bulkload(
            LongEntrySource.of(keys, keys, entries), 0.67, entries, ProgressListener.NONE);
        SplittableRandom random = new SplittableRandom(seed);
        damage(index.tree, random);
        DamagedUse.of(index, random, entries, mostSteps(index));
        index.clear();
        index.verify();
        index.put(1, 10);
        assertEquals(10, index.get(1));
        index.verify();
      }
    }
  }

  /** Overwrites up to 16 words, in nodes of all levels, their headers more often than the rest. */
  private static void damage(BPlusStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      if (tree.pointers instanceof ChunkedJumpPointers pointers && random.nextInt(3) == 0) {
        damageChunk(tree, pointers, random);
        continue;
      }
      int level = random.nextInt(tree.height);
      long node = randomNode(tree, level, random);
      int words = (level == 0 ? tree.leaf.bytes : tree.inner.bytes) / 8;
      int header = level == 0 ? 1 : 2;
      int word = random.nextInt(3) == 0 ? words - header : random.nextInt(words);
      Words.putLong(tree.nodes, node + 8L * word, randomContents(tree, random));
    }
  }

  /** Overwrites a word of a chunk, its two words of header more often than the rest. */
  private static void damageChunk(
      BPlusStructure tree, ChunkedJumpPointers pointers, SplittableRandom random) {
    long chunk = pointers.first;
    for (int steps = random.nextInt(8); steps > 0; steps--) {
      long next = pointers.layout.next(tree.nodes, chunk);
      if (next == 0 || next + 4 * CacheLine.BYTES > tree.memory.endOffset()) {
        break;
      }
      chunk = next;
    }
    int words = pointers.layout.width * CacheLine.LONGS;
    int word = random.nextInt(random.nextInt(2) == 0 ? 2 : words);
    Words.putLong(tree.nodes, chunk + 8L * word, randomContents(tree, random));
  }

  /** Goes down a random path, or as far as earlier damage lets it. */
  private static long randomNode(BPlusStructure tree, int level, SplittableRandom random) {
    long node = tree.root;
    for (int at = tree.height - 1; at > level; at--) {
      int count = tree.inner.count(tree.nodes, node);
      if (count < 0 || count > tree.inner.capacity) {
        return tree.root;
      }
      node = tree.inner.child(tree.nodes, node, random.nextInt(count + 1));
      if (node + tree.inner.bytes + tree.leaf.bytes > tree.memory.endOffset()) {
        return tree.root;
      }
    }
    return node;
  }

  private static long randomContents(BPlusStructure tree, SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> Words.getLong(tree.nodes, randomWord(tree, random));
      case 3 -> random.nextInt(64);
      default -> twoLines(tree, random);
    };
  }

  /** Two children, or links of the chain, that lead to nodes, or into the middle of some. */
  private static long twoLines(BPlusStructure tree, SplittableRandom random) {
    long lines = tree.memory.endOffset() / CacheLine.BYTES;
    return random.nextLong(lines) << 32 | random.nextLong(lines);
  }

  private static long randomWord(BPlusStructure tree, SplittableRandom random) {
    return random.nextLong(1, tree.memory.endOffset() / 8) * 8;
  }

  /** A leaf may begin at every line, and each is scanned at most once. */
  private static long mostSteps(BPlusIndex index) {
    return index.tree.memory.endOffset() / CacheLine.BYTES * index.tree.leaf.capacity;
  }
}
