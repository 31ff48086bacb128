// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.inpage.InPageInnerNode;
import dev.espalier.inpage.InPageLeaf;
import dev.espalier.model.MemoryTimes;
import dev.espalier.model.PageOptimizer;
import dev.espalier.node.Keys;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Where the bytes of in-page nodes are, and how many of them a page holds. */
class InPageNodeLayoutTest {
  private static final long NODE = 64;
  private static final int HEADER_BYTES = 8;

  static IntStream widths() {
    return IntStream.rangeClosed(1, PageOptimizer.MAX_WIDTH);
  }

  static Stream<InPageLeaf> leaves() {
    return widths()
        .boxed()
        .flatMap(width -> Stream.of(InPageLeaf.ofValues(width), InPageLeaf.ofPages(width)));
  }

  @ParameterizedTest(name = "an in-page inner node of {0} lines has {1} children")
  @CsvSource({"1, 6", "2, 12", "3, 19", "4, 25", "8, 51", "32, 204"})
  void innerNodeHoldsAsManyChildrenAsFit(int width, int capacity) {
    InPageInnerNode inner = new InPageInnerNode(width);
    assertEquals(capacity, inner.capacity);
    assertEquals(capacity, InPageInnerNode.capacity(width));
    assertEquals(capacity - 1, inner.keySlots);
    assertEquals(64 * width, inner.bytes);
    assertTrue(8 * capacity + 2 * (capacity + 1) + HEADER_BYTES > inner.bytes, "one more fits");
  }

  @ParameterizedTest(name = "an in-page leaf of {0} lines has {1} values or {2} children")
  @CsvSource({"1, 3, 4", "2, 7, 10", "6, 23, 31", "14, 55, 74", "32, 127, 170"})
  void leafHoldsAsManyEntriesAsFit(int width, int values, int children) {
    assertEquals(values, InPageLeaf.ofValues(width).capacity);
    assertEquals(values, InPageLeaf.capacityOfValues(width));
    assertEquals(children, InPageLeaf.ofPages(width).capacity);
    assertTrue(16 * (values + 1) + HEADER_BYTES > 64 * width, "one more value fits");
    assertTrue(12 * (children + 1) + HEADER_BYTES > 64 * width, "one more child fits");
    assertEquals(values + 1, InPageLeaf.ofValues(width).keySlots, "the last one is padding");
  }

