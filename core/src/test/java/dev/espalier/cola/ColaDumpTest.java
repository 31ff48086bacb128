// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.cola.Cola.Geometry;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.memory.Words;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A small COLA, level by level: two messages in level 0, levels of 2, 4, 8, 16, and a pointer to
 * every fourth element. Beside each element stands what it is, {@code *} for a pointer.
 */
class ColaDumpTest {
  private final Cola index =
      Cola.open(
          IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(1024), new Geometry(2, 1, 2));

  @AfterEach
  void close() {
    index.close();
  }

  private void set(long from, long to) {
    LongStream.rangeClosed(from, to).forEach(key -> index.set(10 * key, key));
  }

  @Test
  void levelZeroAloneForgetsWhatIsDeleted() {
    set(1, 2);
    index.delete(10);
    assertEquals("0: 20=2\n", print());
  }

  @Test
  void fullLevelsAreMergedIntoTheFirstThatHasRoom() {
    set(1, 15);
    assertEquals(
        """
        0: 150=15
        1: 10* 110* 130=13 140=14
        2: 10* 50* 90=9 100=10 110=11 120=12
        3: 10=1 20=2 30=3 40=4 50=5 60=6 70=7 80=8
        """,
        print());
    assertEquals(
        """
        inner 3 @1024 1/60: 150=15
          inner 2 @2048 4/60: 10=0 110=0 130=13 140=14
            inner 1 @3072 6/60: 10=0 50=0 90=9 100=10 110=11 120=12
              leaf @4096 8/60: 10=1 20=2 30=3 40=4 50=5 60=6 70=7 80=8
        """,
        TreePrinter.print(index.rootView(), 100));
    set(16, 17);
    assertEquals(
        """
        0: 170=17
        1: 10*
        2: 10*
        3: 10* 50* 90* 130*
        4: 10=1 20=2 30=3 40=4 50=5 60=6 70=7 80=8 90=9 100=10 110=11 120=12 130=13 140=14 \
        150=15 160=16
        """,
        print());
  }

  @Test
  void tombstonesAndOlderEntriesStayUntilTheyMeet() {
    set(1, 17);
    index.delete(10);
    index.delete(20);
    index.set(10, 0);
    index.delete(500);
    index.delete(30);
    assertEquals(
        """
        0: 30- 500-
        1: 10*
        2: 10=0* 20- 170=17
        3: 10* 50* 90* 130*
        4: 10=1 20=2 30=3 40=4 50=5 60=6 70=7 80=8 90=9 100=10 110=11 120=12 130=13 140=14 \
        150=15 160=16
        """,
        print());
    set(18, 29);
    assertEquals(
        """
        0: 280=28 290=29
        1: 10*
        2: 10*
        3: 10* 190*
        4: 10* 70* 110* 150* 190* 230* 270*
        5: 10=0 40=4 50=5 60=6 70=7 80=8 90=9 100=10 110=11 120=12 130=13 140=14 150=15 160=16 \
        170=17 180=18 190=19 200=20 210=21 220=22 230=23 240=24 250=25 260=26 270=27
        """,
        print());
    set(30, 40);
    assertEquals(
        """
        0: 400=40
        1: 10* 370*
        2: 10* 300* 340* 360=36 370=37 380=38 390=39
        3: 10* 190* 280=28 290=29 300=30 310=31 320=32 330=33 340=34 350=35
        4: 10* 70* 110* 150* 190* 230* 270*
        5: 10=0 40=4 50=5 60=6 70=7 80=8 90=9 100=10 110=11 120=12 130=13 140=14 150=15 160=16 \
        170=17 180=18 190=19 200=20 210=21 220=22 230=23 240=24 250=25 260=26 270=27
        """,
        print());
  }

  @Test
  void bulkloadMakesOneLevelAndThePointersToIt() {
    long[] keys = LongStream.rangeClosed(1, 40).toArray();
    index.bulkload(keys, keys);
    assertEquals(
        """
        0:
        1: 1*
        2: 1*
        3: 1*
        4: 1* 17* 33*
        5: 1* 5* 9* 13* 17* 21* 25* 29* 33* 37*
        6: 1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 10=10 11=11 12=12 13=13 14=14 15=15 16=16 17=17 \
        18=18 19=19 20=20 21=21 22=22 23=23 24=24 25=25 26=26 27=27 28=28 29=29 30=30 31=31 \
        32=32 33=33 34=34 35=35 36=36 37=37 38=38 39=39 40=40
        """,
        print());
  }

  @Test
  void wordsOfALevelAreWhereTheLayoutSays() {
    set(1, 17);
    index.delete(70);
    index.set(180, 18);
    ColaStructure tree = index.tree;
    long page = tree.store.pin(tree.levels[1].firstPage());
    assertEquals("0 3 1", longs(page + 16, 3), "pointers before, what is no put, pointers");
    assertEquals("10 70 170", longs(page + 64, 3), "keys");
    assertEquals("0 1 17", longs(page + 64 + 60 * 8, 3), "values: a pointer, a tombstone, a put");
    long top = tree.store.pin((int) tree.meta[ColaStructure.TOP]);
    assertEquals((1L << 32) + " 0", longs(top + 16, 2), "a tail of one, and all are puts");
    assertEquals(
        "434f4c4100000001 1 5 ffffffffffffffff 2 9 402000002 0",
        LongStream.of(tree.meta).mapToObj(Long::toHexString).collect(Collectors.joining(" ")),
        "stamp, manifest, height, size that is not known, level 0, merges, shape");
    Level third = tree.levels[3];
    assertEquals(
        third.firstPage() + " 1 4 0 0 0",
        longs(tree.store.pin((int) tree.meta[ColaStructure.MANIFEST]) + 16 + 2 * 48, 6),
        "first page, pages, elements, messages, tombstones and runs of level 3");
  }

  private String longs(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + Words.getLong(index.tree.pages, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }

  private String print() {
    index.verify();
    ColaStructure tree = index.tree;
    StringBuilder out = new StringBuilder();
    print(0, tree.foldedTop(), out);
    for (int k = 1; k <= tree.depth; k++) {
      print(k, tree.levels[k], out);
    }
    return out.toString();
  }

  private void print(int number, Level level, StringBuilder out) {
    ElementPage layout = index.tree.layout;
    out.append(number).append(':');
    for (int i = 0; i < level.elements(); i++) {
      long page = index.tree.store.pin(level.firstPage() + i / layout.capacity);
      int slot = i % layout.capacity;
      out.append(' ').append(layout.key(index.tree.pages, page, slot));
      if (ElementPage.isPut(index.tree.pages, page, slot)) {
        out.append('=').append(layout.value(index.tree.pages, page, slot));
      } else if (layout.isMessage(index.tree.pages, page, slot)) {
        out.append('-');
      }
      if (layout.isPointer(index.tree.pages, page, slot)) {
        out.append('*');
      }
    }
    out.append('\n');
  }
}
