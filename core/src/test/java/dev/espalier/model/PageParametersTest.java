// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Table 2 of the paper, by the optimizer. */
final class PageParametersTest {
  private static final double HALF_OF_LAST_DIGIT = 0.005;

  @ParameterizedTest
  @CsvSource({"4, 64, 384, 470, 1.06", "8, 192, 256, 961, 1.00", "32, 256, 832, 4017, 1.07"})
  void diskFirstWidthsAreThoseOfTable2(
      int pageKib, int innerBytes, int leafBytes, int fanOut, double costRatio) {
    DiskFirstWidths widths = page(pageKib).diskFirst();
    assertEquals(2, widths.levels());
    assertEquals(innerBytes, 64 * widths.innerWidth());
    assertEquals(leafBytes, 64 * widths.leafWidth());
    assertEquals(fanOut, widths.fanOut());
    assertEquals(costRatio, widths.costRatio(), HALF_OF_LAST_DIGIT);
  }

  @Test
  void diskFirstPagesOf16KibHoldMoreThanInTable2() {
    // 28 leaves of 9 lines and a root of 3 are the 255 lines behind the header; (576 - 8) / 8 = 71
    // entries each; (170 + 230) / 380
    assertEquals(new DiskFirstWidths(2, 3, 9, 28, 28 * 71, 400 / 380.0), page(16).diskFirst());
  }

  @Test
  void widthsThatTable2HasFor16KibAreAmongThoseTriedAndHoldLess() {
    PageParameters page = page(16);
    InPageTree tree = InPageTree.largest(page.linesForNodes(), 3, page.inPageInnerCapacity(3), 8);
    assertEquals(1953, tree.leaves() * page.leafCapacity(8));
    double least =
        PageOptimizer.diskFirstCost(page.times(), 2, 3, 9) / page.diskFirst().costRatio();
    assertEquals(
        1.03,
        PageOptimizer.diskFirstCost(page.times(), tree.levels(), 3, 8) / least,
        HALF_OF_LAST_DIGIT);
  }

  @ParameterizedTest
  @CsvSource({
    "4, 576, 497, 1.03",
    "8, 576, 994, 1.03",
    "16, 704, 2001, 1.07",
    "32, 640, 4029, 1.05"
  })
  void cacheFirstWidthsAreThoseOfTable2(int pageKib, int nodeBytes, int fanOut, double costRatio) {
    CacheFirstWidths widths = page(pageKib).cacheFirst();
    assertEquals(nodeBytes, 64 * widths.width());
    assertEquals(fanOut, widths.fanOut());
    assertEquals(costRatio, widths.costRatio(), HALF_OF_LAST_DIGIT);
  }

  @Test
  void cacheFirstNodesAreThoseOfTheExampleOfPlacement() {
    // fpB+ 3.2.2: 69 children, and 23 nodes in a page
    CacheFirstWidths widths = page(16).cacheFirst();
    assertEquals(69, page(16).cacheFirstInnerCapacity(widths.width()));
    assertEquals(23, widths.nodes());
  }

