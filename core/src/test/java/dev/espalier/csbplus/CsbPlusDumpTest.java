// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.csbplus.CsbPlusTree.Geometry;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.TreePrinter;
import java.lang.foreign.ValueLayout;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Small trees as they lie in memory: leaves of one line, three entries, side by side. */
class CsbPlusDumpTest {
  private static final Geometry FULL = new Geometry(1, 1, 1, 0);
  private static final Geometry TWO_SEGMENTS = new Geometry(1, 1, 2, 0);
  private static final long PADDING = Long.MAX_VALUE;

  @Test
  void splitOfTheFirstLeafShiftsItsSiblings() {
    try (CsbPlusTree tree = ascending(FULL, 10, 20, 30, 40, 50, 60, 70)) {
      assertEquals(
          """
          inner 1 @576 2/7: 30 60
            leaf @768 3/3: 10=-10 20=-20 30=-30
            leaf @832 3/3: 40=-40 50=-50 60=-60
            leaf @896 1/3: 70=-70
          """,
          print(tree));
      tree.put(15, -15);
      assertEquals(
          """
          inner 1 @576 3/7: 15 30 60
            leaf @768 2/3: 10=-10 15=-15
            leaf @832 2/3: 20=-20 30=-30
            leaf @896 3/3: 40=-40 50=-50 60=-60
            leaf @960 1/3: 70=-70
          """,
          print(tree));
    }
  }

  @Test
  void firstGroupOfALevelDoublesUpToTheMostSiblings() {
    try (CsbPlusTree tree = ascending(FULL, 1, 2, 3, 4)) {
      assertEquals("[@640 2/2]", segments(tree));
      LongStream.rangeClosed(5, 7).forEach(key -> tree.put(key, -key));
      assertEquals("[@768 3/4]", segments(tree));
      LongStream.rangeClosed(8, 24).forEach(key -> tree.put(key, -key));
      assertEquals("[@1024 8/8]", segments(tree));
      assertEquals(64 + 8 * 64, tree.statistics().usedBytes());
    }
  }

  @Test
  void segmentThatSplitsMovesToAnExactOneAndLeavesTheOtherAlone() {
    try (CsbPlusTree tree = loaded(TWO_SEGMENTS, 15)) {
      assertEquals("[@768 4/4] [@1024 1/3]", segments(tree));
      tree.put(1, -1);
      assertEquals("[@1216 5/5] [@1024 1/3]", segments(tree));
    }
  }

  @Test
  void segmentWithItsShareIsDividedWhileTheNodeHasAnother() {
    try (CsbPlusTree tree = loaded(TWO_SEGMENTS, 12)) {
      assertEquals("[@768 4/4] [@0 0/0]", segments(tree));
      tree.put(1, -1);
      assertEquals("[@768 3/4] [@1024 2/3]", segments(tree));
    }
  }

  @Test
  void segmentKeepsTheRoomOfAChildThatIsGoneForTheNext() {
    try (CsbPlusTree tree = loaded(TWO_SEGMENTS, 21)) {
      assertEquals("[@768 4/4] [@1024 3/3]", segments(tree));
      for (long key : new long[] {10, 20, 30}) {
        tree.remove(key);
      }
      assertEquals("[@768 3/4] [@1024 3/3]", segments(tree));
      long used = tree.statistics().usedBytes();
      tree.put(31, -31);
      assertEquals("[@768 4/4] [@1024 3/3]", segments(tree));
      assertEquals(used, tree.statistics().usedBytes());
    }
  }

  @Test
  void segmentsThatFitIntoOneBecomeOne() {
    try (CsbPlusTree tree = loaded(TWO_SEGMENTS, 21)) {
      LongStream.rangeClosed(4, 11).forEach(i -> tree.remove(10 * i));
      assertEquals("[@768 2/4] [@1024 3/3]", segments(tree));
      LongStream.rangeClosed(16, 18).forEach(i -> tree.remove(10 * i));
      assertEquals("[@768 4/4] [@0 0/0]", segments(tree));
      assertEquals(64 + 4 * 64, tree.statistics().usedBytes());
      assertEquals(
          """
          inner 1 @576 3/6: 90 120 180
            leaf @768 3/3: 10=10 20=20 30=30
            leaf @832 1/3: 120=120
            leaf @896 3/3: 130=130 140=140 150=150
            leaf @960 3/3: 190=190 200=200 210=210
          """,
          print(tree));
    }
  }

