// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.css.CssTree.Form;
import dev.espalier.css.CssTree.Geometry;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Separators, digests, keys and removed bits overwritten at random: every call answers something or
 * throws, and ends. A call that never ends is found by the limit on steps or, as a last resort, by
 * the time limit.
 */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedCssTreeTest {
  @Test
  void smallestNodesSurvive() {
    damageAndUse(400, 600, new Geometry(Form.FULL, 1));
    damageAndUse(400, 600, new Geometry(Form.LEVEL, 1));
  }

  @Test
  void wideNodesSurvive() {
    damageAndUse(150, 4_000, new Geometry(Form.FULL, 3));
    damageAndUse(150, 4_000, new Geometry(Form.LEVEL, 8));
  }

  /** Behind the entries lie gigabytes of address space, where a wild separator may lead. */
  @Test
  void treeInReservedMemorySurvives() {
    damageAndUse(8, 500_000, new Geometry(Form.FULL, 1));
    damageAndUse(8, 500_000, new Geometry(Form.LEVEL, 2));
  }

  @Test
  void digestLeavesSurvive() {
    for (long seed : TestSize.seeds(400)) {
      DigestCssTree index = DigestCssTree.create(IndexOptions.DEFAULT);
      damageAndUse(index, index.tree, 600, new SplittableRandom(seed));
    }
  }

  @Test
  void digestLeavesInReservedMemorySurvive() {
    for (long seed : TestSize.seeds(8)) {
      DigestCssTree index = DigestCssTree.create(IndexOptions.DEFAULT);
      damageAndUse(index, index.tree, 500_000, new SplittableRandom(seed));
    }
  }

  private static void damageAndUse(int trees, int entries, Geometry geometry) {
    for (long seed : TestSize.seeds(trees)) {
      CssTree index = CssTree.create(IndexOptions.DEFAULT, geometry);
      damageAndUse(index, index.tree, entries, new SplittableRandom(seed));
    }
  }

  /** Closes the index, too. */
  private static void damageAndUse(
      LongIndex index, CssStructure tree, int entries, SplittableRandom random) {
    try (index) {
      fill(index, entries, random);
      damage(tree, random);
      DamagedUse.of(index, random, entries, 2L * entries + 10_000);
      index.clear();
      index.verify();
      index.put(1, 10);
      assertEquals(10, index.get(1));
      index.verify();
    }
  }

  /** Even keys in the array, some odd ones in the delta, some entries removed. */
  private static void fill(LongIndex index, int entries, SplittableRandom random) {
    long[] keys = LongStream.range(0, entries / 2).map(i -> 2 * i).toArray();
    index.bulkload(keys, keys);
    for (int i = 0; i < 50; i++) {
      long key = random.nextLong(entries);
      if (key % 2 == 1) {
        index.put(key, key);
      } else {
        index.remove(key);
      }
    }
  }

  private static void damage(CssStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      switch (random.nextInt(4)) {
        case 0 -> overwrite(tree.directory.nodes, tree.directory.usedBytes() / 8, tree, random);
        case 1 -> overwrite(tree.array.memory, wordsOf(tree.array), tree, random);
        case 2 -> overwrite(tree.delta.memory, tree.delta.count + 1, tree, random);
        default -> flipBit(tree.removed, random.nextLong(tree.array.count + 1), random);
      }
    }
  }

  /** Returns the words to the end of the keys and one of the padding. */
  private static long wordsOf(EntryArray array) {
    return (array.hasPairs() ? 2 : 1) * (array.count + 1);
  }

  private static void overwrite(
      MemorySegment memory, long words, CssStructure tree, SplittableRandom random) {
    long contents =
        switch (random.nextInt(4)) {
          case 0 -> random.nextLong();
          case 1 -> DamagedUse.extreme(random);
          case 2 -> tree.array.key(random.nextLong(tree.array.count));
          default -> random.nextInt(64);
        };
    Words.putLong(memory, 8 * random.nextLong(words), contents);
  }

  /** Flips a bit; the count of bits follows it or does not. */
  private static void flipBit(RemovedSlots removed, long slot, SplittableRandom random) {
    long count = removed.count;
    if (removed.contains(slot)) {
      removed.remove(slot);
    } else {
      removed.add(slot);
    }
    if (random.nextBoolean()) {
      removed.count = count;
    }
  }
}
