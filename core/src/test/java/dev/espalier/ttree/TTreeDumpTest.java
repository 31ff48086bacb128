// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.TreePrinter;
import java.lang.foreign.ValueLayout;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Small trees after each case of the algorithms, and one as it lies in memory, word for word. */
@Tag("fallback-too")
class TTreeDumpTest {
  @RegisterExtension final Indexes indexes = new Indexes();

  // ---------------------------------------------------------------- insert

  @Test
  void keyWithoutABoundingNodeGoesIntoTheLastNodeOfItsPath() {
    assertEquals(
        """
        leaf @512 4/6: 5=-5 10=-10 20=-20 30=-30
        """,
        print(put(2, 10, 20, 30, 5)));
  }

  @Test
  void fullLastNodeGetsALeaf() {
    assertEquals(
        """
        inner 1 @512 2/2: 10=-10 20=-20
          leaf @576 1/2: 30=-30
        """,
        print(put(1, 10, 20, 30)));
  }

  @Test
  void fullBoundingNodeGivesItsLeastEntryToTheGreatestLowerBound() {
    assertEquals(
        """
        inner 1 @512 2/2: 35=-35 40=-40
          leaf @576 2/2: 10=-10 30=-30
        """,
        print(put(1, 30, 40, 10, 35)));
  }

  @Test
  void leastEntryGoesToANewLeafWhereTheGreatestLowerBoundIsFull() {
    assertEquals(
        """
        inner 1 @640 1/2: 30=-30
          leaf @576 2/2: 10=-10 20=-20
          leaf @512 2/2: 35=-35 40=-40
        """,
        print(put(1, 30, 40, 10, 20, 35)));
  }

  @Test
  void leastEntryOfANodeWithoutLeftChildGoesToANewLeaf() {
    assertEquals(
        """
        inner 1 @512 2/2: 35=-35 40=-40
          leaf @576 1/2: 30=-30
        """,
        print(put(1, 30, 40, 35)));
  }

  // ---------------------------------------------------------------- rotations

  @Test
  void ascendingKeysRotateToTheLeft() {
    assertEquals(
        """
        inner 1 @576 2/2: 3=-3 4=-4
          leaf @512 2/2: 1=-1 2=-2
          leaf @640 1/2: 5=-5
        """,
        print(put(1, 1, 2, 3, 4, 5)));
  }

  @Test
  void descendingKeysRotateToTheRight() {
    assertEquals(
        """
        inner 1 @576 2/2: 2=-2 3=-3
          leaf @640 1/2: 1=-1
          leaf @512 2/2: 4=-4 5=-5
        """,
        print(put(1, 5, 4, 3, 2, 1)));
  }

  /** Two lines a node: the new leaf would be internal with one entry of three at least. */
  @Test
  void leafThatADoubleRotationMakesInternalBorrowsFromTheLeft() {
    assertEquals(
        """
        inner 1 @768 3/6: 14=-14 15=-15 20=-20
          leaf @640 4/6: 10=-10 11=-11 12=-12 13=-13
          leaf @512 6/6: 70=-70 71=-71 72=-72 73=-73 74=-74 75=-75
        """,
        print(put(2, 70, 71, 72, 73, 74, 75, 10, 11, 12, 13, 14, 15, 20)));
  }

  @Test
  void leafThatTheMirroredRotationMakesInternalBorrowsFromTheLeft() {
    assertEquals(
        """
        inner 1 @768 3/6: 14=-14 15=-15 20=-20
          leaf @512 4/6: 10=-10 11=-11 12=-12 13=-13
          leaf @640 6/6: 70=-70 71=-71 72=-72 73=-73 74=-74 75=-75
        """,
        print(put(2, 10, 11, 12, 13, 14, 15, 70, 71, 72, 73, 74, 75, 20)));
  }

  // ---------------------------------------------------------------- delete

  @Test
  void internalNodeBelowItsMinimumBorrowsTheGreatestLowerBound() {
    TTree tree = put(1, 1, 2, 3, 4, 5, 6);
    tree.remove(3);
    tree.remove(4);
    assertEquals(
        """
        inner 1 @576 1/2: 2=-2
          leaf @512 1/2: 1=-1
          leaf @640 2/2: 5=-5 6=-6
        """,
        print(tree));
  }

  @Test
  void halfLeafMergesWithItsLeafAsSoonAsBothFit() {
    TTree tree = put(2, 1, 2, 3, 4, 5, 6, 7, 8);
    tree.remove(1);
    tree.remove(2);
    assertEquals(
        """
        leaf @512 6/6: 3=-3 4=-4 5=-5 6=-6 7=-7 8=-8
        """,
        print(tree));
  }

  @Test
  void emptyLeafGoesAndTheTreeIsBalancedAgain() {
    TTree tree = put(1, 1, 2, 3, 4, 5, 6, 7, 8);
    tree.remove(1);
    tree.remove(2);
    assertEquals(
        """
        inner 1 @640 2/2: 5=-5 6=-6
          leaf @576 2/2: 3=-3 4=-4
          leaf @704 2/2: 7=-7 8=-8
        """,
        print(tree));
  }

  // ---------------------------------------------------------------- bulkload

  @Test
  void bulkloadSpreadsEntriesThatDoNotDivideEvenly() {
    TTree tree = indexes.keep(TTree.create(IndexOptions.DEFAULT, 1));
    long[] keys = LongStream.rangeClosed(1, 9).toArray();
    tree.bulkload(LongEntrySource.of(keys, keys, 9), 0.75, 9, ProgressListener.NONE);
    assertEquals(
        """
        inner 2 @704 1/2: 6=6
          inner 1 @576 1/2: 3=3
            leaf @512 2/2: 1=1 2=2
            leaf @640 2/2: 4=4 5=5
          inner 1 @832 1/2: 9=9
            leaf @768 2/2: 7=7 8=8
        """,
        print(tree));
  }

  // ---------------------------------------------------------------- inspect

  @Test
  void wordsOfANodeAreWhereTheLayoutSays() {
    TTree tree = put(1, 3, 4, 1, 5);
    assertEquals("2 2 9 10 0 0", intsAt(tree, 512, 6), "count, height, children, parent, version");
    assertEquals("4 3 4 -3 -4", longsAt(tree, 536, 5), "greatest, keys, values");
    assertEquals("1 1 0 0 8 0", intsAt(tree, 576, 6), "the left child's header");
    assertEquals("1 1", longsAt(tree, 600, 2), "its greatest and only key");
  }

  @Test
  void statisticsCountNodesFillAndBytes() {
    assertEquals(
        new IndexStatistics(5, 2, 1, 2, 0, 5.0 / 6, 192, 4096, false),
        put(1, 1, 2, 3, 4, 5).statistics());
  }

  private TTree put(int width, long... keys) {
    TTree tree = indexes.keep(TTree.create(IndexOptions.DEFAULT, width));
    for (long key : keys) {
      tree.put(key, -key);
    }
    return tree;
  }

  private static String print(TTree tree) {
    return TreePrinter.print(tree.rootView(), 100);
  }

  private static String longsAt(TTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.tree.nodes.get(ValueLayout.JAVA_LONG, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }

  private static String intsAt(TTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.tree.nodes.get(ValueLayout.JAVA_INT, offset + 4 * i))
        .collect(Collectors.joining(" "));
  }
}
