// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hand-made traces, with cycles worked out by hand.
 *
 * <p>Caches of 4 and 16 lines of 64 bytes, 2-way: 2 and 8 sets. T1 is 100, Tnext 10, a second-level
 * hit 5, an access 1. Pages of 1 KiB, of which the TLB knows 2; a walk takes 7.
 */
final class MemoryHierarchyTest {
  private static final int LINE = 64;
  private static final int PAGE = 1024;
  private static final int WORD = 8;
  private static final TlbShape TLB = new TlbShape(2, 2, PAGE, 7, TlbShape.PrefetchMiss.WALK);

  /** A TLB that costs nothing, for tests of something else. */
  private static final TlbShape FREE_TLB = new TlbShape(2, 2, PAGE, 0, TlbShape.PrefetchMiss.WALK);

  private static final HierarchyShape SHAPE =
      new HierarchyShape(
          LINE,
          new CacheShape(4 * LINE, 2),
          new CacheShape(16 * LINE, 2),
          5,
          100,
          10,
          8,
          1,
          FREE_TLB);

  /** With a second level whose 32 sets are two pages. */
  private static final HierarchyShape TWO_PAGES =
      new HierarchyShape(
          LINE, SHAPE.l1(), new CacheShape(64 * LINE, 2), 5, 100, 10, 8, 1, FREE_TLB);

  private final MemoryHierarchy hierarchy = new MemoryHierarchy(SHAPE);

  // ---------------------------------------------------------------- misses

  @Test
  void coldMissStallsForOneLatencyAndTheNextAccessToItsLineNotAtAll() {
    readLine(0);
    assertStallAndBusy(100, 1);
    hierarchy.read(LINE - WORD, WORD);
    assertStallAndBusy(100, 2);
    HierarchyCounters counters = hierarchy.counters();
    assertEquals(2, counters.accesses());
    assertEquals(1, counters.l1Misses());
    assertEquals(1, counters.l2Misses());
    assertEquals(1, counters.memoryLines());
    assertEquals(102, counters.cycles());
  }

  @Test
  void writesFetchTheirLineAsReadsDo() {
    hierarchy.write(0, WORD);
    readLine(0);
    assertStallAndBusy(100, 2);
  }

  @Test
  void missesOfAccessesDoNotOverlap() {
    readLine(0);
    readLine(1);
    readLine(2);
    assertStallAndBusy(300, 3);
  }

  @Test
  void accessThatSpansTwoLinesCountsForBoth() {
    hierarchy.read(LINE - 4, WORD);
    assertEquals(2, hierarchy.counters().accesses());
    assertEquals(2, hierarchy.counters().l2Misses());
    assertStallAndBusy(200, 2);
  }

