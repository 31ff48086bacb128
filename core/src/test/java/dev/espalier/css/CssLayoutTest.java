// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.css.CssTree.Form;
import dev.espalier.css.CssTree.Geometry;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where nodes and entries lie in memory. */
class CssLayoutTest {
  private static final String PADDING = " " + Long.MAX_VALUE;

  @ParameterizedTest(name = "{0} with {1} lines: {2} key slots, fan-out {3}")
  @CsvSource({
    "FULL, 1, 8, 9",
    "LEVEL, 1, 8, 8",
    "FULL, 2, 16, 17",
    "LEVEL, 2, 16, 16",
    "FULL, 3, 24, 25",
    "LEVEL, 3, 24, 24",
    "FULL, 64, 512, 513",
    "LEVEL, 64, 512, 512"
  })
  void fullNodeHasAChildMoreThanKeySlotsAndALevelNodeAsMany(
      Form form, int width, int keySlots, int fanOut) {
    try (CssTree tree = load(form, width, keySlots + 1)) {
      assertEquals(keySlots, tree.tree.directory.keySlots);
      assertEquals(fanOut, tree.tree.directory.fanOut);
      NodeView root = tree.rootView();
      assertEquals(fanOut - 1, root.capacity());
      assertEquals(64L * width, root.bytes());
      assertEquals(2, root.children());
      assertEquals(keySlots, root.child(0).capacity());
      assertEquals(keySlots, root.child(0).count());
      assertEquals(1, root.child(1).count());
    }
  }

  @Test
  void geometryNeedsAFormAndAWidth() {
    assertThrows(NullPointerException.class, () -> new Geometry(null, 1));
    assertThrows(IllegalArgumentException.class, () -> new Geometry(Form.FULL, 0));
    assertThrows(IllegalArgumentException.class, () -> new Geometry(Form.FULL, 65));
  }

  /** 625 leaves, divided by the fan-out and rounded up until one node is left. */
  @ParameterizedTest
  @CsvSource({"FULL, 1 8 70 625, 0 64 576", "LEVEL, 1 2 10 79 625, 0 64 192 832"})
  void levelsFollowOneAnotherTheRootFirst(Form form, String nodes, String offsets) {
    try (CssTree tree = load(form, 1, 4_999)) {
      CssDirectory directory = tree.tree.directory;
      int levels = directory.levels;
      assertArrayEquals(longs(nodes), Arrays.copyOf(directory.levelNodes, levels + 1));
      assertArrayEquals(longs(offsets), Arrays.copyOf(directory.levelOffset, levels));
    }
  }

  @ParameterizedTest
  @CsvSource({"FULL, 8, 0", "FULL, 9, 1", "FULL, 72, 1", "FULL, 73, 2", "FULL, 648, 2"})
  @CsvSource({"FULL, 649, 3", "LEVEL, 8, 0", "LEVEL, 64, 1", "LEVEL, 65, 2", "LEVEL, 513, 3"})
  void levelIsAddedWhenTheRootIsFull(Form form, int entries, int levels) {
    try (CssTree tree = load(form, 1, entries)) {
      assertEquals(levels, tree.tree.directory.levels);
    }
  }

  /** Thesis figure 3.3: addresses are computed, not stored. */
  @ParameterizedTest
  @CsvSource({"FULL, 1", "LEVEL, 1", "FULL, 2", "LEVEL, 3"})
  void childOfANodeIsFoundByArithmetic(Form form, int width) {
    try (CssTree tree = load(form, width, 20_001)) {
      CssDirectory directory = tree.tree.directory;
      long bytes = 64L * width;
      assertTrue(directory.levels >= 3);
      for (int level = 0; level < directory.levels; level++) {
        boolean aboveLeaves = level == directory.levels - 1;
        long below = aboveLeaves ? 0 : directory.levelOffset[level + 1];
        for (long j = 0; j < directory.levelNodes[level]; j++) {
          NodeView node = tree.tree.view(level, j);
          assertEquals(directory.levelOffset[level] + j * bytes, node.offset());
          for (int i = 0; i < node.children(); i++) {
            assertEquals(below + (j * directory.fanOut + i) * bytes, node.child(i).offset());
          }
          for (int i = 0; i < node.count(); i++) {
            assertEquals(largestKey(node.child(i)), node.key(i));
          }
        }
      }
    }
  }

