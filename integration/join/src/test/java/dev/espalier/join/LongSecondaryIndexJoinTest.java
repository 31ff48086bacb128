// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.css.CssTree;
import dev.espalier.join.NestedLoop.Entry;
import dev.espalier.join.NestedLoop.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The join gives what a nested loop gives, whatever the type, method and batch. */
final class LongSecondaryIndexJoinTest {
  private static final int PAIRS = 1500;

  private final TreeSet<Entry> inner =
      new TreeSet<>(Comparator.comparingLong(Entry::key).thenComparingLong(Entry::value));

  private final LongSecondaryIndex index =
      LongSecondaryIndex.over(CssTree.create(IndexOptions.DEFAULT));

  private final long[] keys = new Random(2).longs(1000, -450, 450).toArray();
  private final long[] payloads = new Random(3).longs(keys.length, 0, Long.MAX_VALUE).toArray();

  /** Keys of no id, of some, and of many. */
  @BeforeEach
  void fill() {
    Random random = new Random(1);
    long[] pairKeys = new long[PAIRS];
    long[] ids = new long[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
      pairKeys[i] = random.nextInt(5) == 0 ? 7 : random.nextLong(-400, 400);
      ids[i] = random.nextInt(9) == 0 ? Long.MIN_VALUE : random.nextLong();
      inner.add(new Entry(pairKeys[i], ids[i]));
    }
    index.bulkload(pairKeys, ids);
    keys[0] = Long.MIN_VALUE;
    keys[1] = Long.MAX_VALUE;
    keys[2] = 7;
  }

  @AfterEach
  void joinLeavesTheIndexSound() {
    index.verify();
    index.close();
  }

  private List<Row> expected(JoinType type, ResidualPredicate residual) {
    return NestedLoop.join(
        keys,
        payloads,
        type,
        row ->
            inner.stream()
                .filter(entry -> entry.key() == keys[row])
                .filter(entry -> residual.test(entry.key(), payloads[row], entry.value()))
                .toList());
  }

  private List<Row> rows(JoinOptions options) {
    return NestedLoop.drain(
        new LongSecondaryIndexJoin(OuterSource.of(keys, payloads), index, options), options.type());
  }

  @ParameterizedTest
  @EnumSource
  void givesTheRowsOfANestedLoopInOuterOrder(JoinType type) {
    ResidualPredicate some = (key, payload, value) -> (key + payload + value) % 3 == 0;
    List<Row> all = expected(type, (_, _, _) -> true);
    List<Row> those = expected(type, some);
    assertTrue(all.size() > 100 && those.size() > 100, "a case worth testing");
    for (ProbeMethod method : ProbeMethod.values()) {
      int small = method == ProbeMethod.BUFFERED ? 70 : 1;
      for (int batch : new int[] {small, 300, JoinOptions.CHOSEN_BATCH_SIZE}) {
        JoinOptions options = new JoinOptions(type, method, batch, true, null);
        assertEquals(all, rows(options), options.toString());
        assertEquals(those, rows(options.withResidual(some)), options.toString());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowsInAnyOrderAreTheSameRows(JoinType type) {
    List<Row> expected = byPayload(expected(type, (_, _, _) -> true));
    JoinOptions options =
        JoinOptions.DEFAULT.withType(type).withMethod(ProbeMethod.BUFFERED).withInOrder(false);
    assertEquals(expected, byPayload(rows(options)));
  }

  @ParameterizedTest
  @EnumSource
  void severalThreadsHandOutWhatOneDoes(JoinType type) {
    JoinOptions options = JoinOptions.DEFAULT.withType(type).withBatchSize(20);
    List<Row> rows =
        NestedLoop.gather(
            type,
            output ->
                ParallelJoin.run(
                    OuterSource.of(keys, payloads),
                    share -> new LongSecondaryIndexJoin(share, index, options),
                    3,
                    output));
    assertEquals(byPayload(expected(type, (_, _, _) -> true)), byPayload(rows));
  }

  private static List<Row> byPayload(List<Row> rows) {
    List<Row> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparingLong(Row::payload)); // A stable sort.
    return sorted;
  }

  @Test
  void indexMayChangeBetweenTwoBatches() {
    for (int variation = 0; variation < 3; variation++) {
      try (LongSecondaryIndex changing = LongSecondaryIndex.create()) {
        for (long id = 0; id < 20; id++) {
          changing.add(1, id);
        }
        changing.add(2, 100);
        changing.add(4, 400);
        OuterSource outer = OuterSource.of(new long[] {1, 2, 3, 4});
        JoinOptions options =
            JoinOptions.DEFAULT.withType(JoinType.LEFT).withMethod(ProbeMethod.GROUP);
        List<String> rows = new ArrayList<>();
        try (var join = new LongSecondaryIndexJoin(outer, changing, options.withBatchSize(10))) {
          join.open();
          while (join.next()) {
            JoinBatch batch = join.batch();
            for (int row = 0; row < batch.count(); row++) {
              rows.add(
                  batch.key(row) + " " + (batch.isMatched(row) ? batch.innerValue(row) : "none"));
            }
            if (rows.size() == 10) {
              change(changing, variation);
            }
          }
        }
        List<String> expected = new ArrayList<>();
        for (int id = 0; id < 10; id++) {
          expected.add("1 " + id);
        }
        expected.addAll(
            switch (variation) {
              case 0 -> List.of("1 18", "1 19", "1 30");
              case 1 -> List.of("1 5000");
              default -> List.of();
            });
        expected.addAll(List.of("2 100", "2 101", "3 300", "4 none"));
        assertEquals(expected, rows);
      }
    }
  }

  private static void change(LongSecondaryIndex index, int variation) {
    for (long id = variation == 0 ? 8 : 0; id < (variation == 0 ? 18 : 20); id++) {
      index.remove(1, id);
    }
    switch (variation) {
      case 0 -> index.add(1, 30);
      case 1 -> index.add(1, 5000);
      default -> {}
    }
    index.add(2, 101);
    index.add(3, 300);
    index.remove(4, 400);
  }
}
