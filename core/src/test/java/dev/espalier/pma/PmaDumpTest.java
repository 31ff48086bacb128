// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.pma.PackedMemoryArray.Geometry;
import java.lang.foreign.ValueLayout;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Small arrays after each case of the algorithms, and one as it lies in memory, word for word. */
@Tag("fallback-too")
class PmaDumpTest {
  private static final Geometry SMALL = new Geometry(4, Densities.UPDATE_ORIENTED);

  @RegisterExtension final Indexes indexes = new Indexes();

  // ---------------------------------------------------------------- insert

  @Test
  void keysGoIntoTheSegmentInOrder() {
    assertEquals(
        """
        leaf @0 3/4: 5=-5 10=-10 20=-20
        """,
        print(put(10, 20, 5)));
  }

  @Test
  void fullArrayGrowsToTwiceTheSegmentsWithTheNewEntryAmongThem() {
    assertEquals(
        """
        inner 1 @32 1/1: 20
          leaf @0 2/4: 5=-5 10=-10
          leaf @32 3/4: 20=-20 30=-30 40=-40
        """,
        print(put(10, 20, 40, 30, 5)));
  }

  /** The second segment is full; with the first it is not. */
  @Test
  void fullSegmentIsSpreadWithTheSmallestWindowThatHasRoom() {
    PackedMemoryArray array = put(10, 20, 40, 30, 5, 50);
    assertEquals(0, array.rebalanceCounts().rebalances());
    array.remove(5);
    array.put(60, -60);
    assertEquals(1, array.rebalanceCounts().rebalances());
    assertEquals(
        """
        inner 1 @32 1/1: 40
          leaf @0 3/4: 10=-10 20=-20 30=-30
          leaf @32 3/4: 40=-40 50=-50 60=-60
        """,
        print(array));
  }

  // ---------------------------------------------------------------- delete

  @Test
  void emptySegmentIsSpreadWithItsNeighbour() {
    PackedMemoryArray array = put(10, 20, 40, 30, 5, 50);
    array.remove(5);
    array.remove(10);
    assertEquals(
        """
        inner 1 @32 1/1: 40
          leaf @0 2/4: 20=-20 30=-30
          leaf @32 2/4: 40=-40 50=-50
        """,
        print(array));
  }

  @Test
  void arrayBelowItsLowerThresholdShrinks() {
    PackedMemoryArray array = put(10, 20, 40, 30, 5, 50);
    for (long key : new long[] {5, 20, 30, 40, 10}) {
      array.remove(key);
    }
    assertEquals(
        """
        leaf @0 1/4: 50=-50
        """,
        print(array));
    assertEquals(2, array.rebalanceCounts().resizes());
  }

  // ---------------------------------------------------------------- bulkload

  @Test
  void bulkloadKeepsTheFillFactorWithAnyNumberOfSegments() {
    PackedMemoryArray array = indexes.keep(PackedMemoryArray.create(IndexOptions.DEFAULT, SMALL));
    assertEquals(
        """
        inner 2 @32 1/1: 4
          inner 1 @0 0/1:
            leaf @0 3/4: 1=1 2=2 3=3
          inner 1 @64 1/1: 6
            leaf @32 2/4: 4=4 5=5
            leaf @64 2/4: 6=6 7=7
        """,
        load(array, 7));
  }

  /** Three segments: the boundaries 0 and 1 and 2 of the nodes, in van Emde Boas order 1 2 3. */
  @Test
  void indexHasASeparatorForEveryNode() {
    CacheObliviousBTree tree =
        indexes.keep(CacheObliviousBTree.create(IndexOptions.DEFAULT, SMALL));
    assertEquals(
        """
        inner 2 @256 1/1: 4
          inner 1 @264 0/1:
            leaf @0 3/4: 1=1 2=2 3=3
          inner 1 @272 1/1: 6
            leaf @32 2/4: 4=4 5=5
            leaf @64 2/4: 6=6 7=7
        """,
        load(tree, 7));
    assertEquals(
        "4 " + Long.MIN_VALUE + " 6", longsAt(tree.tree, tree.tree.columns.indexOffset, 3));
  }

  private static String load(LongIndex index, int entries) {
    long[] keys = LongStream.rangeClosed(1, entries).toArray();
    LongEntrySource source = LongEntrySource.of(keys, keys, entries);
    index.bulkload(source, 0.75, entries, ProgressListener.NONE);
    return print(index);
  }

  // ---------------------------------------------------------------- inspect

  @Test
  void wordsOfAnArrayAreWhereTheLayoutSays() {
    PackedMemoryArray array = put(10, 20, 40, 30, 5);
    assertEquals("5 10", longsAt(array.tree, 0, 2), "keys of the first segment");
    assertEquals("20 30 40", longsAt(array.tree, 32, 3), "keys of the second");
    assertEquals("-5 -10", longsAt(array.tree, 64, 2), "values of the first");
    assertEquals("-20 -30 -40", longsAt(array.tree, 96, 3), "values of the second");
    assertEquals("196610", longsAt(array.tree, 128, 1), "cards 2 and 3, two bytes each");
  }

  @Test
  void statisticsCountSegmentsFillAndBytes() {
    assertEquals(
        new IndexStatistics(5, 2, 1, 2, 1, 5.0 / 8, 192, 192, false),
        put(10, 20, 40, 30, 5).statistics());
  }

  @Test
  void countersTellWhatWasMoved() {
    PackedMemoryArray array = put(10, 20, 30, 40);
    assertEquals(new RebalanceCounts(0, 0, 0), array.rebalanceCounts());
    array.put(5, -5);
    assertEquals(new RebalanceCounts(4, 0, 1), array.rebalanceCounts());
    array.put(4, -4);
    assertEquals(new RebalanceCounts(6, 0, 1), array.rebalanceCounts());
  }

  private PackedMemoryArray put(long... keys) {
    PackedMemoryArray array = indexes.keep(PackedMemoryArray.create(IndexOptions.DEFAULT, SMALL));
    for (long key : keys) {
      array.put(key, -key);
    }
    return array;
  }

  private static String print(LongIndex index) {
    return TreePrinter.print(index.rootView(), 100);
  }

  private static String longsAt(PmaStructure tree, long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + tree.columns.memory.get(ValueLayout.JAVA_LONG, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }
}
