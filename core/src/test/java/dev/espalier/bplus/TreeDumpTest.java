// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.TreePrinter;
import java.lang.foreign.ValueLayout;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A small tree as it lies in memory, word for word. */
class TreeDumpTest {
  private static final long PADDING = Long.MAX_VALUE;

  @Test
  void splitKeepsTheUpperBoundOfTheLeftLeafAsSeparator() {
    try (BPlusTree tree = BPlusTree.create(IndexOptions.DEFAULT, 1)) {
      for (long key : new long[] {30, 10, 20, 15}) {
        tree.put(key, -key);
      }
      assertEquals(
          """
          inner 1 @576 1/3: 15
            leaf @512 2/3: 10=-10 15=-15
            leaf @640 2/3: 20=-20 30=-30
          """,
          print(tree));
    }
  }

  @Test
  void ascendingInsertsLeaveFullLeaves() {
    try (BPlusTree tree = BPlusTree.create(IndexOptions.DEFAULT, 1)) {
      LongStream.rangeClosed(1, 7).forEach(key -> tree.put(key, 10 * key));
      assertEquals(
          """
          inner 1 @576 2/3: 3 6
            leaf @512 3/3: 1=10 2=20 3=30
            leaf @640 3/3: 4=40 5=50 6=60
            leaf @704 1/3: 7=70
          """,
          print(tree));
    }
  }

  @Test
  void lastChildOfALevelMovesToTheNodeBeforeIfThatHasRoom() {
    try (BPlusTree tree = BPlusTree.create(IndexOptions.DEFAULT, 1)) {
      long[] keys = LongStream.rangeClosed(1, 5).toArray();
      tree.bulkload(
          LongEntrySource.of(keys, keys, keys.length), 0.5, keys.length, ProgressListener.NONE);
      assertEquals(
          """
          inner 1 @640 2/3: 2 4
            leaf @512 2/3: 1=1 2=2
            leaf @576 2/3: 3=3 4=4
            leaf @704 1/3: 5=5
          """,
          print(tree));
    }
  }

  @Test
  void wordsOfALeafAndItsParentAreWhereTheLayoutSays() {
    try (BPlusTree tree = BPlusTree.create(IndexOptions.DEFAULT, 1)) {
      LongStream.rangeClosed(1, 4).forEach(key -> tree.put(key, 10 * key));
      assertEquals("1 2 3", longsAt(tree, 512, 3), "keys of the left leaf");
      assertEquals("10 20 30", longsAt(tree, 544, 3), "its values");
      assertEquals("3 0", intsAt(tree, 568, 2), "its count and version");
      assertEquals("4 " + PADDING + " " + PADDING, longsAt(tree, 640, 3), "keys of the right leaf");
      assertEquals("3 " + PADDING + " " + PADDING, longsAt(tree, 576, 3), "separators of the root");
      assertEquals("8 10", intsAt(tree, 600, 2), "its children, as lines");
      assertEquals("1 0 0 0", intsAt(tree, 624, 4), "its count, version, next and previous");
    }
  }

  @Test
  void printingStopsAfterTheMostNodes() {
    try (BPlusTree tree = BPlusTree.create(IndexOptions.DEFAULT, 1)) {
      LongStream.rangeClosed(1, 7).forEach(key -> tree.put(key, key));
      assertEquals(
          """
          inner 1 @576 2/3: 3 6
            leaf @512 3/3: 1=1 2=2 3=3
          ...
          """,
          TreePrinter.print(tree.rootView(), 2));
    }
  }

  @Test
  void statisticsCountNodesFillAndBytes() {
    try (BPlusTree tree = BPlusTree.create(IndexOptions.DEFAULT, 1)) {
      LongStream.rangeClosed(1, 7).forEach(key -> tree.put(key, key));
      assertEquals(
          new IndexStatistics(7, 2, 1, 3, 2.0 / 3, 7.0 / 9, 256, 4096, false), tree.statistics());
      assertEquals(256.0 / 7, tree.statistics().bytesPerEntry());
    }
  }

  @Test
  void widestNodesOfTheDefaultTreeLoseNoByte() {
    try (PbPlusTree tree = PbPlusTree.create(IndexOptions.DEFAULT)) {
      long[] keys = LongStream.range(0, 31 * 41 * 41).toArray();
      tree.bulkload(keys, keys);
      IndexStatistics statistics = tree.statistics();
      assertEquals(3, statistics.height());
      assertEquals(1.0, statistics.leafFill());
      assertEquals(1.0, statistics.innerFill());
      assertEquals(512.0 * (41 * 41 + 42) / keys.length, statistics.bytesPerEntry());
    }
  }

  private static String print(BPlusTree tree) {
    return TreePrinter.print(tree.rootView(), 100);
  }

  private static String longsAt(BPlusTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.tree.nodes.get(ValueLayout.JAVA_LONG, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }

  private static String intsAt(BPlusTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.tree.nodes.get(ValueLayout.JAVA_INT, offset + 4 * i))
        .collect(Collectors.joining(" "));
  }
}
