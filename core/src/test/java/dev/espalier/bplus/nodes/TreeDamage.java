// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.tree.Structures;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Overwrites words of a tree's nodes at random, and sees to it that every call then ends. */
public final class TreeDamage {
  private TreeDamage() {}

  /** Damages what a tree has outside its nodes. */
  public interface Elsewhere<I> {
    /** Overwrites a word there, or does nothing and returns false. */
    boolean damage(I index, SplittableRandom random);
  }

  /** Damages and uses {@code trees} trees, each of which is to have {@code entries} entries. */
  public static void inflictAndUse(int trees, int entries, Supplier<? extends LongIndex> factory) {
    inflictAndUse(trees, entries, factory, (index, random) -> false);
  }

  /** Damages and uses trees, also in what is not in their nodes. */
  public static <I extends LongIndex> void inflictAndUse(
      int trees, int entries, Supplier<I> factory, Elsewhere<? super I> elsewhere) {
    for (long seed : TestSize.seeds(trees)) {
      try (I index = factory.get()) {
        long[] keys = LongStream.range(0, entries).toArray();
        index.bulkload(
            LongEntrySource.of(keys, keys, entries), 0.67, entries, ProgressListener.NONE);
        SplittableRandom random = new SplittableRandom(seed);
        damage(index, elsewhere, random);
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
  private static <I extends LongIndex> void damage(
      I index, Elsewhere<? super I> elsewhere, SplittableRandom random) {
    BPlusStructure tree = structure(index);
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      if (elsewhere.damage(index, random)) {
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

  /** Returns what a word is overwritten by: wild, small, or like the words there are. */
  public static long randomContents(BPlusStructure tree, SplittableRandom random) {
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

  private static BPlusStructure structure(LongIndex index) {
    return Structures.of(index, BPlusStructure.class);
  }

  /** A leaf may begin at every line, and each is scanned at most once. */
  private static long mostSteps(LongIndex index) {
    return structure(index).memory.endOffset() / CacheLine.BYTES * structure(index).leaf.capacity;
  }
}
