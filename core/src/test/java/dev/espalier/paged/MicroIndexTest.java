// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.Words;
import dev.espalier.model.MemoryTimes;
import dev.espalier.model.MicroIndexPage;
import dev.espalier.model.MicroIndexWidths;
import dev.espalier.model.PageOptimizer;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("fallback-too")
class MicroIndexTest {
  // ---------------------------------------------------------------- layout

  @ParameterizedTest
  @CsvSource({
    // bytes, lines of a sub-array; first key, entries, children
    "256, 1, 128, 8, 8",
    "512, 1, 128, 24, 32",
    "4096, 1, 384, 232, 304",
    "4096, 4, 192, 240, 320",
    "16384, 4, 448, 992, 1328",
    "16384, 8, 256, 1008, 1344",
    "65536, 32, 256, 4080, 5440"
  })
  void pageHoldsAsManyEntriesAsFitBehindHeaderAndMicroIndex(
      int pageBytes, int lines, int keysOffset, int entries, int children) {
    MicroIndexFormat format = new MicroIndexFormat(pageBytes, lines);
    assertEquals(keysOffset, format.keysOffset);
    assertEquals(entries, format.leafCapacity);
    assertEquals(children, format.innerCapacity);
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 512, 1024, 4096, 8192, 16384, 32768, 65536})
  void arraysAreWholeLinesAndDoNotOverlap(int pageBytes) {
    for (int lines = 1; lines <= Math.min(PageOptimizer.MAX_WIDTH, pageBytes / 64); lines++) {
      MicroIndexFormat format = new MicroIndexFormat(pageBytes, lines);
      assertEquals(8 * lines, format.subArraySlots);
      assertEquals(format.keysOffset, PageHeader.BYTES + 8 * format.indexSlots);
      assertEquals(0, format.keysOffset % 64);
      assertEquals(0, format.leafCapacity % 8);
      assertEquals(0, format.innerCapacity % 8);
      assertTrue(format.keysOffset + 8 * format.leafCapacity <= format.valuesOffset);
      assertTrue(format.keysOffset + 8 * format.innerCapacity <= format.childrenOffset);
      assertTrue(format.indexSlots * format.subArraySlots >= format.innerCapacity);
      assertTrue(format.leafIndexSlots * format.subArraySlots >= format.leafCapacity);
      assertTrue(format.leafIndexSlots <= format.indexSlots);
    }
  }

  @Test
  void subArrayHasAWidthThatThePageHas() {
    for (int lines : new int[] {-1, 0, 5}) {
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class,
              () ->
                  MicroIndexBPlusTree.open(
                      IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256), lines));
      assertEquals("subArrayLines is " + lines + "; it must be from 1 to 4", refused.getMessage());
    }
    assertThrows(IllegalArgumentException.class, () -> new MicroIndexFormat(16 << 10, 33));
  }

  /** One place for the keys in both kinds of pages costs a leaf page one line of them at most. */
  @ParameterizedTest
  @ValueSource(ints = {1024, 4096, 8192, 16384, 32768, 65536})
  void widthIsTheOptimizers(int pageBytes) {
    MicroIndexWidths widths =
        PageOptimizer.microIndex(
            MemoryTimes.TYPICAL, new MicroIndexPage(pageBytes / 64, 64, 64, 8, 8));
    MicroIndexFormat format =
        new MicroIndexFormat(
            pageBytes, MicroIndexFormat.bestSubArrayLines(MemoryTimes.TYPICAL, pageBytes));
    assertEquals(widths.subArrayLines(), format.subArrayLines);
    assertTrue(widths.fanOut() - format.leafCapacity <= 8);
  }

  @Test
  void wordsOfAPageAreWhereTheLayoutSays() {
    try (MicroIndexBPlusTree tree =
        MicroIndexBPlusTree.open(
            IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(512), 1)) {
      LongStream.rangeClosed(1, 10).forEach(key -> tree.put(key, 10 * key));
      long[] index = new long[8];
      Arrays.fill(index, Long.MAX_VALUE);
      index[0] = 1;
      index[1] = 9;
      assertArrayEquals(index, longsAt(tree, 64, 8));
      assertArrayEquals(LongStream.rangeClosed(1, 10).toArray(), longsAt(tree, 128, 10));
      assertArrayEquals(new long[] {Long.MAX_VALUE}, longsAt(tree, 128 + 80, 1));
      assertArrayEquals(new long[] {10, 20, 30}, longsAt(tree, 512 - 24 * 8, 3));
      tree.put(0, 5);
      tree.remove(10);
      tree.remove(9);
      index[0] = 0;
      index[1] = 8;
      assertArrayEquals(index, longsAt(tree, 64, 8));
      tree.remove(8);
      index[1] = Long.MAX_VALUE;
      assertArrayEquals(index, longsAt(tree, 64, 8));
      tree.clear();
      index[0] = Long.MAX_VALUE;
      assertArrayEquals(index, longsAt(tree, 64, 8));
    }
  }

  @Test
  void splitHalvesAPageAndItsMicroIndex() {
    try (MicroIndexBPlusTree tree =
        MicroIndexBPlusTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256))) {
      LongStream.rangeClosed(1, 8).forEach(i -> tree.put(10 * i, i));
      tree.put(35, 0);
      assertEquals(
          """
          inner 1 @256 2/8: 40 9223372036854775807
            leaf @0 5/8: 10=1 20=2 30=3 35=0 40=4
            leaf @512 4/8: 50=5 60=6 70=7 80=8
          """,
          TreePrinter.print(tree.rootView(), 10));
      assertEquals(10, MicroIndexFormat.indexKey(tree.tree.pages, 0, 0));
      assertEquals(40, MicroIndexFormat.indexKey(tree.tree.pages, 256, 0));
      assertEquals(50, MicroIndexFormat.indexKey(tree.tree.pages, 512, 0));
    }
  }

  private static long[] longsAt(MicroIndexBPlusTree tree, long offset, int count) {
    return LongStream.range(0, count)
        .map(i -> Words.getLong(tree.tree.pages, offset + 8 * i))
        .toArray();
  }

  // ---------------------------------------------------------------- search

  /**
   * The key that padding looks like, and its neighbours, in sub-arrays that are full, partly full
   * and empty, with what was removed still behind the last sub-array.
   */
  @Test
  void largestKeyIsToldFromPadding() {
    long[] sought = {Long.MAX_VALUE - 1, Long.MAX_VALUE, 5, Long.MIN_VALUE};
    for (int entries = 0; entries <= 24; entries++) {
      try (MicroIndexBPlusTree tree =
          MicroIndexBPlusTree.open(
              IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(512), 1)) {
        for (long key = 1; key <= 23; key++) {
          tree.put(key, key);
        }
        tree.put(Long.MAX_VALUE, 77);
        for (long key = 23; key > entries; key--) {
          tree.remove(key);
        }
        assertEquals(77, tree.get(Long.MAX_VALUE));
        assertEquals(77, tree.put(Long.MAX_VALUE, 78));
        long[] values = new long[4];
        tree.getAll(sought, values);
        assertEquals(78, values[1]);
        assertEquals(78, tree.remove(Long.MAX_VALUE));
        assertFalse(tree.containsKey(Long.MAX_VALUE));
        tree.getAll(sought, values);
        long missing = tree.missingValue();
        assertArrayEquals(
            new long[] {missing, missing, entries >= 5 ? 5 : missing, missing}, values);
        for (long key = entries + 1L; key <= 24; key++) {
          assertFalse(tree.containsKey(key), "key " + key + " was removed");
        }
        tree.verify();
      }
    }
  }

  @Test
  void everyKeyOfEveryWidthIsFoundAloneAndInBatches() {
    for (int lines : new int[] {1, 2, 3, 4, 5, 7, 16, 32}) {
      try (MicroIndexBPlusTree tree =
          MicroIndexBPlusTree.open(
              IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(4 << 10), lines)) {
        long[] keys = LongStream.range(0, 5000).map(i -> 2 * i).toArray();
        tree.bulkload(
            LongEntrySource.of(keys, keys, keys.length), 0.9, keys.length, ProgressListener.NONE);
        long[] sought = LongStream.range(-1, 10_001).toArray();
        long[] values = new long[sought.length];
        tree.getAll(sought, values);
        for (int i = 0; i < sought.length; i++) {
          boolean isThere = sought[i] % 2 == 0 && sought[i] < 10_000;
          assertEquals(isThere ? sought[i] : tree.missingValue(), values[i]);
          assertEquals(values[i], tree.get(sought[i]));
        }
      }
    }
  }

  // ---------------------------------------------------------------- open

  @Test
  void treeOpenedAgainKeepsTheWidthItWasMadeWith() {
    MemoryPageStore store = new MemoryPageStore(4096, Long.MAX_VALUE, HugePages.OFF);
    MicroIndexFormat made = new MicroIndexFormat(4096, 7);
    PagedStructure structure = new PagedStructure(store, made);
    structure.findPath(5);
    structure.insert(5, 50);
    try (MicroIndexBPlusTree tree = MicroIndexBPlusTree.open(IndexOptions.DEFAULT, store)) {
      assertEquals(7, ((MicroIndexFormat) tree.tree.format).subArrayLines);
      assertEquals(50, tree.get(5));
      tree.verify();
      assertThrows(
          IllegalArgumentException.class,
          () -> DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, store));
      assertEquals(50, tree.get(5));
    }
  }

  // ---------------------------------------------------------------- damage

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(MicroIndexCorruption corruption) {
    try (MicroIndexBPlusTree tree =
        MicroIndexBPlusTree.open(
            IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(1024), 1)) {
      long[] keys = LongStream.range(0, 5_000).map(i -> 10 * i).toArray();
      tree.bulkload(
          LongEntrySource.of(keys, keys, keys.length), 0.6, keys.length, ProgressListener.NONE);
      tree.verify();
      corruption.inflictOn(tree.tree);
      InvariantViolationException violation =
          assertThrows(InvariantViolationException.class, tree::verify);
      assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
      assertThrows(InvariantViolationException.class, tree::statistics);
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("paged/MicroIndexBPlusTree");
    Set<String> corrupted =
        Arrays.stream(MicroIndexCorruption.values())
            .map(MicroIndexCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(2, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("paged/MicroIndexFormat"));
    assertEquals(stated, corrupted);
  }
}
