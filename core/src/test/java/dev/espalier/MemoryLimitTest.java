// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.inspect.IndexStatistics;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("fallback-thorough")
class MemoryLimitTest {
  private static final long[] SMALL_LIMITS =
      TestSize.isThorough()
          ? new long[] {IndexOptions.MIN_MEMORY_LIMIT, 20_000, 65_536}
          : new long[] {IndexOptions.MIN_MEMORY_LIMIT};

  /** Beyond one huge page memory grows in another way; for trees as users get them. */
  private static final long[] LARGE_LIMITS =
      TestSize.isThorough() ? new long[] {500_003, (2 << 20) + 4096} : new long[] {500_003};

  @RegisterExtension final Indexes indexes = new Indexes();

  static Stream<Arguments> shapesAndLimits() {
    return Stream.concat(
        cases(TreeShape.allAndOnCheckedPages(), SMALL_LIMITS),
        cases(TreeShape.kinds(), LARGE_LIMITS));
  }

  private static Stream<Arguments> cases(List<TreeShape> shapes, long[] limits) {
    return shapes.stream()
        .flatMap(
            shape ->
                LongStream.of(limits)
                    .filter(limit -> limit >= shape.leastMemoryLimit())
                    .mapToObj(limit -> Arguments.of(shape, limit)));
  }

  @ParameterizedTest
  @MethodSource("shapesAndLimits")
  void fullIndexKeepsItsEntriesAndStaysUsable(TreeShape shape, long limit) {
    LongIndex index = indexes.create(shape, IndexOptions.DEFAULT.withMemoryLimit(limit));
    long entries = insertUntilFull(index);
    index.verify();
    assertHolds(index, entries);
    assertTrue(index.statistics().committedBytes() <= limit);

    assertThrows(MemoryLimitException.class, () -> index.put(scatter(entries), 0));
    assertFalse(index.containsKey(scatter(entries)));
    index.verify();
    assertEquals(0, index.put(scatter(0), 77), "a value is replaced without more memory");
    index.set(scatter(0), 0);

    for (long i = entries / 2; i < entries; i++) {
      assertEquals(i, index.remove(scatter(i)));
    }
    index.verify();
    assertHolds(index, entries / 2);
    for (long i = entries / 2; i < entries * 3 / 4; i++) {
      index.put(scatter(i), i);
    }
    assertHolds(index, entries * 3 / 4);
  }

  @ParameterizedTest
  @MethodSource("shapesAndLimits")
  void putAllStoresWhatFits(TreeShape shape, long limit) {
    LongIndex index = indexes.create(shape, IndexOptions.DEFAULT.withMemoryLimit(limit));
    long[] keys = LongStream.range(0, limit / 8).map(MemoryLimitTest::scatter).toArray();
    long[] values = LongStream.range(0, keys.length).toArray();
    assertThrows(MemoryLimitException.class, () -> index.putAll(keys, values));
    assertTrue(index.size() > 0);
    assertHolds(index, index.size());
  }

  @ParameterizedTest
  @MethodSource("shapesAndLimits")
  void bulkloadThatDoesNotFitLeavesAnEmptyUsableIndex(TreeShape shape, long limit) {
    LongIndex index = indexes.create(shape, IndexOptions.DEFAULT.withMemoryLimit(limit));
    long[] keys = LongStream.range(0, limit / 8).toArray();
    assertThrows(MemoryLimitException.class, () -> index.bulkload(keys, keys));
    assertTrue(index.isEmpty());
    index.verify();
    long[] few = LongStream.range(0, 100).toArray();
    index.bulkload(few, few);
    assertEquals(100, index.size());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaults")
  void emptyIndexIsAFewKib(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    IndexStatistics statistics = index.statistics();
    boolean onPages = index.variant().medium() == TreeVariant.Medium.PAGES;
    assertTrue(statistics.committedBytes() <= (onPages ? 16 << 10 : 4096), statistics::toString);
    assertFalse(statistics.hugePages());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#kinds")
  void growingPastAHugePageKeepsEverything(TreeShape shape) {
    HugePages[] usual = {HugePages.WHEN_GROWN};
    for (HugePages hugePages : TestSize.isThorough() ? HugePages.values() : usual) {
      LongIndex index = indexes.create(shape, IndexOptions.DEFAULT.withHugePages(hugePages));
      long entries = 0;
      while (index.statistics().usedBytes() < (3 << 20)) {
        for (int i = 0; i < 20_000; i++, entries++) {
          index.put(scatter(entries), entries);
        }
      }
      assertHolds(index, entries);
    }
  }

  /** Returns how many entries went in. */
  private static long insertUntilFull(LongIndex index) {
    long[] entries = {0};
    assertThrows(
        MemoryLimitException.class,
        () -> {
          while (true) {
            index.put(scatter(entries[0]), entries[0]);
            entries[0]++;
          }
        });
    assertTrue(entries[0] > 0);
    return entries[0];
  }

  private static void assertHolds(LongIndex index, long entries) {
    assertEquals(entries, index.size());
    for (long i = 0; i < entries; i++) {
      assertEquals(i, index.get(scatter(i)));
    }
  }

  /** Numbers to keys in no order: multiplied by an odd number, which no two share. */
  private static long scatter(long number) {
    return number * 0x9e37_79b9_7f4a_7c15L;
  }
}