  @Test
  void nodesOfAFullTreeThatFitIntoOneMergeInTheGroupOfTheFirst() {
    try (CsbPlusTree tree = loaded(FULL, 48)) {
      assertEquals(3, tree.statistics().height());
      long firstGroup =
          tree.tree.inner.group(
              tree.tree.nodes, tree.tree.inner.group(tree.tree.nodes, tree.tree.root, 0), 0);
      LongStream.rangeClosed(1, 12).forEach(i -> tree.remove(10 * i));
      LongStream.rangeClosed(25, 36).forEach(i -> tree.remove(10 * i));
      assertEquals(3, tree.statistics().height(), "four children each");
      LongStream.rangeClosed(37, 39).forEach(i -> tree.remove(10 * i));
      assertEquals(2, tree.statistics().height());
      assertEquals("[@%d 7/8]".formatted(firstGroup), segments(tree));
      assertEquals(2 * 64 + 8 * 64, tree.statistics().usedBytes(), "the root keeps its old group");
    }
  }

  @Test
  void wordsOfANodeAndItsFirstChildAreWhereTheLayoutSays() {
    try (CsbPlusTree tree = ascending(FULL, 1, 2, 3, 4)) {
      long segment = 2L << 48 | 2L << 32 | 640 / 64;
      assertEquals(segment + " 3 " + PADDING, longsAt(tree, 576, 3), "segment and separators");
      assertEquals("" + PADDING, longsAt(tree, 632, 1), "the last separator");
      assertEquals(
          "1 2 3 0 -1 -2 -3 3", longsAt(tree, 640, 8), "keys, a word unused, values, count");
      assertEquals("4 " + PADDING, longsAt(tree, 704, 2), "keys of the leaf beside it");
    }
  }

  @Test
  void loadedTreeOfNarrowNodesLosesNoByte() {
    try (CsbPlusTree tree = CsbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 2, 1, 0))) {
      long[] keys = LongStream.range(0, 7 * 8 * 8 * 8).toArray();
      tree.bulkload(keys, keys);
      IndexStatistics statistics = tree.statistics();
      assertEquals(4, statistics.height());
      assertEquals(1.0, statistics.leafFill());
      assertEquals(1.0, statistics.innerFill());
      assertEquals(128 * 512 + 64 * (64 + 8 + 1), statistics.usedBytes());
    }
  }

  private static CsbPlusTree ascending(Geometry geometry, long... keys) {
    CsbPlusTree tree = CsbPlusTree.create(IndexOptions.DEFAULT, geometry);
    for (long key : keys) {
      tree.put(key, -key);
    }
    return tree;
  }

  private static CsbPlusTree loaded(Geometry geometry, int entries) {
    CsbPlusTree tree = CsbPlusTree.create(IndexOptions.DEFAULT, geometry);
    long[] keys = LongStream.rangeClosed(1, entries).map(i -> 10 * i).toArray();
    tree.bulkload(keys, keys);
    return tree;
  }

  private static String print(CsbPlusTree tree) {
    return TreePrinter.print(tree.rootView(), 100);
  }

  /** Returns place, children and room of each of the root's segments. */
  private static String segments(CsbPlusTree index) {
    CsbPlusStructure tree = index.tree;
    return IntStream.range(0, tree.inner.segments)
        .mapToObj(
            segment ->
                "[@%d %d/%d]"
                    .formatted(
                        tree.inner.group(tree.nodes, tree.root, segment),
                        tree.inner.size(tree.nodes, tree.root, segment),
                        tree.inner.room(tree.nodes, tree.root, segment)))
        .collect(Collectors.joining(" "));
  }

  private static String longsAt(CsbPlusTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.tree.nodes.get(ValueLayout.JAVA_LONG, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }
}
