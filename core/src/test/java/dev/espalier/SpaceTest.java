// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.family.Family;
import dev.espalier.inspect.IndexStatistics;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What most entries of an index take comes back when they are removed in random order. */
class SpaceTest {
  private static final int ENTRIES = 50_000;

  /**
   * The trees that have as much in use as before, until they are shrunk: nodes stay in pages where
   * others of their page do, removals are messages that take room of their own, or pages stay until
   * they are empty.
   */
  private static final Set<String> KEEPING =
      Set.of(
          "CacheFirstFpbPlusTree",
          "DeamortizedCola",
          "BufferedRepositoryTree",
          "PioBTree",
          "BLinkTree",
          "FpbLinkTree");

  static List<TreeVariant> variants() {
    return Family.all();
  }

  static List<TreeShape> kinds() {
    return TreeShape.kinds();
  }

  @ParameterizedTest
  @Tag("thorough")
  @MethodSource("variants")
  void removingNineOfTenGivesNodesBackButInTreesThatKeepThem(TreeVariant variant) {
    try (LongIndex index = variant.create(IndexOptions.DEFAULT)) {
      long before = filled(index).usedBytes();
      long after = nineOfTenRemoved(index).usedBytes();
      assertEquals(
          KEEPING.contains(variant.name()), after > before * 3 / 4, () -> after + " of " + before);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void shrinkLeavesAFifthAtMostOfWhatTenTimesAsManyEntriesTook(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      IndexStatistics before = filled(index);
      IndexStatistics removed = nineOfTenRemoved(index);
      assertEquals(removed.committedBytes() - index.shrink(), index.statistics().committedBytes());
      IndexStatistics after = index.statistics();
      assertTrue(after.usedBytes() <= before.usedBytes() / 5, after::toString);
      assertTrue(after.committedBytes() <= before.committedBytes() / 5, after::toString);
      assertHoldsOneOfTen(index);
    }
  }

  private static long[] keys() {
    return new Random(5).longs(ENTRIES).toArray();
  }

  private static IndexStatistics filled(LongIndex index) {
    for (long key : keys()) {
      index.put(key, ~key);
    }
    return index.statistics();
  }

  private static IndexStatistics nineOfTenRemoved(LongIndex index) {
    long[] keys = keys();
    for (int i = 0; i < ENTRIES; i++) {
      if (i % 10 != 0) {
        index.remove(keys[i]);
      }
    }
    index.verify();
    assertHoldsOneOfTen(index);
    return index.statistics();
  }

  private static void assertHoldsOneOfTen(LongIndex index) {
    assertEquals(ENTRIES / 10, index.size());
    long[] keys = keys();
    for (int i = 0; i < ENTRIES; i += 10) {
      assertEquals(~keys[i], index.get(keys[i]));
    }
  }
}
