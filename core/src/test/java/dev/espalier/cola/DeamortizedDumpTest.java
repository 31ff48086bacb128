// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.espalier.IndexOptions;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A small deamortized COLA as it lies in its pages: the top, then its arrays, the newest first. */
class DeamortizedDumpTest {
  private final DeamortizedCola index =
      DeamortizedCola.open(
          IndexOptions.DEFAULT,
          IndexOptions.DEFAULT.pagesInMemory(1024),
          new DeamortizedCola.Geometry(2));

  @AfterEach
  void close() {
    index.close();
  }

  private void put(long from, long to) {
    LongStream.rangeClosed(from, to).forEach(i -> index.put(10 * i, i));
  }

  @Test
  void arraysDoubleFromLevelToLevel() {
    put(1, 9);
    assertEquals(
        """
        inner 2 @2048 1/60: 90=9
          inner 1 @5120 4/60: 50=5 60=6 70=7 80=8
            leaf @4096 4/60: 10=1 20=2 30=3 40=4
        """,
        print());
    assertEquals(2, index.tree.depth);
    assertEquals(2, index.tree.merges[1].movedOlder, "the two arrays are being merged");
  }

  /** Key 20 was removed: its tombstone and its put are moved, and are not in the target. */
  @Test
  void sourcesAreReadUntilTheirMergeIsComplete() {
    fillUntilHalfMerged();
    assertEquals(
        """
        inner 3 @3072 1/60: 160=16
          inner 2 @4096 2/60: 140=14 150=15
            inner 1 @7168 8/60: 5=0 15=1 20=1 90=9 100=10 110=11 120=12 130=13
              leaf @6144 8/60: 10=1 20=2 30=3 40=4 50=5 60=6 70=7 80=8
        """,
        print());
    put(17, 17);
    assertEquals(
        """
        inner 2 @3072 2/60: 160=16 170=17
          inner 1 @4096 2/60: 140=14 150=15
            leaf @5120 14/60: 5=0 10=1 15=1 30=3 40=4 50=5 60=6 70=7 80=8 90=9 100=10 110=11 \
        120=12 130=13
        """,
        print());
    assertFalse(index.containsKey(20));
  }

  @Test
  void wordsOfTheManifestAreWhereTheLayoutSays() {
    fillUntilHalfMerged();
    long levels = 3;
    assertEquals(levels + 1, index.tree.meta[MessageLevels.HEIGHT]);
    assertEquals(17, index.tree.meta[MessageLevels.SIZE]);
    long level2 = PageStore.RESERVED_BYTES + 8 + 2 * HalfMerge.WORDS * 8;
    assertEquals("800000001 8 8 1", longsAt(level2, 4), "newer: extent and counts");
    assertEquals("700000001 8 8 0", longsAt(level2 + 32, 4), "older: extent and counts");
    assertEquals("600000001 4 8 a a 0", longsAt(level2 + 64, 6), "target, moved, written");
  }

  @Test
  void resultOfTheDeepestLevelStaysThereIfItFits() {
    put(1, 8);
    for (int i = 0; i < 40; i++) {
      put(1, 8);
    }
    assertEquals(8, index.size());
    assertEquals(3, index.tree.depth);
    index.verify();
  }

  private void fillUntilHalfMerged() {
    put(1, 9);
    index.put(5, 0);
    index.remove(20);
    index.put(15, 1);
    put(10, 16);
  }

  private String print() {
    index.verify();
    return TreePrinter.print(index.rootView(), 100);
  }

  private String longsAt(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> Long.toHexString(Words.getLong(index.tree.pages, offset + 8 * i)))
        .collect(Collectors.joining(" "));
  }
}
