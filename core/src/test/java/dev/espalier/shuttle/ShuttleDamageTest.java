// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.shuttle.ShuttleTree.Geometry;
import dev.espalier.shuttle.ShuttleTree.Schedule;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of nodes and buffers overwritten at random: every call answers something or throws, and
 * ends. A call that never ends is found by the limit on steps or, as a last resort, by the time
 * limit.
 */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShuttleDamageTest {
  @Test
  void smallestNodesSurvive() {
    damageAndUse(2, 60, 600);
  }

  @Test
  void defaultNodesSurvive() {
    damageAndUse(64, 15, 20_000);
  }

  private static void damageAndUse(int leafEntries, int trees, int entries) {
    for (long seed : TestSize.seeds(trees)) {
      Geometry geometry = new Geometry(Schedule.SHIFTED, 4, leafEntries);
      try (ShuttleTree index =
          ShuttleTree.create(IndexOptions.DEFAULT.withMemoryLimit(64 << 20), geometry)) {
        long[] keys = LongStream.range(0, entries).toArray();
        index.bulkload(
            LongEntrySource.of(keys, keys, entries), 0.67, entries, ProgressListener.NONE);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 50; i++) {
          index.set(random.nextLong(entries), i);
        }
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
  private static void damage(ShuttleStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      long element = randomElement(tree, random);
      boolean inHeader = random.nextBoolean();
      int lines = tree.layout.lines(tree.array.nodes, element);
      int words = inHeader || lines < 1 || lines > 1000 ? 6 : lines * CacheLine.LONGS;
      long word = Math.min(element + 8L * random.nextInt(words), tree.array.nodes.byteSize() - 8);
      Words.putLong(tree.array.nodes, word, randomContents(tree, random));
    }
  }

  /** Goes along the elements for some steps, or as far as earlier damage lets it. */
  private static long randomElement(ShuttleStructure tree, SplittableRandom random) {
    long element = tree.array.first;
    int most = random.nextBoolean() ? 10 : (int) tree.array.elements;
    for (int steps = random.nextInt(most); steps > 0; steps--) {
      long next = tree.layout.next(tree.array.nodes, element);
      if (next == 0 || next > tree.array.nodes.byteSize() - CacheLine.BYTES) {
        return element;
      }
      element = next;
    }
    return element;
  }

  private static long randomContents(ShuttleStructure tree, SplittableRandom random) {
    long words = tree.array.nodes.byteSize() / 8;
    return switch (random.nextInt(5)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> Words.getLong(tree.array.nodes, random.nextLong(words) * 8);
      case 3 -> random.nextInt(64);
      default -> random.nextLong(words / 8) << 32 | random.nextLong(words / 8);
    };
  }

  /** A separator may be any word, and each leads to one leaf and the buffers above at most. */
  private static long mostSteps(ShuttleStructure tree) {
    long atOnce = tree.layout.leafEntries + tree.layout.pathCapacity(tree.height);
    return tree.array.nodes.byteSize() / 8 * atOnce;
  }
}
