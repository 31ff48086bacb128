// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.css.CssTree;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The neighbours of keys, asked for without a cursor. */
@Tag("fallback-thorough")
class NeighboursTest {
  /** Distance of the keys. */
  private static final long STEP = 10;

  /** Many more than the widest leaf holds. */
  private static final int ENTRIES = 1000;

  /** Calls of everything, until it is compiled. */
  private static final int MOST_ROUNDS = 5000;

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void neighboursAreThoseOfTheMap(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      NavigableMap<Long, Long> map = new TreeMap<>();
      assertNeighbours(map, index, 0);
      long[] keys = LongStream.range(0, ENTRIES).map(i -> i * STEP).toArray();
      index.bulkload(keys, LongStream.of(keys).map(key -> ~key).toArray());
      LongStream.of(keys).forEach(key -> map.put(key, ~key));
      assertAllNeighbours(map, index);
      // Whole leaves go, and leaves lose their last or first entries, but keep their separators.
      SplittableRandom random = new SplittableRandom(7);
      for (long key = 0; key < ENTRIES * STEP; key += STEP) {
        if (key % 2000 < 700 || random.nextInt(3) == 0) {
          index.delete(key);
          map.remove(key);
        }
      }
      assertAllNeighbours(map, index);
      for (int i = 0; i < ENTRIES; i++) {
        long key = random.nextLong(ENTRIES * STEP);
        index.set(key, i);
        map.put(key, (long) i);
      }
      for (long extreme : new long[] {Long.MIN_VALUE, Long.MAX_VALUE}) {
        index.set(extreme, 1);
        map.put(extreme, 1L);
      }
      assertAllNeighbours(map, index);
    }
  }

  private static void assertAllNeighbours(NavigableMap<Long, Long> map, LongIndex index) {
    for (long key = -1; key <= ENTRIES * STEP + 1; key += 3) {
      assertNeighbours(map, index, key);
    }
    assertNeighbours(map, index, Long.MIN_VALUE);
    assertNeighbours(map, index, Long.MAX_VALUE);
  }

  private static void assertNeighbours(NavigableMap<Long, Long> map, LongIndex index, long key) {
    assertEquals(map.floorEntry(key), entry(into -> index.floor(key, into)));
    assertEquals(map.ceilingEntry(key), entry(into -> index.ceiling(key, into)));
    assertEquals(map.lowerEntry(key), entry(into -> index.lower(key, into)));
    assertEquals(map.higherEntry(key), entry(into -> index.higher(key, into)));
    assertEquals(map.firstEntry(), entry(index::first));
    assertEquals(map.lastEntry(), entry(index::last));
    if (map.isEmpty()) {
      assertThrows(NoSuchElementException.class, index::firstKey);
      assertThrows(NoSuchElementException.class, index::lastKey);
      assertFalse(index.pollFirst(new LongEntry()));
      assertFalse(index.pollLast(new LongEntry()));
    } else {
      assertEquals(map.firstKey(), index.firstKey());
      assertEquals(map.lastKey(), index.lastKey());
    }
  }

  private static Map.@Nullable Entry<Long, Long> entry(Predicate<LongEntry> call) {
    LongEntry entry = new LongEntry();
    return call.test(entry) ? Map.entry(entry.key(), entry.value()) : null;
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void pollingTakesAllInOrder(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      for (long key = 0; key < 500; key++) {
        index.set(key * 7 % 500, key);
      }
      LongEntry entry = new LongEntry();
      for (long left = 0; left < 250; left++) {
        assertTrue(index.pollFirst(entry));
        assertEquals(left, entry.key());
        assertEquals(left, entry.value() * 7 % 500);
        assertTrue(index.pollLast(entry));
        assertEquals(499 - left, entry.key());
      }
      assertFalse(index.pollFirst(entry));
      assertTrue(index.isEmpty());
      index.verify();
    }
  }

  static Stream<Arguments> hotTrees() {
    return Stream.<Function<IndexOptions, LongIndex>>of(
            PbPlusTree::create,
            CssTree::create,
            ConcurrentPbPlusTree::create,
            FpbLinkTree::create,
            DiskFirstFpbPlusTree::create)
        .map(factory -> Arguments.of(factory));
  }

  @ParameterizedTest
  @MethodSource("hotTrees")
  void hotTreesAllocateNothing(Function<IndexOptions, LongIndex> factory) {
    try (LongIndex index = factory.apply(IndexOptions.DEFAULT)) {
      long[] keys = LongStream.range(0, 20 * ENTRIES).map(i -> i * STEP).toArray();
      index.bulkload(keys, keys);
      index.delete(keys[1000]);
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      LongEntry entry = new LongEntry();
      long sum = sumOfNeighbours(index, entry);
      long least = Long.MAX_VALUE;
      // What is not compiled yet makes objects of its vectors, as on the rare ways to other pages.
      for (int round = 0; round < MOST_ROUNDS && least >= 6 * ENTRIES; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        assertEquals(sum, sumOfNeighbours(index, entry));
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      long bytes = least;
      assertTrue(bytes < 6 * ENTRIES, () -> bytes + " bytes for " + 6 * ENTRIES + " neighbours");
    }
  }

  private static long sumOfNeighbours(LongIndex index, LongEntry entry) {
    long sum = 0;
    for (long i = 0; i < ENTRIES; i++) {
      long key = i * 7919 % (20 * ENTRIES) * STEP + 5;
      sum += index.floor(key, entry) ? entry.value() : 1;
      sum += index.ceiling(key, entry) ? entry.value() : 1;
      sum += index.lower(key - 5, entry) ? entry.value() : 1;
      sum += index.higher(key - 5, entry) ? entry.value() : 1;
      sum += index.firstKey() + index.lastKey();
    }
    return sum;
  }
}
