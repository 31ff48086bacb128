// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.IndexOptions;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.choices.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.TreeDamage;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Words of nodes and of chunks overwritten at random, as in {@code DamagedTreeTest}. */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedArrayTest {
  @Test
  void smallestNodesWithAJumpPointerArrayOutsideSurvive() {
    Geometry geometry = new Geometry(1, 1, 3);
    for (JumpPointers jumpPointers : List.of(JumpPointers.chunked(1), JumpPointers.FLAT)) {
      PbPlusChoices choices =
          PbPlusChoices.DEFAULT
              .withJumpPointers(jumpPointers)
              .withScanPrefetch(NodePrefetch.HALF_LINEAR);
      TreeDamage.inflictAndUse(
          600,
          300,
          () -> ConfigurablePbPlusTree.create(IndexOptions.DEFAULT, geometry, choices),
          DamagedArrayTest::damageChunk);
    }
  }

  /** Overwrites a word of a chunk, its two words of header more often than the rest. */
  private static boolean damageChunk(ConfigurablePbPlusTree index, SplittableRandom random) {
    if (!(index.pointers instanceof ChunkedJumpPointers pointers) || random.nextInt(3) > 0) {
      return false;
    }
    BPlusStructure tree = index.tree;
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
    Words.putLong(tree.nodes, chunk + 8L * word, TreeDamage.randomContents(tree, random));
    return true;
  }
}