  @ParameterizedTest
  @CsvSource({
    "4, 128, 496, 1.06",
    "8, 192, 1008, 1.06",
    "16, 320, 2032, 1.08",
    "32, 320, 4064, 1.05"
  })
  void microIndexWidthsAreThoseOfTable2(
      int pageKib, int subArrayBytes, int fanOut, double costRatio) {
    MicroIndexWidths widths = page(pageKib).microIndex();
    assertEquals(subArrayBytes, 64 * widths.subArrayLines());
    assertEquals(fanOut, widths.fanOut());
    assertEquals(costRatio, widths.costRatio(), HALF_OF_LAST_DIGIT);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8, 16, 32})
  void otherSmallHeadersGiveTheSameDiskFirstWidths(int pageKib) {
    for (int ofLeaf = 1; ofLeaf <= 8; ofLeaf++) {
      for (int ofInner = 0; ofInner <= 4; ofInner++) {
        assertEquals(page(pageKib).diskFirst(), diskFirst(pageKib, ofInner, ofLeaf));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"5, 8", "4, 9"})
  void largerHeadersLeadToOtherDiskFirstWidths(int ofInner, int ofLeaf) {
    assertNotEquals(page(4).diskFirst(), diskFirst(4, ofInner, ofLeaf));
  }

  private static DiskFirstWidths diskFirst(int pageKib, int innerHeader, int leafHeader) {
    return PageOptimizer.diskFirst(
        page(pageKib).times(),
        page(pageKib).linesForNodes(),
        width -> (64 * width - innerHeader) / 6,
        width -> (64 * width - leafHeader) / 8);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8, 16, 32})
  void headersOfFiveToFourteenBytesGiveTheSameCacheFirstWidths(int pageKib) {
    PageParameters page = page(pageKib);
    for (int header = 5; header <= 14; header++) {
      int bytes = header;
      CacheFirstWidths widths =
          PageOptimizer.cacheFirst(
              page.times(),
              page.linesForNodes(),
              width -> (64 * width - bytes) / 10,
              page::leafCapacity);
      assertEquals(page.cacheFirst().width(), widths.width());
      assertEquals(page.cacheFirst().costRatio(), widths.costRatio(), HALF_OF_LAST_DIGIT);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8, 16, 32})
  void headersOfFiveToEightBytesGiveTheSameMicroIndices(int pageKib) {
    PageParameters page = page(pageKib);
    for (int header = 5; header <= 8; header++) {
      assertEquals(
          page.microIndex(),
          PageOptimizer.microIndex(
              page.times(), new MicroIndexPage(16 * pageKib, 64, header, 4, 4)));
    }
  }

  @Test
  void largerKeysWiderPointersAndOtherLinesLeadToOtherWidths() {
    // 128-byte lines, 16-byte keys, 8-byte ids, 4-byte offsets: inner nodes have (128 w - 4) / 20
    // children, leaves (128 x - 8) / 24 entries; 127 lines
    MemoryTimes times = new MemoryTimes(189, 24);
    PageParameters page = new PageParameters(times, 128, 16 << 10, 16, 8, 4);
    assertEquals(127, page.linesForNodes());
    assertEquals(19, page.inPageInnerCapacity(3));
    assertEquals(15, page.leafCapacity(3));
    assertEquals((3 * 128 - 8) / (16 + 12), page.cacheFirstInnerCapacity(3));
    DiskFirstWidths widths = page.diskFirst();
    assertEquals(
        new InPageTree(widths.leaves(), widths.levels()),
        InPageTree.largest(
            127,
            widths.innerWidth(),
            page.inPageInnerCapacity(widths.innerWidth()),
            widths.leafWidth()));
    assertEquals(widths.leaves() * page.leafCapacity(widths.leafWidth()), widths.fanOut());
  }

  @Test
  void nodeNarrowerThanItsHeaderHoldsNothing() {
    PageParameters page = new PageParameters(new MemoryTimes(150, 10), 4, 64, 4, 4, 2);
    assertEquals(0, page.leafCapacity(1));
    assertEquals(0, page.inPageInnerCapacity(1));
  }

  @Test
  void impossibleSizesAreRefused() {
    assertRefused("lineBytes is 0; it must be positive", 0, 4096, 4, 4, 2);
    assertRefused("keyBytes is 0; it must be positive", 64, 4096, 0, 4, 2);
    assertRefused("keyBytes is 65; it must be at most a line, 64 bytes", 64, 4096, 65, 4, 2);
    assertRefused("pointerBytes is -1; it must be positive", 64, 4096, 4, -1, 2);
    assertRefused("offsetBytes is 0; it must be positive", 64, 4096, 4, 4, 0);
    assertRefused(
        "pageBytes is 64; it must be two or more whole lines of 64 bytes", 64, 64, 4, 4, 2);
    assertRefused(
        "pageBytes is 4100; it must be two or more whole lines of 64 bytes", 64, 4100, 4, 4, 2);
    assertRefused(
        "offsetBytes is 1; it is too small to count the 512 lines of a page",
        64,
        32 << 10,
        4,
        4,
        1);
  }

  private static void assertRefused(String message, int line, int page, int key, int id, int off) {
    MemoryTimes times = MemoryTimes.TYPICAL;
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new PageParameters(times, line, page, key, id, off));
    assertEquals(message, e.getMessage());
  }

  private static PageParameters page(int kib) {
    return PageParameters.ofTable2(kib << 10);
  }
}
