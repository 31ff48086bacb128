// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.PageAllocation;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A map of pages, without an index: what it writes, and what is read of that. */
class PageMapTest {
  private static final int PAGE_BYTES = 256;

  /** Entries of a page of the map. */
  private static final int PER_PAGE = 30;

  private static final int INDEX = 9;
  private static final long TAG = PageSeal.tag(INDEX, 1);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final PageFile file =
      disk.openPages(LogCalls.STORE, Access.CREATE, LogBuffer.BLOCK_BYTES);
  private final SlotSpace space = grown();
  private final PageAllocation numbers = new PageAllocation();
  private PageMap map = new PageMap(PAGE_BYTES);
  private PageMap.Root root = PageMap.Root.NONE;

  private SlotSpace grown() {
    file.grow(4 << 20);
    return new SlotSpace(file, PAGE_BYTES, null);
  }

  @AfterEach
  void close() {
    file.close();
  }

  /** Gives pages out, each with a slot and a checksum that is its number. */
  private void add(int count) {
    int first = numbers.top() + 1;
    numbers.take(first, count);
    for (int page = first; page < first + count; page++) {
      map.set(page, space.take(), page);
    }
  }

  private void change(int... pages) {
    for (int page : pages) {
      map.set(page, space.replace(map.slot(page)), -page);
    }
  }

  /** Captures and writes the map; returns how many pages that took. */
  private int capture() {
    try (PageImages images = new PageImages(PAGE_BYTES)) {
      root = map.capture(space, numbers, TAG, images);
      images.write(file);
      return (int) (images.bytes() / PAGE_BYTES);
    }
  }

  /** Makes what was captured durable, so that no slot of it is written in place. */
  private void settle() {
    space.capture();
    space.settle();
  }

  private PageMap read(PageMap.Root from, int top, SlotSpace into) {
    try (PageReader reader = new PageReader(file, PAGE_BYTES)) {
      return PageMap.read(from, top, into, reader, INDEX);
    }
  }

  private SlotSpace empty() {
    return new SlotSpace(file, PAGE_BYTES, null);
  }

  /** What is read is what there was, and has noted all its slots. */
  private PageMap assertReadsTheSame() {
    SlotSpace into = empty();
    PageMap read = read(root, numbers.top(), into);
    try (PageImages images = new PageImages(PAGE_BYTES)) {
      assertEquals(root, read.capture(into, numbers, TAG, images));
      assertEquals(0, images.bytes());
    }
    for (int page = 1; page <= numbers.top(); page++) {
      assertEquals(map.slot(page), read.slot(page), "slot of page " + page);
      if (map.slot(page) > PageMap.UNWRITTEN) {
        assertEquals(map.checksum(page), read.checksum(page), "checksum of page " + page);
        assertTrue(into.isLoaded(map.slot(page)));
      }
    }
    assertEquals(
        Arrays.stream(map.ownSlots()).sorted().boxed().toList(),
        Arrays.stream(read.ownSlots()).sorted().boxed().toList());
    assertTrue(Arrays.stream(read.ownSlots()).allMatch(into::isLoaded));
    into.loaded();
    assertEquals(space.account().current().cardinality(), into.busyCount());
    assertNull(map.faultAfter(read, space));
    assertNull(read.faultAfter(map, space));
    assertTrue(read.changed.isEmpty());
    return read;
  }