  @Test
  void accessOfNoBytesIsNone() {
    hierarchy.read(LINE + 4, 0);
    assertEquals(new HierarchyCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), hierarchy.counters());
  }

  @Test
  void thirdLineOfASetTakesThePlaceOfTheLeastRecentlyUsed() {
    readLine(0);
    readLine(2);
    readLine(0);
    readLine(4); // Of lines 0, 2 and 4, all in set 0 of two, 2 was used least recently.
    hierarchy.reset();
    readLine(0);
    assertStallAndBusy(0, 1);
    readLine(2); // Still in the second level, where they are in different sets.
    assertStallAndBusy(5, 2);
    assertEquals(1, hierarchy.counters().l1Misses());
    assertEquals(0, hierarchy.counters().l2Misses());
  }

  @Test
  void conflictInTheSecondLevelMissesWhileMostOfItIsEmpty() {
    for (int round = 0; round < 2; round++) {
      readLine(0);
      readLine(8);
      readLine(16); // Three lines in set 0 of eight, two ways: each is gone when it is needed.
    }
    assertEquals(6, hierarchy.counters().l2Misses());
    assertStallAndBusy(600, 6);
  }

  @Test
  void capacityMissesBeginWhereTheCacheEnds() {
    readLines(0, 16);
    hierarchy.reset();
    readLines(0, 16); // All in the second level; the first has always just lost the line.
    assertEquals(16, hierarchy.counters().l1Misses());
    assertEquals(0, hierarchy.counters().l2Misses());
    assertStallAndBusy(16 * 5, 16);
    readLines(0, 24);
    hierarchy.reset();
    readLines(0, 24); // 24 lines round and round through 16: none survives.
    assertEquals(24, hierarchy.counters().l2Misses());
    assertStallAndBusy(24 * 100, 24);
  }

  // ---------------------------------------------------------------- prefetches

  @Test
  void prefetchLongBeforeTheAccessIsFullyHidden() {
    prefetchLine(1);
    workFor(100);
    hierarchy.reset();
    readLine(1);
    assertStallAndBusy(0, 1);
    assertEquals(0, hierarchy.counters().l1Misses());
  }

  @Test
  void prefetchShortlyBeforeTheAccessIsPartlyHidden() {
    prefetchLine(1);
    workFor(30);
    hierarchy.reset();
    readLine(1); // Asked for at 0, there at 100; it is 31 after the prefetch and 30 accesses.
    assertStallAndBusy(100 - 31, 1);
    assertEquals(0, hierarchy.counters().l2Misses());
  }

  @Test
  void prefetchRightBeforeTheAccessIsHiddenByTheCycleItTookOnly() {
    readLine(0);
    hierarchy.reset();
    prefetchLine(1);
    readLine(1);
    assertStallAndBusy(99, 2);
    assertEquals(1, hierarchy.counters().prefetches());
    assertEquals(1, hierarchy.counters().memoryLines());
  }

  @Test
  void nodeOfPrefetchedLinesTakesT1AndTnextForEachFurtherLine() {
    MemoryHierarchy idle = new MemoryHierarchy(SHAPE.withBusyCycles(0));
    idle.prefetch(0, 4);
    for (int line = 0; line < 4; line++) {
      idle.read((long) line * LINE, WORD);
    }
    assertEquals(100 + 3 * 10, idle.counters().cycles());
    assertEquals(4, idle.counters().memoryLines());
    assertEquals(0, idle.counters().l1Misses());
  }

  @Test
  void missBehindPrefetchesWaitsForItsTurn() {
    prefetchLine(0);
    prefetchLine(1);
    prefetchLine(2);
    readLine(3); // Asked for at 3; the lines before come at 100, 110 and 120, this one at 130.
    assertStallAndBusy(130 - 3, 4);
    assertEquals(1, hierarchy.counters().l2Misses());
    assertEquals(4, hierarchy.counters().memoryLines());
  }

  @Test
  void memoryThatHasBeenIdleServesAfterT1() {
    readLine(0); // Delivered at 100.
    readLine(1); // Asked for at 101, delivered at 201 = max(101 + 100, 100 + 10).
    assertStallAndBusy(200, 2);
  }

  @Test
  void prefetchOfALineInTheCacheOrOnItsWayIsUseless() {
    readLine(0);
    prefetchLine(0);
    prefetchLine(1);
    prefetchLine(1);
    assertEquals(3, hierarchy.counters().prefetches());
    assertEquals(2, hierarchy.counters().uselessPrefetches());
    assertEquals(2, hierarchy.counters().memoryLines());
  }

  @Test
  void prefetchFromTheSecondLevelHidesItsLatency() {
    readLines(0, 5); // Line 0 has left the first level: 0, 2 and 4 share a set of two.
    hierarchy.reset();
    prefetchLine(0);
    readLine(0); // 5 cycles, one of which the prefetch itself took.
    assertStallAndBusy(4, 2);
    assertEquals(0, hierarchy.counters().memoryLines());
    assertEquals(0, hierarchy.counters().uselessPrefetches());
  }

  @Test
  void lineThatLeftTheFirstLevelBeforeItCameIsStillAwaited() {
    prefetchLine(0);
    prefetchLine(2);
    prefetchLine(4); // Takes the slot of line 0 in the first level; the second expects it at 100.
    readLine(0);
    assertStallAndBusy(100 - 3, 4);
    assertEquals(1, hierarchy.counters().l1Misses());
    assertEquals(0, hierarchy.counters().l2Misses());
  }

  @Test
  void prefetchWaitsForAMissHandler() {
    // Of 8 handlers the first is free again at 100, so the ninth prefetch waits from 8 to 100.
    hierarchy.prefetch(0, 9);
    assertStallAndBusy(100 - 8, 9);
    readLine(8); // Delivered at max(100 + 100, 170 + 10); it is 101.
    assertStallAndBusy(92 + 99, 10);
  }

  @Test
  void prefetchedRangeBeginsWithTheLineOfItsAddress() {
    hierarchy.prefetch(LINE + 24, 2);
    workFor(1000);
    hierarchy.reset();
    readLine(1);
    readLine(2);
    assertEquals(0, hierarchy.counters().l1Misses());
    readLine(3);
    assertEquals(1, hierarchy.counters().l1Misses());
  }

  @Test
  void widerLinesAreFetchedOnceForTheLinesInThem() {
    var wide =
        new MemoryHierarchy(
            new HierarchyShape(
                128, new CacheShape(512, 2), new CacheShape(2048, 2), 5, 100, 10, 8, 1, FREE_TLB));
    wide.prefetch(LINE, 4); // Bytes 64 to 319: lines 0, 1 and 2 of 128 bytes.
    assertEquals(3, wide.counters().prefetches());
    assertEquals(3, wide.counters().memoryLines());
    wide.read(127, 2);
    assertEquals(2, wide.counters().accesses());
    assertEquals(0, wide.counters().l1Misses());
  }

  // ---------------------------------------------------------------- TLB

  @Test
  void accessToAPageThatTheTlbForgotWalksThePageTable() {
    MemoryHierarchy paged = new MemoryHierarchy(SHAPE.withTlb(TLB));
    paged.read(0, WORD); // 7 for the walk, 100 for the line
    paged.read(PAGE + LINE, WORD);
    assertEquals(2 * 107, paged.counters().stallCycles());
    paged.read(0, WORD);
    assertEquals(2, paged.counters().tlbMisses());
    paged.read(2 * PAGE + 2 * LINE, WORD); // Of two entries that of page 1 was used less recently.
    paged.reset();
    paged.read(WORD, WORD);
    assertEquals(0, paged.counters().tlbMisses());
    paged.read(PAGE + LINE, WORD); // The line is cached, its translation is not.
    assertEquals(1, paged.counters().tlbMisses());
    assertEquals(0, paged.counters().l1Misses());
    assertEquals(7, paged.counters().stallCycles());
  }

  @Test
  void walkOfAPrefetchDelaysItsLineButNotTheProcessor() {
    MemoryHierarchy paged = new MemoryHierarchy(SHAPE.withTlb(TLB));
    paged.prefetch(0, 1);
    assertEquals(0, paged.counters().stallCycles());
    assertEquals(1, paged.counters().tlbMisses());
    paged.read(0, WORD); // There at 7 + 100; it is 1.
    assertEquals(106, paged.counters().stallCycles());
    assertEquals(1, paged.counters().tlbMisses());
  }

  @Test
  void accessWaitsForAWalkThatAPrefetchHasBegun() {
    MemoryHierarchy paged = new MemoryHierarchy(SHAPE.withTlb(TLB));
    paged.read(0, WORD);
    paged.read(PAGE + LINE, WORD);
    paged.read(2 * PAGE + LINE, WORD); // Now the TLB has forgotten page 0, whose line is cached.
    paged.reset();
    paged.prefetch(2 * LINE, 1);
    paged.read(0, WORD);
    assertEquals(7 - 1, paged.counters().stallCycles());
    assertEquals(1, paged.counters().tlbMisses());
    assertEquals(0, paged.counters().l1Misses());
  }

  @Test
  void prefetchThatMissesTheTlbIsDroppedWhereTheFaultHintIsOff() {
    MemoryHierarchy paged =
        new MemoryHierarchy(SHAPE.withTlb(TLB.withPrefetchMiss(TlbShape.PrefetchMiss.DROP)));
    paged.prefetch(0, 2);
    assertEquals(2, paged.counters().tlbMisses());
    assertEquals(2, paged.counters().droppedPrefetches());
    assertEquals(0, paged.counters().memoryLines());
    paged.read(0, WORD); // The walk and the whole latency, as if nothing had been prefetched.
    assertEquals(107, paged.counters().stallCycles());
    paged.prefetch(LINE, 1); // Now the page is known.
    assertEquals(2, paged.counters().droppedPrefetches());
    assertEquals(2, paged.counters().memoryLines());
  }

  // ---------------------------------------------------------------- counters

  @Test
  void resetKeepsTheCaches() {
    readLine(0);
    hierarchy.reset();
    assertEquals(new HierarchyCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), hierarchy.counters());
    readLine(0);
    assertEquals(new HierarchyCounters(1, 0, 0, 0, 0, 0, 0, 0, 0, 1), hierarchy.counters());
  }

  @Test
  void flushEmptiesTheCachesAndKeepsTheCounters() {
    readLine(0);
    HierarchyCounters before = hierarchy.counters();
    hierarchy.flush();
    assertEquals(before, hierarchy.counters());
    hierarchy.reset();
    readLine(0);
    assertEquals(new HierarchyCounters(1, 1, 1, 0, 0, 0, 1, 1, 100, 1), hierarchy.counters());
  }

  @Test
  void flushForgetsWhatIsUnderWay() {
    hierarchy.prefetch(0, 8);
    hierarchy.flush();
    hierarchy.reset();
    readLine(0); // Behind eight lines it would take 172 cycles, or with their handlers' time more.
    assertStallAndBusy(100, 1);
  }

  @Test
  void flushForgetsTheNumbersOfPages() {
    MemoryHierarchy paged = new MemoryHierarchy(TWO_PAGES);
    for (int page = 0; page < 5; page++) {
      paged.read((long) page * PAGE, WORD);
    }
    paged.flush();
    paged.reset();
    readEveryOtherPageTwice(paged); // Not 0, 2 and 4 any more, which would share a set.
    assertEquals(3, paged.counters().l2Misses());
  }

  @ParameterizedTest
  @ValueSource(longs = {PAGE, 77L * PAGE, 0x7f12_3456_7800L / PAGE * PAGE, -3L * PAGE})
  void figuresDoNotDependOnWhereTheMemoryLies(long base) {
    assertEquals(randomTrace(0, 1), randomTrace(base, 1));
    assertNotEquals(randomTrace(0, 1), randomTrace(base, 2));
  }

  @Test
  void pagesAreNumberedInTheOrderOfFirstTouch() {
    // By their addresses, the first lines of pages 0, 2 and 4 would share set 0 and its two ways;
    // numbered 0, 1 and 2 they are in sets 0, 16 and 0.
    MemoryHierarchy paged = new MemoryHierarchy(TWO_PAGES);
    readEveryOtherPageTwice(paged);
    assertEquals(3, paged.counters().l2Misses());
    assertEquals(6, paged.counters().l1Misses());
  }

  private static void readEveryOtherPageTwice(MemoryHierarchy hierarchy) {
    for (int round = 0; round < 2; round++) {
      hierarchy.read(0, WORD);
      hierarchy.read(2 * PAGE, WORD);
      hierarchy.read(4 * PAGE, WORD);
    }
  }

  private static HierarchyCounters randomTrace(long base, long seed) {
    MemoryHierarchy hierarchy = new MemoryHierarchy(SHAPE.withTlb(TLB));
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      long address = base + random.nextInt(5000 * PAGE);
      switch (random.nextInt(3)) {
        case 0 -> hierarchy.read(address, WORD);
        case 1 -> hierarchy.write(address, 100);
        default -> hierarchy.prefetch(address, 3);
      }
    }
    return hierarchy.counters();
  }

  @Test
  void presetsCanBeBuilt() {
    assertEquals(189, new MemoryHierarchy(HierarchyShape.itanium2()).shape().t1());
    assertEquals(10, new MemoryHierarchy(HierarchyShape.fpb()).shape().tnext());
    assertEquals(64, new MemoryHierarchy(HierarchyShape.typical()).shape().lineBytes());
  }

  @Test
  void impossibleShapesAreRefused() {
    assertRefused("bytes is 0; it must be positive", () -> new CacheShape(0, 1));
    assertRefused(
        "pageBytes is 1000; it must be a power of two",
        () -> new TlbShape(2, 2, 1000, 0, TlbShape.PrefetchMiss.WALK));
    assertRefused(
        "missCycles is -1; it must not be negative",
        () -> new TlbShape(2, 2, PAGE, -1, TlbShape.PrefetchMiss.WALK));
    assertRefused(
        "lineBytes is 32; it must be from 64 to the size of a page, 1024",
        () -> new HierarchyShape(32, SHAPE.l1(), SHAPE.l2(), 5, 100, 10, 8, 1, FREE_TLB));
    assertRefused(
        "tnext is 101; it must be at most t1, 100",
        () -> new HierarchyShape(LINE, SHAPE.l1(), SHAPE.l2(), 5, 100, 101, 8, 1, FREE_TLB));
    var threeSets =
        new HierarchyShape(LINE, new CacheShape(6 * LINE, 2), SHAPE.l2(), 5, 9, 9, 8, 1, FREE_TLB);
    assertRefused(
        "a cache of 384 bytes can't be 2-way associative: its sets must be a power of two",
        () -> new MemoryHierarchy(threeSets));
  }

  private static void assertRefused(String message, Runnable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call::run).getMessage());
  }

  private void readLine(int line) {
    hierarchy.read((long) line * LINE, WORD);
  }

  private void readLines(int from, int to) {
    for (int line = from; line < to; line++) {
      readLine(line);
    }
  }

  private void prefetchLine(int line) {
    hierarchy.prefetch((long) line * LINE, 1);
  }

  /** Keeps the processor busy: a prefetch of a line that is there, or on its way, takes a cycle. */
  private void workFor(int cycles) {
    for (int i = 0; i < cycles; i++) {
      prefetchLine(1);
    }
  }

  private void assertStallAndBusy(long stall, long busy) {
    assertEquals(stall, hierarchy.counters().stallCycles(), "stall cycles");
    assertEquals(busy, hierarchy.counters().busyCycles(), "busy cycles");
  }
}
