// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The band join gives what a nested loop gives, whatever the type, method, batch and tree. */
final class BandJoinTest {
  private final TreeMap<Long, Long> inner = new TreeMap<>();
  private final LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);

  private final long[] lows = new long[600];
  private final long[] highs = new long[lows.length];
  private final long[] payloads = new Random(3).longs(lows.length).toArray();

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

  /** Intervals of no entry, of some, and of all. */
  private void fill() {
    Random random = new Random(1);
    put(Long.MIN_VALUE, 1);
    put(Long.MAX_VALUE, 2);
    for (int i = 0; i < 500; i++) {
      put(random.nextLong(-1500, 1500), random.nextInt(9) == 0 ? Long.MIN_VALUE : i);
    }
    for (int row = 0; row < lows.length; row++) {
      lows[row] = random.nextLong(-1800, 1800);
      highs[row] = lows[row] + random.nextLong(-3, 1L << random.nextInt(1, 9));
    }
    lows[5] = Long.MIN_VALUE;
    highs[5] = Long.MAX_VALUE;
    highs[6] = Long.MAX_VALUE;
    lows[7] = Long.MAX_VALUE;
    highs[7] = Long.MIN_VALUE;
  }

  private List<Row> expected(JoinType type, ResidualPredicate residual) {
    return NestedLoop.join(
        lows,
        payloads,
        type,
        row -> {
          List<Entry> partners = new ArrayList<>();
          inner.forEach(
              (key, value) -> {
                if (lows[row] <= key
                    && key <= highs[row]
                    && residual.test(key, payloads[row], value)) {
                  partners.add(new Entry(key, value));
                }
              });
          return partners;
        });
  }

  @ParameterizedTest
  @EnumSource
  void givesTheRowsOfANestedLoopInOuterOrder(JoinType type) {
    fill();
    ResidualPredicate some = (key, payload, value) -> (key + payload + value) % 3 == 0;
    List<Row> all = expected(type, (_, _, _) -> true);
    List<Row> those = expected(type, some);
    assertTrue(all.size() > 100 && those.size() > 100, "a case worth testing");
    for (TreeVariant variant : TestSize.part(Family.all())) {
      try (LongIndex tree = variant.create(IndexOptions.DEFAULT)) {
        inner.forEach(tree::put);
        for (ProbeMethod method : List.of(ProbeMethod.GROUP, ProbeMethod.SINGLE)) {
          for (int batch : new int[] {1, 7, 300, JoinOptions.CHOSEN_BATCH_SIZE}) {
            JoinOptions options = new JoinOptions(type, method, batch, true, null);
            String message = variant.name() + ", " + options;
            assertEquals(all, rows(tree, options), message);
            assertEquals(those, rows(tree, options.withResidual(some)), message);
          }
        }
      }
    }
  }

  private List<Row> rows(LongIndex tree, JoinOptions options) {
    IntervalSource outer = IntervalSource.of(lows, highs, payloads);
    return NestedLoop.drain(new BandJoin(outer, tree, options), options.type());
  }

  @ParameterizedTest
  @EnumSource
  void severalThreadsHandOutWhatOneDoes(JoinType type) {
    fill();
    JoinOptions options = JoinOptions.DEFAULT.withType(type).withBatchSize(20);
    List<Row> rows =
        NestedLoop.gather(
            type,
            output ->
                ParallelJoin.run(
                    IntervalSource.of(lows, highs, payloads),
                    share -> new BandJoin(share, index, options),
                    3,
                    output));
    Comparator<Row> byPayload = Comparator.comparingLong(Row::payload); // A stable sort.
    rows.sort(byPayload);
    List<Row> expected = new ArrayList<>(expected(type, (_, _, _) -> true));
    expected.sort(byPayload);
    assertEquals(expected, rows);
  }

  @Test
  void indexMayChangeBetweenTwoBatches() {
    for (long key = 0; key < 200; key++) {
      put(key, key);
    }
    IntervalSource outer =
        IntervalSource.of(new long[] {0, 50}, new long[] {1000, 60}, new long[2]);
    List<Long> keys = new ArrayList<>();
    try (BandJoin join = new BandJoin(outer, index, JoinOptions.DEFAULT.withBatchSize(10))) {
      join.open();
      while (join.next()) {
        for (int row = 0; row < join.batch().count(); row++) {
          keys.add(join.batch().innerKey(row));
        }
        if (keys.size() == 10) {
          index.removeRange(5, true, 199, true);
          index.put(55, 1);
          index.put(999, 2);
        }
      }
    }
    assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 55L, 999L, 55L), keys);
  }

  @Test
  void intervalsAroundKeysEndAtTheLeastAndTheGreatestLong() {
    long[] keys = {Long.MIN_VALUE + 3, 0, Long.MAX_VALUE - 3};
    IntervalSource source = IntervalSource.around(OuterSource.of(keys), 5, 4);
    long[] low = new long[4];
    long[] high = new long[4];
    long[] payload = new long[4];
    source.open();
    assertEquals(3, source.nextBatch(low, high, payload));
    assertEquals(
        List.of(Long.MIN_VALUE, -5L, Long.MAX_VALUE - 8),
        Arrays.stream(low).limit(3).boxed().toList());
    assertEquals(
        List.of(Long.MIN_VALUE + 7, 4L, Long.MAX_VALUE),
        Arrays.stream(high).limit(3).boxed().toList());
    assertEquals(List.of(0L, 1L, 2L), Arrays.stream(payload).limit(3).boxed().toList());
    assertEquals(0, source.nextBatch(low, high, payload));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 301})
  void impossibleNumberOfRowsIsRefused(int rows) {
    OuterSource wrong =
        new OuterSource() {
          @Override
          public void open() {}

          @Override
          public int nextBatch(long[] keys, long[] payloads) {
            return rows;
          }

          @Override
          public void close() {}
        };
    JoinOptions options = JoinOptions.DEFAULT.withBatchSize(300);
    try (BandJoin join = new BandJoin(IntervalSource.around(wrong, 1, 1), index, options)) {
      join.open();
      assertEquals(
          "the outer side returned " + rows + " rows for a batch of 300",
          assertThrows(IllegalStateException.class, join::next).getMessage());
    }
  }

  @Test
  void wrongArgumentsAreNamed() {
    OuterSource outer = OuterSource.of(new long[0]);
    assertEquals(
        "below is -1; it must not be negative",
        assertThrows(IllegalArgumentException.class, () -> IntervalSource.around(outer, -1, 0))
            .getMessage());
    assertEquals(
        "above is -2; it must not be negative",
        assertThrows(IllegalArgumentException.class, () -> IntervalSource.around(outer, 0, -2))
            .getMessage());
    assertThrows(
        IllegalArgumentException.class,
        () -> IntervalSource.of(new long[1], new long[2], new long[1]));
    assertThrows(
        IllegalArgumentException.class,
        () -> IntervalSource.of(new long[1], new long[1], new long[2]));
    IntervalSource source = IntervalSource.of(new long[0], new long[0], new long[0]);
    assertThrows(
        IllegalArgumentException.class,
        () -> new BandJoin(source, index, JoinOptions.DEFAULT.withMethod(ProbeMethod.SORTED)));
  }
}
