// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.experiment.Entries;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LongKeyTreeTest {

  @ParameterizedTest
  @CsvSource({"1, 1, 1.0", "2, 1, 0.67", "2, 1, 0.5", "4, 6, 1.0", "8, 6, 0.5", "8, 12, 0.67"})
  void everySearchFindsTheRankOfEveryKeyAndOfWhatLiesBetween(int words, int width, double fill) {
    for (int entries : new int[] {1, 2, 100, 1000}) {
      try (LongKeyTree tree = new LongKeyTree(words, width, fill, entries)) {
        for (LongKeySearch search : LongKeySearch.values()) {
          for (KeyComparison comparison : KeyComparison.values()) {
            for (long key = Entries.key(0) - 1; key <= Entries.key(entries); key++) {
              long[] probe = {key};
              long rank = Math.clamp(Math.floorDiv(key, Entries.key(1)), 0, entries - 1);
              assertEquals(rank, tree.query(probe, search, comparison, key % 2 == 0));
            }
          }
        }
      }
    }
  }

  /** Keys that differ from one word on, where they are of either sign. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void everySearchCountsTheKeysThatAreNotAbove(int words) {
    try (LongKeyTree tree = new LongKeyTree(words, 8, 1, 1000)) {
      long node = tree.leaf(0);
      int count = tree.count(node);
      for (int word = 0; word < words; word++) {
        for (int slot = 0; slot < count; slot++) {
          long[] key = key(words, word, slot - count / 2, -slot);
          Words.putLongs(tree.nodes, tree.keyAt(node, slot), key, 0, words);
        }
        for (int notAbove = 0; notAbove <= count; notAbove++) {
          long[] key = key(words, word, notAbove - 1 - count / 2, Long.MAX_VALUE);
          for (LongKeySearch search : LongKeySearch.values()) {
            for (KeyComparison comparison : KeyComparison.values()) {
              assertEquals(notAbove, search.notAbove(tree, node, key, comparison));
            }
          }
        }
      }
    }
  }

  private static long[] key(int words, int word, long value, long behind) {
    long[] key = new long[words];
    Arrays.fill(key, 0, word, LongKeyTree.SHARED);
    key[word] = value;
    Arrays.fill(key, word + 1, words, behind);
    return key;
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
        assertEquals(capacity + extra, tree.leafCount);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "4, 2", "8, 3", "256, 65"})
  void nodesThatAreTooNarrowAreRefused(int words, int least) {
    assertEquals(least, LongKeyTree.leastWidth(words));
    new LongKeyTree(words, least, 1, 10).close();
    assertThrows(
        IllegalArgumentException.class, () -> new LongKeyTree(words, least - 1, 1, 10).close());
  }

  @Test
  void halfFullLeavesOfTwoKeysHaveOne() {
    try (LongKeyTree tree = new LongKeyTree(8, 3, 0.5, 10)) {
      assertEquals(10, tree.leafCount);
      assertEquals(5, tree.height());
    }
  }

  @Test
  void sumOfALeafHasAllWords() {
    try (LongKeyTree tree = new LongKeyTree(4, 6, 1, 11)) {
      MemorySegment nodes = tree.nodes;
      long last = tree.leaf(1);
      assertEquals(2, tree.count(last));
      assertEquals(Entries.key(9), Words.getLong(nodes, tree.keyAt(last, 0) + 24));
      long words = Entries.key(9) + Entries.key(10) + 9 + 10;
      for (int shared = 0; shared < 2 * 3; shared++) {
        words += LongKeyTree.SHARED;
      }
      assertEquals(words, tree.sumOf(last));
    }
  }
}