  private static long largestKey(NodeView node) {
    return node.level() == 0
        ? node.key(node.count() - 1)
        : largestKey(node.child(node.children() - 1));
  }

  @ParameterizedTest
  @CsvSource({"FULL, 17.1", "LEVEL, 17.3"})
  void aMillionEntriesTakeLittleMoreThanTheirKeysAndValues(Form form, double bytesPerEntry) {
    try (CssTree tree = load(form, 1, 1_000_000)) {
      IndexStatistics statistics = tree.statistics();
      assertEquals(bytesPerEntry, statistics.bytesPerEntry(), 0.05);
      assertEquals(125_000, statistics.leafNodes());
      assertEquals(1.0, statistics.leafFill());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9, 1000})
  void keysAndValuesBeginOnLinesAndPaddingFollowsTheKeys(int entries) {
    try (CssTree tree = load(Form.FULL, 1, entries)) {
      EntryArray array = tree.tree.array;
      assertEquals(0, array.memory.address() % 64);
      assertEquals(0, array.valuesOffset % 64);
      assertTrue(array.valuesOffset >= 8L * (entries + 9));
      assertEquals(PADDING.repeat(9), words(array.memory, 8L * entries, 9));
    }
  }

  @Test
  void fullTreeIsDumped() {
    try (CssTree tree = load(Form.FULL, 1, 20)) {
      assertEquals(
          """
          inner 1 @0 2/8: 80 160
            leaf @0 8/8: 10=-10 20=-20 30=-30 40=-40 50=-50 60=-60 70=-70 80=-80
            leaf @64 8/8: 90=-90 100=-100 110=-110 120=-120 130=-130 140=-140 150=-150 160=-160
            leaf @128 4/8: 170=-170 180=-180 190=-190 200=-200
          """,
          TreePrinter.print(tree.rootView(), 100));
      assertEquals(" 80 160" + PADDING.repeat(6), words(tree.tree.directory.nodes, 0, 8));
      EntryArray array = tree.tree.array;
      assertEquals(" 10 20 30", words(array.memory, 0, 3));
      assertEquals(" -10 -20 -30", words(array.memory, array.valuesOffset, 3));
    }
  }

  @Test
  void levelTreeIsDumpedAndLeavesItsLastSlotsUnused() {
    try (CssTree tree = load(Form.LEVEL, 1, 66)) {
      assertEquals(
          """
          inner 2 @0 1/7: 640
            inner 1 @64 7/7: 80 160 240 320 400 480 560
              leaf @0 8/8: 10=-10 20=-20 30=-30 40=-40 50=-50 60=-60 70=-70 80=-80
          ...
          """,
          TreePrinter.print(tree.rootView(), 3));
      MemorySegment nodes = tree.tree.directory.nodes;
      assertEquals(" 640" + PADDING.repeat(7), words(nodes, 0, 8), "the root");
      assertEquals(" 80 160 240 320 400 480 560" + PADDING, words(nodes, 64, 8), "a full node");
      assertEquals(PADDING.repeat(8), words(nodes, 128, 8), "a node of one child");
    }
  }

  /** Keys 10, 20, 30 and so on, each with minus itself as value. */
  private static CssTree load(Form form, int width, int entries) {
    CssTree tree = CssTree.create(IndexOptions.DEFAULT, new Geometry(form, width));
    long[] keys = LongStream.rangeClosed(1, entries).map(i -> 10 * i).toArray();
    tree.bulkload(keys, LongStream.of(keys).map(key -> -key).toArray());
    return tree;
  }

  private static long[] longs(String numbers) {
    return Arrays.stream(numbers.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  private static String words(MemorySegment memory, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> " " + Words.getLong(memory, offset + 8 * i))
        .collect(Collectors.joining());
  }
}
