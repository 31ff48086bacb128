// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.family.Family;
import dev.espalier.join.NestedLoop.Entry;
import dev.espalier.join.NestedLoop.Row;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The as-of join gives what a nested loop gives, whatever the type, method, batch and tree. */
final class AsOfJoinTest {
  private static final long UNLIMITED = -1;
  private static final List<ProbeMethod> METHODS =
      List.of(ProbeMethod.AUTO, ProbeMethod.GROUP, ProbeMethod.SINGLE, ProbeMethod.SORTED);

  private final TreeMap<Long, Long> inner = new TreeMap<>();
  private final LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);

  @AfterEach
  void joinLeavesTheIndexSound() {
    if (!index.isClosed()) {
      index.verify();
      index.close();
    }
  }

  private void put(long key, long value) {
    inner.put(key, value);
    index.put(key, value);
  }

  private void fill(int entries) {
    Random random = new Random(1);
    for (int i = 0; i < entries; i++) {
      put(random.nextLong(-5000, 5000), random.nextInt(9) == 0 ? Long.MIN_VALUE : i);
    }
  }

  private static long[] randomKeys(int rows) {
    long[] keys = new Random(2).longs(rows, -6000, 6000).toArray();
    keys[0] = Long.MIN_VALUE;
    keys[1] = Long.MAX_VALUE;
    return keys;
  }

  /** Returns the latest entry at or before a row's key, if it is near enough, by exact numbers. */
  private List<Entry> partner(long key, long tolerance) {
    Entry latest = null;
    for (var entry : inner.entrySet()) {
      if (entry.getKey() <= key) {
        latest = new Entry(entry.getKey(), entry.getValue());
      }
    }
    if (latest == null) {
      return List.of();
    }
    BigInteger distance = BigInteger.valueOf(key).subtract(BigInteger.valueOf(latest.key()));
    boolean isNear =
        tolerance == UNLIMITED || distance.compareTo(BigInteger.valueOf(tolerance)) <= 0;
    return isNear ? List.of(latest) : List.of();
  }

  private List<Row> expected(long[] keys, long[] payloads, JoinType type, long tolerance) {
    return NestedLoop.join(keys, payloads, type, row -> partner(keys[row], tolerance));
  }

  private static AsOfJoin join(
      OuterSource outer, LongIndex tree, long tolerance, JoinOptions options) {
    return tolerance == UNLIMITED
        ? new AsOfJoin(outer, tree, options)
        : new AsOfJoin(outer, tree, tolerance, options);
  }

  @ParameterizedTest
  @EnumSource
  void givesTheRowsOfANestedLoopInOuterOrder(JoinType type) {
    assertJoins(randomKeys(1500), type);
  }

  @ParameterizedTest
  @EnumSource
  void givesThemForKeysThatAscend(JoinType type) {
    long[] keys = randomKeys(1500);
    Arrays.sort(keys);
    assertJoins(keys, type);
  }

  private void assertJoins(long[] keys, JoinType type) {
    fill(700);
    long[] payloads = new Random(3).longs(keys.length).toArray();
    for (long tolerance : new long[] {UNLIMITED, 0, 7, Long.MAX_VALUE}) {
      List<Row> expected = expected(keys, payloads, type, tolerance);
      for (TreeVariant variant : TestSize.part(Family.all())) {
        try (LongIndex tree = variant.create(IndexOptions.DEFAULT)) {
          inner.forEach(tree::put);
          for (ProbeMethod method : METHODS) {
            for (int batch : new int[] {1, 300, JoinOptions.CHOSEN_BATCH_SIZE}) {
              JoinOptions options = new JoinOptions(type, method, batch, true, null);
              AsOfJoin join = join(OuterSource.of(keys, payloads), tree, tolerance, options);
              assertEquals(
                  expected,
                  NestedLoop.drain(join, type),
                  () -> "%s, %s, tolerance %d".formatted(variant.name(), options, tolerance));
            }
          }
        }
      }
    }
  }

  @Test
  void keysBeforeAllEntriesAndAfterThemHaveTheirPartnersInAnyOrder() {
    for (long key = 0; key < 5; key++) {
      put(10 * key, key);
    }
    long[] keys = {-9, -8, -7, 0, 0, 5, 39, 40, 41, 99, 100, -1, 100};
    for (int rows : new int[] {keys.length - 2, keys.length}) { // ascending, and not
      long[] some = Arrays.copyOf(keys, rows);
      for (ProbeMethod method : METHODS) {
        JoinOptions options = JoinOptions.DEFAULT.withType(JoinType.LEFT).withMethod(method);
        long[] numbers = LongStream.range(0, rows).toArray();
        assertEquals(
            expected(some, numbers, JoinType.LEFT, UNLIMITED),
            NestedLoop.drain(new AsOfJoin(OuterSource.of(some), index, options), JoinType.LEFT));
      }
    }
  }

  @Test
  void distancesBeyondTheRangeOfLongsAreFarButNotUnlimited() {
    put(Long.MIN_VALUE, 1);
    long[] keys = {Long.MAX_VALUE, -1, 0};
    long[] rows = {0, 1, 2};
    for (long tolerance : new long[] {UNLIMITED, Long.MAX_VALUE, Long.MAX_VALUE - 1}) {
      assertEquals(
          expected(keys, rows, JoinType.LEFT, tolerance),
          NestedLoop.drain(
              join(
                  OuterSource.of(keys),
                  index,
                  tolerance,
                  JoinOptions.DEFAULT.withType(JoinType.LEFT)),
              JoinType.LEFT));
    }
  }

  @ParameterizedTest
  @EnumSource
  void severalThreadsHandOutWhatOneDoes(JoinType type) {
    fill(700);
    long[] keys = randomKeys(2000);
    long[] payloads = new Random(3).longs(keys.length).toArray();
    JoinOptions options = JoinOptions.DEFAULT.withType(type).withBatchSize(50);
    List<Row> rows =
        NestedLoop.gather(
            type,
            output ->
                ParallelJoin.run(
                    OuterSource.of(keys, payloads),
                    share -> new AsOfJoin(share, index, 7, options),
                    3,
                    output));
    Comparator<Row> byPayload = Comparator.comparingLong(Row::payload);
    rows.sort(byPayload);
    List<Row> expected = new ArrayList<>(expected(keys, payloads, type, 7));
    expected.sort(byPayload);
    assertEquals(expected, rows);
  }

  @Test
  void rowWithoutAPartnerHasNoInnerKeyAndTheMissingValue() {
    put(10, 1);
    try (AsOfJoin join =
        new AsOfJoin(
            OuterSource.of(new long[] {9, 12}),
            index,
            1,
            JoinOptions.DEFAULT.withType(JoinType.LEFT))) {
      join.open();
      assertTrue(join.next());
      assertFalse(join.batch().isMatched(0));
      assertFalse(join.batch().isMatched(1));
      assertEquals(index.missingValue(), join.batch().innerValue(1));
      assertEquals(
          "row 1 has no partner",
          assertThrows(IllegalStateException.class, () -> join.batch().innerKey(1)).getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void negativeToleranceIsRefused(long tolerance) {
    OuterSource outer = OuterSource.of(new long[0]);
    assertEquals(
        "tolerance is " + tolerance + "; it must not be negative",
        assertThrows(
                IllegalArgumentException.class,
                () -> new AsOfJoin(outer, index, tolerance, JoinOptions.DEFAULT))
            .getMessage());
  }

  @Test
  void whatTheJoinDoesNotSupportIsRefused() {
    OuterSource outer = OuterSource.of(new long[0]);
    assertEquals(
        "method is BUFFERED, which this join does not support",
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    new AsOfJoin(
                        outer, index, JoinOptions.DEFAULT.withMethod(ProbeMethod.BUFFERED)))
            .getMessage());
    assertThrows(
        IllegalArgumentException.class,
        () -> new AsOfJoin(outer, index, JoinOptions.DEFAULT.withResidual((_, _, _) -> true)));
  }

  @Test
  void closedIndexIsNamed() {
    index.close();
    OuterSource outer = OuterSource.of(new long[] {1});
    assertThrows(
        IllegalStateException.class, () -> new AsOfJoin(outer, index, JoinOptions.DEFAULT));
    JoinOptions single = JoinOptions.DEFAULT.withMethod(ProbeMethod.SINGLE);
    try (AsOfJoin join = new AsOfJoin(outer, index, single)) {
      join.open();
      assertThrows(IllegalStateException.class, join::next);
    }
  }

  @Test
  void statisticsCountRows() {
    put(10, 1);
    try (AsOfJoin join =
        new AsOfJoin(
            OuterSource.of(new long[] {9, 10, 11}), index, JoinOptions.DEFAULT.withBatchSize(2))) {
      join.open();
      while (join.next()) {
        assertTrue(join.batch().count() > 0);
      }
      assertEquals(3, join.statistics().rowsIn());
      assertEquals(2, join.statistics().rowsOut());
      assertEquals(2, join.statistics().batches());
      assertEquals(2, join.statistics().largestBatch());
    }
  }
}
