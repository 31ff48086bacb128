// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.PagedShape;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.RefusingPageStore;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Batches of ascending keys, which are merged with the pages that they belong into. */
class AscendingPutsTest {
  private static final int PAGE_BYTES = 4096;

  private final TreeMap<Long, Long> model = new TreeMap<>();
  private long nextValue;

  static Stream<PagedShape> smallest() {
    return PagedShape.smallest().stream()
        .filter(shape -> shape.tree().matches("DiskOptimized.*|MicroIndex.*|DiskFirst.*"));
  }

  static List<PagedShape> usual() {
    return List.of(
        new PagedShape("DiskOptimizedBPlusTree", PAGE_BYTES, DiskOptimizedBPlusTree::open),
        new PagedShape("MicroIndexBPlusTree", PAGE_BYTES, MicroIndexBPlusTree::open),
        new PagedShape("DiskFirstFpbPlusTree", PAGE_BYTES, DiskFirstFpbPlusTree::open));
  }

  static Stream<PagedShape> all() {
    return Stream.concat(smallest(), usual().stream());
  }

  @ParameterizedTest
  @MethodSource("all")
  void batchesOfEveryDensityAreStored(PagedShape shape) {
    Random random = new Random(1);
    CheckedPageStore pages = new CheckedPageStore(shape.newStore(), CheckedPageStore.MIN_PINS);
    try (LongIndex index = shape.open(pages)) {
      for (int batch = 0; batch < 300; batch++) {
        long spread = 1L << random.nextInt(1, 60);
        long start = random.nextInt(5) == 0 ? random.nextLong() : random.nextLong(20_000);
        long[] keys =
            random
                .longs(random.nextInt(1, 600), 0, spread)
                .map(key -> key + start)
                .sorted()
                .toArray(); // Some keys may come twice, or the sum wrap around.
        put(index, keys);
        pages.checkBalanced();
        if (batch % 50 == 0) {
          assertHolds(index);
        }
      }
      assertHolds(index);
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void smallestAndLargestKeysAreStored(PagedShape shape) {
    try (LongIndex index = shape.open(shape.newStore())) {
      long[] ends =
          LongStream.concat(
                  LongStream.range(0, 700).map(key -> Long.MIN_VALUE + key),
                  LongStream.range(-700, 1).map(key -> Long.MAX_VALUE + key))
              .toArray();
      put(index, ends);
      put(index, ends);
      assertHolds(index);
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void fullPagesAreSplit(PagedShape shape) {
    try (LongIndex index = shape.open(shape.newStore())) {
      long[] even = LongStream.range(0, 3_000).map(key -> 2 * key).toArray();
      put(index, even);
      put(index, LongStream.range(0, 3_000).map(key -> 2 * key + 1).toArray());
      put(index, even);
      assertHolds(index);
    }
  }

  @ParameterizedTest
  @MethodSource("smallest")
  void whatWasPutBeforeARefusalStays(PagedShape shape) {
    long[] keys = LongStream.range(0, 400).map(key -> key * key).toArray();
    RefusingPageStore full = new RefusingPageStore(shape.newStore(), 1);
    CheckedPageStore pages = new CheckedPageStore(full, CheckedPageStore.MIN_PINS);
    try (LongIndex index = shape.open(pages)) {
      int most = 1;
      while (!isPut(index, keys)) {
        pages.checkBalanced();
        index.verify();
        long[] there = IntStream.range(0, (int) index.size()).mapToLong(i -> keys[i]).toArray();
        long[] values = new long[there.length];
        index.getAll(there, values);
        for (int i = 0; i < there.length; i++) {
          assertEquals(-there[i], values[i]);
        }
        full.mostPages(++most);
      }
      assertTrue(most > 10);
      assertEquals(keys.length, index.size());
    }
  }

  /** One pin of a page for many entries, where puts one by one would pin one or more each. */
  @ParameterizedTest
  @MethodSource("usual")
  void manyKeysOfAPageTakeFewPins(PagedShape shape) {
    CountingPageStore pages = new CountingPageStore(shape.newStore(), CountingPageStore.UNLIMITED);
    try (LongIndex index = shape.open(pages)) {
      put(index, LongStream.range(0, 20_000).map(key -> 4 * key).toArray());
      pages.resetCounters();
      put(index, LongStream.range(0, 20_000).map(key -> 4 * key + 1).toArray());
      assertTrue(pages.counters().pins() < 20_000 / 10, () -> pages.counters().toString());
      assertHolds(index);
    }
  }

  private static boolean isPut(LongIndex index, long[] keys) {
    try {
      index.putAll(keys, LongStream.of(keys).map(key -> -key).toArray());
      return true;
    } catch (MemoryLimitException _) {
      return false;
    }
  }

  private void put(LongIndex index, long[] keys) {
    long[] values = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = nextValue++;
      model.put(keys[i], values[i]);
    }
    index.putAll(keys, values);
  }

  private void assertHolds(LongIndex index) {
    index.verify();
    assertEquals(model.size(), index.size());
    LongCursor cursor = index.cursor();
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertTrue(cursor.next());
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
    }
  }
}