  // ---------------------------------------------------------------- write and read

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "28, 1, 1",
    "29, 1, 1",
    "30, 2, 3",
    "59, 2, 3",
    "60, 2, 4",
    "899, 2, 31",
    "900, 3, 34",
    "2000, 3, 71"
  })
  void aMapHasAsManyLevelsAsItNeeds(int pages, int levels, int written) {
    add(pages);
    assertEquals(written, capture());
    assertEquals(levels, root.levels());
    assertEquals(0, root.deltas());
    assertEquals(MapDeltas.Place.NONE, root.newest());
    assertEquals(written, map.ownSlots().length);
    assertEquals(pages + written, space.busyCount());
    assertTrue(map.mapPages(pages) > written);
    assertReadsTheSame();
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 2", "29, 2", "30, 4", "59, 4", "60, 5", "899, 32", "900, 35"})
  void aCaptureWritesAtMostAllPagesOfTheMapAndOneOfDeltas(int top, int pages) {
    assertEquals(pages, map.mapPages(top));
  }

  @Test
  void aMapWithoutPagesHasNoRoot() {
    assertEquals(0, capture());
    assertSame(PageMap.Root.NONE, root);
    PageMap read = read(root, 0, empty());
    assertEquals(0, read.slot(1));
    assertEquals(1, read.end());
    assertEquals(0, read.ownSlots().length);
  }

  @Test
  void aMapWhosePagesAreAllFreeStillHasOne() {
    add(40);
    capture();
    for (int page = 1; page <= 40; page++) {
      space.release(map.slot(page));
      map.set(page, 0, 0);
      numbers.giveBack(page);
    }
    assertEquals(3, capture());
    assertReadsTheSame();
    assertEquals(3, space.busyCount());
  }

  @Test
  void nothingIsWrittenIfNothingHasChanged() {
    add(100);
    capture();
    PageMap.Root before = root;
    assertEquals(0, capture());
    assertEquals(before, root);
    add(1);
    assertTrue(capture() > 0);
    assertReadsTheSame();
  }

  @Test
  void whatChangedGoesToNewSlotsAndTheOldOnesAreGivenUp() {
    add(2000);
    capture();
    settle();
    int busy = space.busyCount();
    int[] before = map.ownSlots();
    change(5);
    assertEquals(3, capture()); // One chunk, and what is above it.
    int[] after = map.ownSlots();
    assertEquals(before.length, after.length);
    assertEquals(
        3,
        Arrays.stream(after)
            .filter(slot -> IntStream.of(before).noneMatch(s -> s == slot))
            .count());
    assertEquals(busy + 4, space.busyCount());
    settle();
    assertEquals(busy, space.busyCount());
    assertReadsTheSame();
  }

  @Test
  void aPageThatIsGivenOutAndWasNeverWrittenIsKnown() {
    add(3);
    numbers.take(4, 3);
    map.expect(4, 6);
    int[] slots = space.takeRun(2);
    map.set(4, slots[0], 0);
    map.set(5, slots[1], 0);
    capture();
    PageMap read = read(root, 6, empty());
    assertEquals(map.slot(3), read.slot(3));
    assertEquals(PageMap.UNWRITTEN, read.slot(4));
    assertEquals(PageMap.UNWRITTEN, read.slot(5));
    assertEquals(PageMap.UNWRITTEN, read.slot(6));
    space.noteWritten(map.slot(4));
    map.set(4, map.slot(4), 44);
    capture();
    PageMap again = read(root, 6, empty());
    assertEquals(map.slot(4), again.slot(4));
    assertEquals(44, again.checksum(4));
    assertEquals(PageMap.UNWRITTEN, again.slot(5));
  }

  @Test
  void whatIsExpectedIsInTheNextCheckpoint() {
    add(100);
    capture();
    assertTrue(map.changed.isEmpty());
    map.expect(31, 62);
    assertEquals(
        IntStream.rangeClosed(31, 62).boxed().toList(), map.changed.stream().boxed().toList());
    assertTrue(map.changedChunks.get(1));
    assertTrue(map.changedChunks.get(2));
    assertFalse(map.changedChunks.get(3));
    assertFalse(map.changedChunks.get(0));
    map.expect(500, 510);
    assertTrue(map.end() > 510);
  }

  @Test
  void fewEntriesOfManyChunksAreWrittenAsDeltas() {
    add(2000);
    capture();
    settle();
    change(10, 100, 1000);
    assertEquals(1, capture());
    assertEquals(1, root.deltas());
    assertEquals(3, root.levels());
    map = assertReadsTheSame();
    settle();
    change(11, 100, 1500);
    assertEquals(1, capture()); // The same page again, with five entries.
    assertEquals(1, root.deltas());
    assertReadsTheSame();
    settle();
    change(IntStream.range(0, 20).map(i -> 7 + 90 * i).toArray());
    assertEquals(2, capture());
    assertEquals(2, root.deltas());
    assertReadsTheSame();
    settle();
    change(IntStream.range(0, 66).map(i -> 3 + 30 * i).toArray());
    assertEquals(4, capture());
    assertEquals(5, root.deltas());
    map = assertReadsTheSame();
    change(IntStream.range(0, 213).map(i -> 1 + 9 * i).toArray());
    assertEquals(12, capture()); // The last one, which is full now, and eleven more.
    assertEquals(16, root.deltas());
    map = assertReadsTheSame();
    change(10, 100, 1000);
    assertEquals(70, capture()); // There were as many as a quarter of the chunks.
    assertEquals(0, root.deltas());
    assertReadsTheSame();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 100, true", "1, 2, 100, false", "19, 2, 100, false", "20, 2, 100, true",
    "38, 99, 8, false", "39, 99, 8, true", "19, 99, 1, false", "20, 99, 1, true"
  })
  void deltasAreWrittenIfThatTakesLessThanChunksAndAQuarterOfThem(
      int changed, int chunks, int all, boolean isFolded) {
    BitSet pages = new BitSet();
    pages.set(1, changed + 1);
    assertEquals(isFolded, new MapDeltas(PAGE_BYTES).areToBeFolded(pages, chunks, all));
  }

  @Test
  void deltasThatTellOfAPageThatWasNotGivenOutAreRefused() {
    add(2000);
    capture();
    settle();
    change(10, 1000);
    add(1);
    capture();
    assertEquals(1, root.deltas());
    CorruptPageException refused = assertRefused(root, 2000);
    assertTrue(refused.getMessage().contains("tells of page 2001"), refused.getMessage());
    read(root, 2001, empty());
  }

  @Test
  void allIsReadAsItWasWhateverWasChanged() {
    Random random = new Random(1);
    for (int round = 0; round < 100; round++) {
      switch (random.nextInt(6)) {
        case 0 -> add(1 + random.nextInt(60));
        case 1 -> {
          int page = 1 + random.nextInt(Math.max(1, numbers.top()));
          if (numbers.isInUse(page)) {
            space.release(map.slot(page));
            map.set(page, 0, 0);
            numbers.giveBack(page);
          }
        }
        case 2 -> map.renewFrom(space.end() * 9 / 10);
        default -> {
          for (int i = random.nextInt(20); i > 0 && numbers.top() > 0; i--) {
            int page = 1 + random.nextInt(numbers.top());
            if (numbers.isInUse(page)) {
              change(page);
            }
          }
        }
      }
      if (random.nextInt(3) > 0) {
        int most = map.mapPages(numbers.top());
        int written = capture();
        assertTrue(written <= most, written + " of " + most);
        settle();
        PageMap read = assertReadsTheSame();
        map = random.nextBoolean() ? read : map; // As after another opening.
      }
    }
  }

  // ---------------------------------------------------------------- entries

  @Test
  void aMapGrowsAsItNeedsTo() {
    assertEquals(0, map.slot(7));
    assertEquals(1, map.end());
    map.set(7, 100, 11);
    assertEquals(100, map.slot(7));
    assertEquals(11, map.checksum(7));
    assertEquals(0, map.slot(6));
    assertEquals(0, map.slot(map.end()));
    assertTrue(map.end() > 7);
    assertTrue(map.changed.get(7));
    assertTrue(map.changedChunks.get(0));
    map.set(30, 101, 12);
    assertTrue(map.changedChunks.get(1));
    assertEquals(100, map.slot(7));
  }

  @Test
  void clearingGivesUpAllSlots() {
    add(2000);
    numbers.take(2001, 1);
    map.set(2001, PageMap.UNWRITTEN, 0);
    capture();
    change(10, 100, 1000);
    capture();
    assertEquals(1, map.deltas.count());
    change(11);
    map.clear(space);
    assertEquals(0, space.busyCount());
    assertEquals(1, map.end());
    assertEquals(0, map.slot(1));
    assertEquals(0, map.ownSlots().length);
    assertEquals(0, map.deltas.count());
    assertTrue(map.changed.isEmpty());
    assertTrue(map.changedChunks.isEmpty());
    numbers.clear();
    add(3);
    assertEquals(1, capture());
    assertEquals(1, root.levels());
    assertReadsTheSame();
  }

  // ---------------------------------------------------------------- renew

  @Test
  void pagesOfTheMapThatAreBehindAMarkMove() {
    add(100);
    capture();
    settle();
    int last = Arrays.stream(map.ownSlots()).max().orElseThrow();
    map.renewFrom(last + 1);
    assertEquals(0, capture());
    map.renewFrom(last);
    assertTrue(capture() > 0);
    assertTrue(Arrays.stream(map.ownSlots()).noneMatch(slot -> slot == last));
    assertReadsTheSame();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void onePageOfAnyLevelMovesWithThoseAboveIt(int level) {
    // The last page of a level is written last among those of it, so it has the highest slot.
    add(2000);
    capture();
    settle();
    int[] slots = map.ownSlots(); // Level by level.
    int chunks = Math.ceilDiv(2001, PER_PAGE);
    int at = level == 0 ? 40 : level == 1 ? chunks + 1 : chunks + 3;
    int[] moved = slots.clone();
    int mark = slots[at];
    int others = (int) Arrays.stream(slots).filter(slot -> slot >= mark).count();
    map.renewFrom(mark);
    int written = capture();
    assertTrue(written >= others, written + " of " + others);
    int[] now = map.ownSlots();
    for (int i = 0; i < now.length; i++) {
      if (moved[i] >= mark) {
        assertTrue(now[i] != moved[i], "page " + i + " of the map stayed");
      }
    }
    assertReadsTheSame();
  }

  @Test
  void deltasBehindAMarkAreFolded() {
    add(2000);
    capture();
    settle();
    change(10, 100, 1000);
    capture();
    settle();
    int slot = root.newest().slot();
    assertTrue(slot > Arrays.stream(map.ownSlots()).filter(s -> s != slot).max().orElseThrow());
    map.renewFrom(slot + 1);
    assertEquals(0, capture());
    assertEquals(1, root.deltas());
    map.renewFrom(slot);
    assertTrue(capture() > 0);
    assertEquals(0, root.deltas());
    assertReadsTheSame();
  }

  // ---------------------------------------------------------------- numbers

  @Test
  void pagesOfMapsHaveNumbersOfTheirOwn() {
    for (int level : new int[] {0, 1, 7, MapDeltas.LEVEL}) {
      for (int number : new int[] {0, 1, 12345, (1 << 27) - 1}) {
        int page = PageMap.mapPage(level, number);
        assertTrue(page < 0);
        assertEquals(level, PageMap.level(page));
        assertEquals(number, PageMap.number(page));
      }
      assertEquals(PageMap.mapPage(level, 0), PageMap.top(level));
    }
    assertEquals("page 3 in level 1 of the map", PageMap.name(PageMap.mapPage(1, 3)));
    assertEquals("page 2 of the changes to the map", PageMap.name(MapDeltas.number(2)));
  }

  @ParameterizedTest
  @CsvSource({"0, 30", "1, 900", "2, 27000", "5, 729000000", "6, 21870000000", "7, 21870000000"})
  void aPageTellsOfAllThatIsBelowIt(int level, long pages) {
    assertEquals(pages, PageMap.pagesBelow(PageMap.mapPage(level, 4), PAGE_BYTES));
  }

  // ---------------------------------------------------------------- account

  @Test
  void aChangeThatWasNotNotedIsAFault() {
    add(100);
    capture();
    PageMap durable = read(root, 100, empty());
    change(42);
    assertNull(map.faultAfter(durable, space));
    map.changed.clear(42);
    assertEquals(
        "the entry of page 42 was changed, but that is not noted", map.faultAfter(durable, space));
    map.changed.set(42);
    add(1);
    map.changed.clear(101);
    assertEquals(
        "the entry of page 101 was changed, but that is not noted", map.faultAfter(durable, space));
  }

  @Test
  void anotherChecksumAloneIsAChange() {
    add(100);
    capture();
    PageMap durable = read(root, 100, empty());
    map.set(42, map.slot(42), -1);
    map.changed.clear();
    assertEquals(
        "the entry of page 42 was changed, but that is not noted", map.faultAfter(durable, space));
  }

  @Test
  void aChunkOfDeltasThatWasNotNotedIsAFault() {
    add(2000);
    capture();
    settle();
    change(10, 100, 1000);
    capture();
    PageMap durable = read(root, 2000, empty());
    assertNull(map.faultAfter(durable, space));
    map.changedChunks.clear(3);
    assertEquals(
        "deltas tell of chunk 3, which is not noted as changed", map.faultAfter(durable, space));
  }

  @Test
  void aMapThatWasClearedBeginsAnew() {
    add(100);
    capture();
    PageMap durable = read(root, 100, empty());
    map.clear(space);
    assertNull(map.faultAfter(durable, space));
    numbers.clear();
    add(1);
    assertNull(map.faultAfter(durable, space));
    map.changed.clear();
    assertEquals(
        "the entry of page 1 was changed, but that is not noted", map.faultAfter(durable, space));
  }

  // ---------------------------------------------------------------- refuse

  private CorruptPageException assertRefused(PageMap.Root from, int top) {
    return assertThrows(CorruptPageException.class, () -> read(from, top, empty()));
  }

  private PageMap.Root withLevels(int levels) {
    return new PageMap.Root(root.slot(), root.checksum(), levels, root.newest(), root.deltas());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, PageMap.MOST_LEVELS, 100})
  void noMapHasSuchANumberOfLevels(int levels) {
    add(100);
    capture();
    CorruptPageException refused = assertRefused(withLevels(levels), 100);
    assertTrue(
        refused.getMessage().contains("should have " + levels + " levels"), refused.getMessage());
  }

  @Test
  void aMapOfMoreLevelsThanThereAreIsRefusedByItsPages() {
    add(100);
    capture();
    assertRefused(withLevels(3), 100);
    assertRefused(withLevels(PageMap.MOST_LEVELS - 1), 100);
  }

  @Test
  void aMapThatTellsOfAPageThatWasNotGivenOutIsRefused() {
    add(100);
    capture();
    CorruptPageException refused = assertRefused(root, 99);
    assertTrue(refused.getMessage().contains("tells of page 100 of 99"), refused.getMessage());
    read(root, 100, empty());
  }

  @Test
  void aMapThatTellsOfPageZeroIsRefused() {
    add(100);
    map.set(0, space.take(), 1);
    capture();
    CorruptPageException refused = assertRefused(root, 100);
    assertTrue(refused.getMessage().contains("tells of page 0 of 100"), refused.getMessage());
  }

  @Test
  void twoPagesInOneSlotAreRefused() {
    add(100);
    map.set(7, map.slot(70), 7);
    capture();
    CorruptPageException refused = assertRefused(root, 100);
    assertTrue(refused.getMessage().contains("where another page is"), refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 4})
  void aPageOfTheMapInASlotThatIsTakenIsRefused(int number) {
    add(100);
    capture();
    int slot = map.ownSlots()[number]; // Of four chunks, and the page above them.
    SlotSpace into = empty();
    into.noteLoaded(slot);
    try (PageReader reader = new PageReader(file, PAGE_BYTES)) {
      CorruptPageException refused =
          assertThrows(
              CorruptPageException.class, () -> PageMap.read(root, 100, into, reader, INDEX));
      assertTrue(refused.getMessage().contains("slot " + slot + ","), refused.getMessage());
    }
  }
}