  @ParameterizedTest
  @MethodSource("widths")
  void everyFieldOfAnInnerNodeKeepsWhatItWasGiven(int width) {
    InPageInnerNode inner = new InPageInnerNode(width);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pages = surrounded(arena, inner.bytes);
      inner.initialize(pages, NODE, 2);
      for (int slot = 0; slot < inner.keySlots; slot++) {
        assertEquals(Keys.PADDING, inner.key(pages, NODE, slot));
        inner.key(pages, NODE, slot, -slot);
      }
      for (int slot = 0; slot < inner.capacity; slot++) {
        inner.child(pages, NODE, slot, 0xffff - slot);
      }
      inner.count(pages, NODE, inner.capacity);
      inner.next(pages, NODE, 0xfffe);
      inner.previous(pages, NODE, 1023);
      for (int slot = 0; slot < inner.keySlots; slot++) {
        assertEquals(-slot, inner.key(pages, NODE, slot));
      }
      for (int slot = 0; slot < inner.capacity; slot++) {
        assertEquals(0xffff - slot, inner.child(pages, NODE, slot));
      }
      assertEquals(inner.capacity, inner.count(pages, NODE));
      assertEquals(0xfffe, inner.next(pages, NODE));
      assertEquals(1023, inner.previous(pages, NODE));
      assertEquals(2, inner.level(pages, NODE));
      assertUntouched(pages, inner.bytes);
    }
  }

  @ParameterizedTest
  @MethodSource("leaves")
  void everyFieldOfALeafKeepsWhatItWasGiven(InPageLeaf leaf) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pages = surrounded(arena, leaf.bytes);
      leaf.initialize(pages, NODE, 0);
      for (int slot = 0; slot < leaf.keySlots; slot++) {
        assertEquals(Keys.PADDING, leaf.key(pages, NODE, slot));
        leaf.key(pages, NODE, slot, -slot);
      }
      for (int slot = 0; slot < leaf.capacity; slot++) {
        leaf.payload(pages, NODE, slot, Integer.MAX_VALUE - slot);
      }
      leaf.count(pages, NODE, leaf.capacity);
      leaf.next(pages, NODE, 0xfffe);
      leaf.previous(pages, NODE, 1023);
      for (int slot = 0; slot < leaf.keySlots; slot++) {
        assertEquals(-slot, leaf.key(pages, NODE, slot));
      }
      for (int slot = 0; slot < leaf.capacity; slot++) {
        assertEquals(Integer.MAX_VALUE - slot, leaf.payload(pages, NODE, slot));
      }
      assertEquals(leaf.capacity, leaf.count(pages, NODE));
      assertEquals(0xfffe, leaf.next(pages, NODE));
      assertEquals(1023, leaf.previous(pages, NODE));
      assertEquals(0, leaf.level(pages, NODE));
      assertUntouched(pages, leaf.bytes);
    }
  }

  private static MemorySegment surrounded(Arena arena, int bytes) {
    return arena.allocate(NODE + bytes + NODE, 64).fill((byte) 0x55);
  }

  private static void assertUntouched(MemorySegment pages, int bytes) {
    for (long offset = 0; offset < NODE; offset++) {
      assertEquals(0x55, pages.get(ValueLayout.JAVA_BYTE, offset));
      assertEquals(0x55, pages.get(ValueLayout.JAVA_BYTE, NODE + bytes + offset));
    }
  }

  @ParameterizedTest(name = "pages of {0} bytes: {1} and {2} lines, {3} entries, {4} children")
  @CsvSource({
    "4096, 2, 6, 230, 310",
    "8192, 2, 10, 468, 624",
    "16384, 3, 14, 990, 1332",
    "32768, 6, 14, 1980, 2664",
    "65536, 8, 21, 3984, 5328"
  })
  void typicalMemoryGivesTheseGeometries(
      int pageBytes, int innerWidth, int leafWidth, int entries, int children) {
    Geometry geometry = Geometry.forPages(pageBytes, MemoryTimes.TYPICAL);
    assertEquals(new Geometry(innerWidth, leafWidth), geometry);
    InPageTreeFormat format = new InPageTreeFormat(pageBytes, innerWidth, leafWidth);
    assertEquals(entries, format.leafCapacity);
    assertEquals(children, format.innerCapacity);
    assertEquals(2, format.levels);
  }

  /** The searches that are compiled with constants count on these. */
  @Test
  void nodesOfTheCommonWidthsHaveTheKeySlotsThatSearchesCountOn() {
    InPageTreeFormat format = new InPageTreeFormat(16 << 10, 3, 14);
    assertEquals(2 * 8 + 2, format.inner.keySlots);
    assertEquals(7 * 8, format.valueLeaf.keySlots);
    assertEquals(9 * 8 + 2, format.childLeaf.keySlots);
  }

  @Test
  void widthsOutOfRangeAreRefused() {
    for (int width : new int[] {0, -1, 33}) {
      String message =
          String.valueOf(
              assertThrows(IllegalArgumentException.class, () -> new Geometry(width, 1))
                  .getMessage());
      assertTrue(message.startsWith("innerWidth is " + width), message);
      assertThrows(IllegalArgumentException.class, () -> new Geometry(1, width));
    }
    assertThrows(IllegalArgumentException.class, () -> new InPageTreeFormat(256, 1, 4));
  }

  /** All roots, and all that there is room for, lie in the page; and roots do lie apart. */
  @ParameterizedTest
  @CsvSource({"256, 1, 1", "4096, 2, 6", "16384, 3, 14", "65536, 8, 21"})
  void rootsOfPagesAreSpreadOverTheirLines(int pageBytes, int innerWidth, int leafWidth) {
    InPageTreeFormat format = new InPageTreeFormat(pageBytes, innerWidth, leafWidth);
    int[] pagesWithRootAt = new int[format.pageLines];
    int pages = 100 * format.mostLeaves;
    for (int number = 1; number <= pages; number++) {
      pagesWithRootAt[format.rootLine(number)]++;
    }
    for (int line = 0; line < format.pageLines; line++) {
      boolean mayBeRoot =
          line % leafWidth == 1 % leafWidth && line <= (format.mostLeaves - 1) * leafWidth + 1;
      if (mayBeRoot && line > 0) {
        assertTrue(pagesWithRootAt[line] > 50 && pagesWithRootAt[line] < 200);
      } else {
        assertEquals(0, pagesWithRootAt[line]);
      }
    }
  }
}
