// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.experiment.Entries;
import dev.espalier.memory.TracedJvm;
import dev.espalier.memory.Words;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LongKeyScanTest {
  private static final List<NodePrefetch> POLICIES =
      List.of(NodePrefetch.NONE, NodePrefetch.LINEAR, NodePrefetch.HALF_LINEAR);

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1.0",
    "1, 2, 0.5",
    "2, 1, 1.0",
    "2, 4, 0.67",
    "4, 2, 0.5",
    "8, 4, 0.67",
    "8, 8, 0.5",
    "8, 32, 1.0"
  })
  void everyScanGivesAllEntriesInOrder(int words, int width, double fill) {
    for (int entries : new int[] {1, 2, 3, 100, 1000, 1001}) {
      try (LongKeyTree tree = new LongKeyTree(words, width, fill, entries)) {
        for (NodePrefetch policy : POLICIES) {
          for (int distance : new int[] {2, 4}) {
            LongKeyScan scan = new LongKeyScan(tree, policy, distance);
            for (int round = 0; round < 2; round++) {
              assertEquals(entries, entriesInOrder(tree, scan, words));
              assertEquals(LongKeyTree.sumOfEntries(words, entries), scan.sum());
            }
          }
        }
      }
    }
  }

  private static int entriesInOrder(LongKeyTree tree, LongKeyScan scan, int words) {
    int rank = 0;
    scan.start();
    while (scan.next()) {
      long leaf = scan.leaf();
      for (int slot = 0; slot < tree.count(leaf); slot++) {
        for (int word = 0; word < words; word++) {
          long expected = word < words - 1 ? LongKeyTree.SHARED : Entries.key(rank);
          assertEquals(expected, Words.getLong(tree.nodes, tree.keyAt(leaf, slot) + 8L * word));
        }
        long value = tree.keyAt(leaf, tree.capacity) + 8L * slot;
        assertEquals(rank++, Words.getLong(tree.nodes, value));
      }
    }
    assertFalse(scan.next());
    return rank;
  }

  /**
   * Of leaves of 8 lines, which have room for 21 keys of 16 bytes, 0 to 5 are keys and 5 to 7
   * values. Four have 14 entries, in 0 to 3 and 5 to 7; the last has 3, in 0 and 5.
   */
  @Test
  void policiesFetchLinesOfTheLeavesAhead() throws IOException, InterruptedException {
    Map<String, String> lines = new HashMap<>();
    for (String line : TracedJvm.run(TracedLongKeyScan.class)) {
      int colon = line.indexOf(':');
      lines.put(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    assertEquals("", lines.get("NONE"));
    assertEquals("1:01234567 2:01234567 3:01234567 4:01234567", lines.get("LINEAR"));
    assertEquals("1:012 2:012 1:3567 3:012 2:3567 4:012 3:3567 4:5", lines.get("HALF_LINEAR"));
  }
}
