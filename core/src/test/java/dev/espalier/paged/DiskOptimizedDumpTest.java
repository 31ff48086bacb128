// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.memory.Words;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A small tree as it lies in its pages, word for word. */
class DiskOptimizedDumpTest {
  private static final long NO_BOUND = Long.MAX_VALUE;

  private final DiskOptimizedBPlusTree tree =
      DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256));

  @AfterEach
  void close() {
    tree.close();
  }

  private void put(long from, long to) {
    LongStream.rangeClosed(from, to).forEach(key -> tree.put(key, 10 * key));
  }

  @Test
  void splitLeavesTheUpperBoundOfTheLeftPageInTheParent() {
    LongStream.rangeClosed(1, 12).forEach(i -> tree.put(10 * i, i));
    tree.put(35, 0);
    assertEquals(
        """
        inner 1 @256 2/16: 60 9223372036854775807
          leaf @0 7/12: 10=1 20=2 30=3 35=0 40=4 50=5 60=6
          leaf @512 6/12: 70=7 80=8 90=9 100=10 110=11 120=12
        """,
        print());
  }

  @Test
  void ascendingInsertsLeaveFullPages() {
    put(1, 25);
    assertEquals(
        """
        inner 1 @256 3/16: 12 24 9223372036854775807
          leaf @0 12/12: 1=10 2=20 3=30 4=40 5=50 6=60 7=70 8=80 9=90 10=100 11=110 12=120
          leaf @512 12/12: 13=130 14=140 15=150 16=160 17=170 18=180 19=190 20=200 21=210 22=220 \
        23=230 24=240
          leaf @768 1/12: 25=250
        """,
        print());
    put(26, 12 * 15 * 3);
    IndexStatistics statistics = tree.statistics();
    assertEquals(1.0, statistics.leafFill());
    assertEquals(3, statistics.height());
  }

  @Test
  void emptyPageGoesAndTheBoundOfItsParentStays() {
    put(1, 25);
    tree.remove(25);
    assertEquals(
        """
        inner 1 @256 2/16: 12 9223372036854775807
          leaf @0 12/12: 1=10 2=20 3=30 4=40 5=50 6=60 7=70 8=80 9=90 10=100 11=110 12=120
          leaf @512 12/12: 13=130 14=140 15=150 16=160 17=170 18=180 19=190 20=200 21=210 22=220 \
        23=230 24=240
        """,
        print());
    tree.removeRange(1, true, 12, true);
    assertEquals(
        """
        leaf @512 12/12: 13=130 14=140 15=150 16=160 17=170 18=180 19=190 20=200 21=210 22=220 \
        23=230 24=240
        """,
        print());
  }

  /** Below a quarter of a page, and with its neighbour at most three quarters. */
  @Test
  void pageBelowAQuarterMergesWithANeighbour() {
    put(1, 24);
    tree.removeRange(20, true, 24, true);
    tree.removeRange(1, true, 8, true);
    assertEquals(3, pagesInUse(), "4 and 7 entries stay apart");
    tree.remove(9);
    assertEquals(3, pagesInUse(), "10 entries would be more than three quarters");
    tree.remove(19);
    tree.remove(10);
    assertEquals(
        "leaf @0 8/12: 11=110 12=120 13=130 14=140 15=150 16=160 17=170 18=180\n", print());
    assertEquals(1, pagesInUse());
  }

  @Test
  void bulkloadFillsPagesAsFarAsItIsTold() {
    long[] keys = LongStream.rangeClosed(1, 13).toArray();
    tree.bulkload(
        LongEntrySource.of(keys, keys, keys.length), 0.5, keys.length, ProgressListener.NONE);
    assertEquals(
        """
        inner 1 @768 3/16: 6 12 9223372036854775807
          leaf @0 6/12: 1=1 2=2 3=3 4=4 5=5 6=6
          leaf @256 6/12: 7=7 8=8 9=9 10=10 11=11 12=12
          leaf @512 1/12: 13=13
        """,
        print());
  }

  @Test
  void wordsOfALeafPageAndItsParentAreWhereTheLayoutSays() {
    put(1, 13);
    assertEquals("0 12 0 0", intsAt(16, 4), "level, count, next and previous of the left leaf");
    assertEquals("1 2 3", longsAt(64, 3), "its keys");
    assertEquals("10 20 30", longsAt(64 + 12 * 8, 3), "its values");
    assertEquals("1 2 0 0", intsAt(256 + 16, 4), "level, count, next and previous of the root");
    assertEquals("12 " + NO_BOUND, longsAt(256 + 64, 2), "its keys");
    assertEquals("1 3", intsAt(256 + 64 + 16 * 8, 2), "its children");
    assertEquals(
        "0 1 0 0", intsAt(512 + 16, 4), "level, count, next and previous of the right leaf");
    long[] meta = tree.tree.meta;
    assertEquals("2 2 13", meta[1] + " " + meta[2] + " " + meta[3], "root, height and size");
  }

  @Test
  void deletingEverythingGivesAllPagesBack() {
    put(1, 3000);
    assertEquals(3000 / 12 + 17 + 2 + 1, pagesInUse());
    tree.removeRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true);
    assertEquals(1, pagesInUse());
    assertEquals(1, tree.tree.height());
    tree.verify();
  }

  private int pagesInUse() {
    return tree.tree.store.pagesInUse();
  }

  private String print() {
    tree.verify();
    return TreePrinter.print(tree.rootView(), 100);
  }

  private String longsAt(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + Words.getLong(tree.tree.pages, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }

  private String intsAt(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + Words.getInt(tree.tree.pages, offset + 4 * i))
        .collect(Collectors.joining(" "));
  }
}
