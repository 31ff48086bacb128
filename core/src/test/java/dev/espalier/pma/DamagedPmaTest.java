// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.memory.Words;
import dev.espalier.pma.PackedMemoryArray.Geometry;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Keys, values, cards and separators overwritten at random: every call answers something or throws,
 * and ends. A call that never ends is found by the limit on steps or, as a last resort, by the time
 * limit.
 */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedPmaTest {
  @Test
  void smallestSegmentsSurvive() {
    damageAndUse(200, 600, 4);
  }

  @Test
  void segmentsOfTheDefaultSizeSurvive() {
    damageAndUse(60, 4_000, 128);
  }

  /** Beyond one huge page memory is reserved address space. */
  @Test
  void arrayInReservedMemorySurvives() {
    damageAndUse(3, 200_000, 128);
  }

  private static void damageAndUse(int rounds, int entries, int slots) {
    Geometry geometry = new Geometry(slots, Densities.UPDATE_ORIENTED);
    for (long seed : TestSize.seeds(rounds)) {
      SplittableRandom random = new SplittableRandom(seed);
      PackedMemoryArray array = PackedMemoryArray.create(IndexOptions.DEFAULT, geometry);
      damageAndUse(array, array.tree, entries, random);
      CacheObliviousBTree tree = CacheObliviousBTree.create(IndexOptions.DEFAULT, geometry);
      damageAndUse(tree, tree.tree, entries, random);
    }
  }

  private static void damageAndUse(
      LongIndex index, PmaStructure tree, int entries, SplittableRandom random) {
    try (index) {
      for (long key = 0; key < entries; key++) {
        index.put(key * 0x9e37_79b9L % entries, key);
      }
      damage(tree, random);
      DamagedUse.of(index, random, entries, 1L << 20);
      index.clear();
      index.verify();
      index.put(1, 10);
      assertEquals(10, index.get(1));
      index.verify();
    }
  }

  private static void damage(PmaStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      SegmentColumns columns = tree.columns;
      switch (random.nextInt(4)) {
        case 0 -> {
          int segment = random.nextInt(tree.segments);
          int card = columns.card(segment);
          columns.card(segment, random.nextBoolean() ? random.nextInt(1 << 16) : card + 1);
        }
        case 1 -> {
          long separators = (columns.bytes() - columns.indexOffset) / Long.BYTES;
          if (separators > 0) {
            overwrite(tree, columns.indexOffset + 8 * random.nextLong(separators), random);
          }
        }
        default -> overwrite(tree, 8 * random.nextLong(columns.slot(tree.segments)), random);
      }
    }
  }

  private static void overwrite(PmaStructure tree, long offset, SplittableRandom random) {
    long contents =
        switch (random.nextInt(3)) {
          case 0 -> random.nextLong();
          case 1 -> DamagedUse.extreme(random);
          default -> tree.columns.key(random.nextLong(tree.columns.slot(tree.segments)));
        };
    Words.putLong(tree.columns.memory, offset, contents);
  }
}
