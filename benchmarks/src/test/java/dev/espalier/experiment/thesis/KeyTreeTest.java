// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.experiment.Entries;
import dev.espalier.node.Keys;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KeyTreeTest {

  @ParameterizedTest
  @CsvSource({"8, 1", "9, 2", "72, 2", "73, 3", "648, 3", "649, 4"})
  void heightIsThatOfAFullCssTree(int entries, int height) {
    try (KeyTree tree = new KeyTree(1, entries)) {
      assertEquals(height, tree.levels.length);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 9, 100, 649, 5000})
  void everyFormFindsTheRankOfEveryKey(int entries) {
    try (KeyTree tree = new KeyTree(1, entries)) {
      long[] probes = Entries.probes(entries, entries, entries);
      assertEquals(entries, Arrays.stream(probes).distinct().count());
      long sum = (long) entries * (entries - 1) / 2;
      assertEquals(sum, Entries.sumOfRanks(probes));
      for (long probe : probes) {
        long[] one = {probe};
        for (SearchForm form : SearchForm.values()) {
          assertEquals(Entries.sumOfRanks(one), form.query(tree, one), form.label());
        }
        for (PrefetchForm form : PrefetchForm.values()) {
          assertEquals(Entries.sumOfRanks(one), form.query(tree, one), form.label());
        }
      }
    }
  }

  @Test
  void everyScanReadsEveryLeafOnce() {
    try (KeyTree tree = new KeyTree(2, 1000)) {
      long[] leaves = tree.leaves(Integer.MAX_VALUE);
      assertEquals(63, leaves.length);
      assertEquals(63, Arrays.stream(leaves).distinct().count());
      long padding = 63 * 16 - 1000;
      long sum = 3 * (1000L * 999 / 2) + padding * Keys.PADDING;
      assertEquals(sum, tree.sumOfLeaves());
      for (PrefetchForm form : PrefetchForm.values()) {
        assertEquals(sum, form.scan(tree, leaves), form.label());
      }
    }
  }

  @Test
  void fewPlacesAreRepeated() {
    try (KeyTree tree = new KeyTree(1, 1000)) {
      long[] probes = Entries.probes(1000, 100, 4);
      assertEquals(4, Arrays.stream(probes).distinct().count());
      assertArrayEquals(Arrays.copyOf(probes, 4), Arrays.copyOfRange(probes, 96, 100));
      assertEquals(4, Arrays.stream(tree.leaves(4)).distinct().count());
    }
  }
}
