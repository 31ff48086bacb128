// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fences of arrays: who has them, where they are, and what a search reads thanks to them. */
@Tag("fallback-exhaustive")
class DeamortizedFencesTest {
  private static final int PAGE_BYTES = 1024;
  private static final int ENTRIES = 20_000;

  private final CountingPageStore store =
      new CountingPageStore(
          new MemoryPageStore(PAGE_BYTES, IndexOptions.DEFAULT.memoryLimit(), HugePages.OFF),
          CountingPageStore.UNLIMITED);
  private DeamortizedCola index = open(store);

  private static DeamortizedCola open(PageStore store) {
    return DeamortizedCola.open(IndexOptions.DEFAULT, store, new DeamortizedCola.Geometry(8));
  }

  @AfterEach
  void close() {
    index.close();
  }

  private static long scatter(long number) {
    return number * 0x9e37_79b9_7f4a_7c15L;
  }

  private void fill() {
    for (long i = 0; i < ENTRIES; i++) {
      index.set(scatter(i), i);
    }
  }

  private Level deepest() {
    return index.tree.arrays[2 * index.tree.depth - 1];
  }

  @Test
  void largeArraysHaveFencesInFrontAndSmallOnesNone() {
    fill();
    index.verify();
    for (Level array : index.tree.arrays) {
      boolean isLarge = array.pages() >= Fences.LEAST_PAGES;
      assertEquals(isLarge ? array.firstPage() - 1 : 0, array.firstFence());
    }
    assertTrue(deepest().pages() > 2 * PAGE_BYTES / 16, "several pages of fences");
    assertHolds(ENTRIES);
  }

  @Test
  void loadedArrayHasFencesBehindItThatAreGivenBackWithIt() {
    long[] keys = LongStream.range(0, ENTRIES).toArray();
    index.bulkload(keys, keys);
    int fences = index.tree.fences.pagesOf(deepest());
    assertTrue(fences > 1);
    assertEquals(deepest().firstPage() + deepest().pages() + fences - 1, deepest().firstFence());
    index.verify();
    Level loaded = deepest();
    for (long key = 0; key < 2 * ENTRIES; key++) {
      index.set(key, -key);
    }
    assertNotEquals(loaded.firstFence(), deepest().firstFence());
    index.verify();
    assertEquals(2 * ENTRIES, index.size());
  }

  @Test
  void searchReadsAPageOfEachArrayAndFewOfItsFences() {
    fill();
    int arrays = 0;
    int most = 2; // The top, and what was found.
    for (Level array : index.tree.arrays) {
      arrays += array.pages() > 0 ? 1 : 0;
      int pages = array.firstFence() == 0 ? array.pages() : index.tree.fences.pagesOf(array);
      most += array.pages() == 0 ? 0 : 2 + Integer.SIZE - Integer.numberOfLeadingZeros(pages);
    }
    assertTrue(arrays >= 4, arrays + " arrays");
    for (long i = 0; i < 1000; i++) {
      store.resetCounters();
      assertEquals(index.missingValue(), index.get(scatter(-1 - i)));
      long pins = store.counters().pins();
      assertTrue(pins <= most, () -> pins + " pages are read for a search");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, Long.MAX_VALUE, -1, 0})
  void keysAtTheEndsAreFoundByFences(long extreme) {
    fill();
    index.set(extreme, 4711);
    for (long i = 0; i < ENTRIES; i++) {
      index.set(scatter(i), i);
    }
    index.set(0, 4711);
    assertEquals(4711, index.get(extreme));
    long[] values = new long[2];
    index.getAll(new long[] {extreme, extreme ^ 4}, values);
    assertEquals(4711, values[0]);
    index.verify();
  }

  /** What an index of the version before has on its pages, it goes on with. */
  @Test
  void indexOfTheFirstVersionGoesOnWithoutFences() {
    store.meta()[0] = DeamortizedStructure.STAMP_WITHOUT_FENCES;
    index = open(store);
    for (long i = 0; i < ENTRIES; i++) {
      if (i % 997 == 0) {
        index = open(store);
        index.verify();
      }
      index.set(scatter(i), i);
    }
    assertEquals(DeamortizedStructure.STAMP_WITHOUT_FENCES, store.meta()[0]);
    assertTrue(Arrays.stream(index.tree.arrays).allMatch(array -> array.firstFence() == 0));
    assertHolds(ENTRIES);
    index.clear();
    fill();
    assertNotEquals(0, deepest().firstFence());
    index = open(store);
    index.verify();
    assertHolds(ENTRIES);
  }

  private void assertHolds(int entries) {
    assertEquals(entries, index.size());
    long[] keys = LongStream.range(0, entries).map(DeamortizedFencesTest::scatter).toArray();
    long[] values = new long[entries];
    index.getAll(keys, values);
    for (int i = 0; i < entries; i++) {
      assertEquals(i, values[i]);
      assertEquals(i, index.get(keys[i]));
    }
  }

  /** Whatever the limit, a full index takes half of what was removed again. */
  @Test
  void fullIndexTakesNewEntriesForThoseRemoved() {
    for (long limit = 100_000; limit < TestSize.of(600_000, 3_000_000); limit += 47_111) {
      try (DeamortizedCola full =
          DeamortizedCola.create(IndexOptions.DEFAULT.withMemoryLimit(limit))) {
        int entries = insertUntilFull(full);
        for (long i = entries / 2; i < entries; i++) {
          assertEquals(i, full.remove(scatter(i)));
        }
        for (long i = entries / 2; i < entries * 3L / 4; i++) {
          full.put(scatter(i), i);
        }
        full.verify();
        assertEquals(entries * 3L / 4, full.size());
      }
    }
  }

  private static int insertUntilFull(DeamortizedCola full) {
    int entries = 0;
    boolean isFull = false;
    while (!isFull) {
      try {
        full.put(scatter(entries), entries);
        entries++;
      } catch (MemoryLimitException _) {
        isFull = true;
      }
    }
    assertFalse(full.containsKey(scatter(entries)));
    return entries;
  }

  @Test
  void lookupInMemoryAllocatesNothing() {
    try (DeamortizedCola inMemory =
        DeamortizedCola.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES),
            new DeamortizedCola.Geometry(8))) {
      for (long i = 0; i < ENTRIES; i++) {
        inMemory.set(scatter(i), i);
      }
      assertTrue(inMemory.tree.depth > 4, "so many levels are searched one by one");
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      assertEquals(ENTRIES * (ENTRIES - 1L) / 2, sumOfLookups(inMemory));
      long before = threads.getCurrentThreadAllocatedBytes();
      sumOfLookups(inMemory);
      long bytes = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(bytes < ENTRIES, () -> bytes + " bytes for " + ENTRIES + " lookups");
    }
  }

  private static long sumOfLookups(DeamortizedCola inMemory) {
    long sum = 0;
    for (long i = 0; i < ENTRIES; i++) {
      sum += inMemory.get(scatter(i));
    }
    return sum;
  }
}
