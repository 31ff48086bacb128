// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.experiment.Entries;
import dev.espalier.experiment.thesis.LongKeyTree.Comparison;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LongKeyTreeTest {

  @ParameterizedTest
  @CsvSource({"1, 1, 1.0", "2, 1, 0.67", "4, 6, 1.0", "8, 6, 0.5", "8, 12, 0.67"})
  void everyComparisonFindsTheRankOfEveryKey(int words, int width, double fill) {
    for (int entries : new int[] {1, 2, 100, 3000}) {
      try (LongKeyTree tree = new LongKeyTree(words, width, fill, entries)) {
        for (Comparison comparison : Comparison.values()) {
          for (int rank = 0; rank < entries; rank++) {
            long[] probe = {Entries.key(rank)};
            assertEquals(rank, tree.query(probe, comparison, rank % 2 == 0));
          }
        }
      }
    }
  }

  /** A node of 6 lines has 47 words behind its count. */
  @ParameterizedTest
  @CsvSource({"1, 23", "2, 15", "4, 9", "8, 5"})
  void nodesHaveAsManyKeysAsFit(int words, int capacity) {
    for (int extra = 0; extra < 2; extra++) {
      int entries = capacity * capacity + extra;
      try (LongKeyTree tree = new LongKeyTree(words, 6, 1, entries)) {
        assertEquals(capacity, tree.capacity);
        assertEquals(2 + extra, tree.height());
      }
    }
  }

  @Test
  void nodesThatAreTooNarrowAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new LongKeyTree(8, 2, 1, 10));
  }
}
