// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bplus.PbPlusTree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A pair that the predicate rejects is no pair, in every type of join and by every method. */
final class ResidualPredicateTest {
  private static final long MISSING = IndexOptions.DEFAULT.missingValue();
  private static final int KEYS = 300;

  /** Most rows have a partner; of these, some have the missing value, and some are rejected. */
  private static final ResidualPredicate SOME =
      (key, payload, value) -> ((key ^ payload ^ value) & 3) != 0;

  private final Map<Long, Long> inner = new HashMap<>();
  private final LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT);
  private final long[] keys = new Random(1).longs(1000, 0, 2 * KEYS).toArray();

  /** Tell the rows apart, also where they come in any order. */
  private final long[] payloads = LongStream.range(0, keys.length).map(i -> 5 * i + 2).toArray();

  /** A row of the output as a caller reads it, with the value that an unmatched row shows. */
  private record Row(long payload, long key, boolean matched, long value) {}

  /** What the predicate is asked. */
  private record Pair(long payload, long key, long value) {}

  static Stream<JoinOptions> everyOption() {
    return Stream.of(JoinType.values())
        .flatMap(
            type ->
                Stream.of(ProbeMethod.values()).map(JoinOptions.DEFAULT.withType(type)::withMethod))
        .flatMap(options -> Stream.of(7, JoinOptions.CHOSEN_BATCH_SIZE).map(options::withBatchSize))
        .flatMap(options -> Stream.of(true, false).map(options::withInOrder));
  }

  @BeforeEach
  void fillInnerSide() {
    Random random = new Random(2);
    for (long key = 0; key < 2 * KEYS; key++) {
      if (random.nextInt(4) > 0) {
        long value = random.nextInt(4) == 0 ? MISSING : random.nextLong();
        inner.put(key, value);
        index.put(key, value);
      }
    }
  }

  @AfterEach
  void closeIndex() {
    index.close();
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void rowsAreThoseWhosePairIsAccepted(JoinOptions options) {
    List<Row> expected = expected(options.type(), SOME);
    assertTrue(expected.size() > 100, "a case worth testing");
    assertEquals(expected, join(options.withResidual(SOME)));
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void everyPairIsAskedOnceAndNoRowWithoutPartner(JoinOptions options) {
    List<Pair> asked = new ArrayList<>();
    join(
        options.withResidual(
            (key, payload, value) -> {
              asked.add(new Pair(payload, key, value));
              return SOME.test(key, payload, value);
            }));
    asked.sort(Comparator.comparingLong(Pair::payload));
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      Long value = inner.get(keys[i]);
      if (value != null) {
        pairs.add(new Pair(payloads[i], keys[i], value));
      }
    }
    assertEquals(pairs, asked);
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void rowsWhosePairsAreAllRejectedHaveNoPartner(JoinOptions options) {
    List<Row> rows = join(options.withResidual((_, _, _) -> false));
    switch (options.type()) {
      case INNER, SEMI -> assertEquals(List.of(), rows);
      case LEFT, ANTI -> assertEquals(unmatched(options.type()), rows);
    }
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void predicateThatAcceptsAllChangesNothing(JoinOptions options) {
    assertEquals(join(options), join(options.withResidual((_, _, _) -> true)));
    assertEquals(expected(options.type(), (_, _, _) -> true), join(options));
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void storedMissingValueIsJudgedByThePredicate(JoinOptions options) {
    ResidualPredicate onlyMissing = (_, _, value) -> value == MISSING;
    List<Row> expected = expected(options.type(), onlyMissing);
    assertTrue(
        expected.stream().anyMatch(row -> row.matched() != (options.type() == JoinType.ANTI)));
    assertEquals(expected, join(options.withResidual(onlyMissing)));
  }

  /** The batches before are read and rejected without output. */
  @ParameterizedTest
  @MethodSource("everyOption")
  void pairInTheLastBatchIsFound(JoinOptions options) {
    long last = payloads[lastWithPartner()];
    ResidualPredicate onlyLast = (_, payload, _) -> payload == last;
    assertEquals(expected(options.type(), onlyLast), join(options.withResidual(onlyLast)));
  }

  @ParameterizedTest
  @EnumSource
  void indexBehindALockGivesTheSame(JoinType type) {
    JoinOptions options = JoinOptions.DEFAULT.withType(type).withResidual(SOME);
    assertEquals(expected(type, SOME), join(options, index.withReadWriteLock()));
  }

  @Test
  void failureOfThePredicatePassesThrough() {
    var failure = new ArithmeticException();
    JoinOptions options =
        JoinOptions.DEFAULT.withResidual(
            (_, _, _) -> {
              throw failure;
            });
    assertSame(failure, assertThrows(ArithmeticException.class, () -> join(options)));
  }

  private int lastWithPartner() {
    int last = keys.length - 1;
    while (!inner.containsKey(keys[last])) {
      last--;
    }
    return last;
  }

  private List<Row> unmatched(JoinType type) {
    return expected(type, (_, _, _) -> false);
  }

  /** The join by the textbook. */
  private List<Row> expected(JoinType type, ResidualPredicate residual) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      Long partner = inner.get(keys[i]);
      boolean matched = partner != null && residual.test(keys[i], payloads[i], partner);
      boolean kept =
          switch (type) {
            case INNER, SEMI -> matched;
            case LEFT -> true;
            case ANTI -> !matched;
          };
      if (kept) {
        long value = matched && type.hasInnerValues() ? partner : MISSING;
        rows.add(new Row(payloads[i], keys[i], matched, value));
      }
    }
    return rows;
  }

  private List<Row> join(JoinOptions options) {
    return join(options, index);
  }

  private List<Row> join(JoinOptions options, LongIndex over) {
    List<Row> rows = new ArrayList<>();
    try (var join = new IndexNestedLoopJoin(OuterSource.of(keys, payloads), over, options)) {
      join.open();
      while (join.next()) {
        JoinBatch batch = join.batch();
        assertTrue(batch.count() > 0);
        for (int row = 0; row < batch.count(); row++) {
          long value = options.type().hasInnerValues() ? batch.innerValue(row) : MISSING;
          rows.add(new Row(batch.outerPayload(row), batch.key(row), batch.isMatched(row), value));
        }
      }
      assertEquals(keys.length, join.statistics().rowsIn());
      assertEquals(rows.size(), join.statistics().rowsOut());
    }
    if (!options.inOrder()) {
      rows.sort(Comparator.comparingLong(Row::payload));
    }
    return rows;
  }
}
