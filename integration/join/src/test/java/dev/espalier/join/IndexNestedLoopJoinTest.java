// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.batch.ProbeChoice;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.family.Family;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The join gives what a hash join gives, whatever the type, method, batch size and tree. */
final class IndexNestedLoopJoinTest {
  private static final long MISSING = IndexOptions.DEFAULT.missingValue();

  private final Map<Long, Long> inner = new HashMap<>();
  private LongIndex index = Family.all().getFirst().create(IndexOptions.DEFAULT);

  static Stream<JoinOptions> everyOption() {
    return Stream.of(JoinType.values())
        .flatMap(
            type ->
                Stream.of(ProbeMethod.values())
                    .flatMap(
                        method ->
                            Stream.of(batchOf(method), 256, JoinOptions.CHOSEN_BATCH_SIZE)
                                .map(batch -> new JoinOptions(type, method, batch, true, null))));
  }

  /** Every fourth tree, and all in a thorough run. */
  private static List<TreeVariant> trees() {
    return TestSize.part(Family.all());
  }

  /** Buffers are made anew for each batch, so those of one row would take long. */
  private static int batchOf(ProbeMethod method) {
    return method == ProbeMethod.BUFFERED ? 70 : 1;
  }

  @BeforeEach
  void fillInnerSide() {
    Random random = new Random(7);
    put(Long.MIN_VALUE, 1);
    put(Long.MAX_VALUE, 2);
    put(-1, MISSING);
    put(0, 0);
    for (int i = 0; i < 2000; i++) {
      put(random.nextLong(-3000, 3000), random.nextInt(20) == 0 ? MISSING : random.nextLong());
    }
  }

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

  @ParameterizedTest
  @MethodSource("everyOption")
  void givesTheRowsOfAHashJoinInOuterOrder(JoinOptions options) {
    long[] keys = new Random(8).longs(3000, -3500, 3500).toArray();
    keys[10] = Long.MIN_VALUE;
    keys[11] = Long.MAX_VALUE;
    keys[12] = Long.MAX_VALUE - 1;
    keys[13] = -1;
    long[] payloads = new Random(9).longs(keys.length).toArray();
    List<JoinedRow> expected = JoinedRow.hashJoin(keys, payloads, inner, options.type());
    assertTrue(expected.size() > 500 && expected.size() <= keys.length, "a case worth testing");

    for (TreeVariant variant : trees()) {
      try (LongIndex tree = variant.create(IndexOptions.DEFAULT)) {
        inner.forEach(tree::put);
        assertEquals(expected, join(keys, payloads, tree, options), variant.name());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowsInAnyOrderAreTheSameRows(JoinType type) {
    long[] keys = new Random(8).longs(3000, -3500, 3500).toArray();
    long[] payloads = new Random(9).longs(keys.length, 0, Long.MAX_VALUE).toArray();
    JoinOptions options =
        JoinOptions.DEFAULT.withType(type).withMethod(ProbeMethod.BUFFERED).withInOrder(false);
    Comparator<JoinedRow> byPayload = Comparator.comparingLong(JoinedRow::payload);
    List<JoinedRow> expected = JoinedRow.hashJoin(keys, payloads, inner, type);
    expected.sort(byPayload);
    for (TreeVariant variant : trees()) {
      try (LongIndex tree = variant.create(IndexOptions.DEFAULT)) {
        inner.forEach(tree::put);
        List<JoinedRow> rows = join(keys, payloads, tree, options);
        rows.sort(byPayload);
        assertEquals(expected, rows, variant.name());
      }
    }
  }

  @Test
  void negativePayloadsKeepTheirOrderWhereAnyIsAllowed() {
    long[] keys = {0, 9999, -1, 0};
    long[] payloads = {3, -4, 2, 1};
    JoinOptions options = JoinOptions.DEFAULT.withMethod(ProbeMethod.BUFFERED).withInOrder(false);
    assertEquals(
        JoinedRow.hashJoin(keys, payloads, inner, JoinType.INNER),
        join(keys, payloads, index, options));
  }

  @ParameterizedTest
  @EnumSource
  void residualPredicateDecidesBesidesTheKey(ProbeMethod method) {
    long[] keys = new Random(8).longs(1000, -3500, 3500).toArray();
    long[] payloads = new Random(9).longs(keys.length).toArray();
    ResidualPredicate residual = (key, payload, value) -> ((key ^ payload ^ value) & 1) == 0;
    JoinOptions options = JoinOptions.DEFAULT.withMethod(method).withResidual(residual);
    List<JoinedRow> all = JoinedRow.hashJoin(keys, payloads, inner, JoinType.INNER);
    List<JoinedRow> expected =
        all.stream()
            .filter(row -> residual.test(row.key(), row.payload(), inner.get(row.key())))
            .toList();
    assertTrue(expected.size() > 100 && expected.size() < all.size() - 100, "a case worth testing");
    assertEquals(expected, join(keys, payloads, index, options));
    List<JoinedRow> semi = join(keys, payloads, index, options.withType(JoinType.SEMI));
    List<JoinedRow> anti = join(keys, payloads, index, options.withType(JoinType.ANTI));
    assertEquals(expected.size(), semi.size());
    assertEquals(keys.length - expected.size(), anti.size());
    assertEquals(keys.length, join(keys, payloads, index, options.withType(JoinType.LEFT)).size());
  }

  @Test
  void statisticsTellWhatAutoChoseAndWhy() {
    try (var join = new IndexNestedLoopJoin(new ScriptedSource(3), index, JoinOptions.DEFAULT)) {
      join.open();
      assertEquals(Optional.empty(), join.statistics().choice());
      assertTrue(join.next());
      assertEquals(
          new ProbeChoice(ProbeMethod.GROUP, "fewer than 4096 keys"),
          join.statistics().choice().orElseThrow());
    }
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void emptyOuterSideGivesNoRows(JoinOptions options) {
    assertEquals(List.of(), join(new long[0], new long[0], index, options));
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void emptyInnerSideMatchesNothing(JoinOptions options) {
    index.clear();
    inner.clear();
    long[] keys = {3, Long.MAX_VALUE, Long.MIN_VALUE, 3};
    long[] payloads = {0, 1, 2, 3};
    assertEquals(
        JoinedRow.hashJoin(keys, payloads, inner, options.type()),
        join(keys, payloads, index, options));
  }

  @ParameterizedTest
  @EnumSource
  void valueEqualToMissingValueIsAMatch(ProbeMethod method) {
    JoinOptions options = JoinOptions.DEFAULT.withMethod(method);
    assertEquals(
        List.of(new JoinedRow(-1, 5, true, MISSING)),
        join(new long[] {-1}, new long[] {5}, index, options));
    assertEquals(
        List.of(), join(new long[] {-1}, new long[] {5}, index, options.withType(JoinType.ANTI)));
  }

  @Test
  void unmatchedRowOfALeftJoinHasTheMissingValue() {
    try (var join = join(OuterSource.of(new long[] {9999}, new long[] {5}), JoinType.LEFT)) {
      join.open();
      assertTrue(join.next());
      assertFalse(join.batch().isMatched(0));
      assertEquals(MISSING, join.batch().innerValue(0));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SEMI", "ANTI"})
  void innerValuesOfTypesWithoutThemAreRefused(JoinType type) {
    try (var join = join(OuterSource.of(new long[] {0, 9999}, new long[2]), type)) {
      join.open();
      assertTrue(join.next());
      JoinBatch batch = join.batch();
      var e = assertThrows(IllegalStateException.class, () -> batch.innerValue(0));
      assertEquals("a join of type " + type + " has no inner values", e.getMessage());
    }
  }

  @Test
  void rowBeyondTheBatchIsRefused() {
    try (var join = join(OuterSource.of(new long[] {0}, new long[1]), JoinType.INNER)) {
      join.open();
      assertTrue(join.next());
      assertEquals(1, join.batch().count());
      assertThrows(IndexOutOfBoundsException.class, () -> join.batch().key(1));
      assertFalse(join.next());
      assertThrows(IndexOutOfBoundsException.class, () -> join.batch().key(0));
    }
  }

  @Test
  void statisticsCountRowsAndBatches() {
    OuterSource uneven = new ScriptedSource(3, 1, 2);
    try (var join = join(uneven, JoinType.SEMI)) {
      join.open();
      assertEquals(new JoinStatistics(0, 0, 0, 0, Optional.empty()), join.statistics());
      assertEquals(0, join.statistics().meanBatch());
      List<JoinedRow> rows = JoinedRow.drain(join, JoinType.SEMI);
      assertEquals(6, rows.size());
      assertEquals(new JoinStatistics(6, 6, 3, 3, Optional.empty()), join.statistics());
      assertEquals(2.0, join.statistics().meanBatch());
    }
  }

  @Test
  void batchesWithoutOutputAreSkipped() {
    long[] keys = {9999, 9999, 9999, 9999, 0, 9999};
    OuterSource outer = OuterSource.of(keys, new long[] {0, 1, 2, 3, 4, 5});
    JoinOptions options = JoinOptions.DEFAULT.withBatchSize(2);
    try (var join = new IndexNestedLoopJoin(outer, index, options)) {
      join.open();
      assertTrue(join.next());
      assertEquals(4, join.batch().outerPayload(0));
      assertEquals(3, join.statistics().batches());
      assertFalse(join.next());
      assertFalse(join.next());
    }
  }

  @Test
  void closedJoinCanBeOpenedAgain() {
    var join = join(OuterSource.of(new long[] {0, 9999}, new long[] {1, 2}), JoinType.ANTI);
    for (int run = 0; run < 2; run++) {
      join.open();
      assertEquals(1, JoinedRow.drain(join, JoinType.ANTI).size());
      assertEquals(new JoinStatistics(2, 1, 1, 2, Optional.empty()), join.statistics());
      join.close();
    }
  }

  @Test
  void callsOutOfOrderAreRefused() {
    var join = join(OuterSource.of(new long[0], new long[0]), JoinType.INNER);
    assertEquals(
        "the join is not open", assertThrows(IllegalStateException.class, join::next).getMessage());
    join.open();
    assertEquals(
        "the join is open already",
        assertThrows(IllegalStateException.class, join::open).getMessage());
    join.close();
    assertThrows(IllegalStateException.class, join::next);
  }

  @Test
  void closeReachesTheOuterSideOnceAndNotTheIndex() {
    ScriptedSource outer = new ScriptedSource(1);
    var join = join(outer, JoinType.INNER);
    join.close();
    assertEquals(0, outer.closed);
    join.open();
    join.close();
    join.close();
    assertEquals(1, outer.closed);
    assertFalse(index.isClosed());
  }

  @Test
  void closedIndexIsReported() {
    var join = join(OuterSource.of(new long[] {1}, new long[] {1}), JoinType.INNER);
    join.open();
    index.close();
    assertThrows(IllegalStateException.class, join::next);
  }

  @Test
  void failureOfTheOuterSidePassesThrough() {
    var failure = new IllegalStateException("disk gone");
    OuterSource failing =
        new ScriptedSource(1) {
          @Override
          public int nextBatch(long[] keys, long[] payloads) {
            throw failure;
          }
        };
    try (var join = join(failing, JoinType.INNER)) {
      join.open();
      assertSame(failure, assertThrows(IllegalStateException.class, join::next));
    }
  }

  @Test
  void wrongArgumentsAreNamedWithTheirValues() {
    OuterSource outer = OuterSource.of(new long[0], new long[0]);
    assertMessage(
        "outer is null", () -> new IndexNestedLoopJoin(nil(), index, JoinOptions.DEFAULT));
    assertMessage(
        "inner is null", () -> new IndexNestedLoopJoin(outer, nil(), JoinOptions.DEFAULT));
    assertMessage("options is null", () -> new IndexNestedLoopJoin(outer, index, nil()));
    assertMessage("type is null", () -> JoinOptions.DEFAULT.withType(nil()));
    assertMessage("method is null", () -> JoinOptions.DEFAULT.withMethod(nil()));
    assertMessage(
        "batchSize is -1 rows; it must be positive, or 0 to let the join choose",
        () -> JoinOptions.DEFAULT.withBatchSize(-1));
    assertMessage(
        "keys and payloads differ in length: keys.length=1, payloads.length=2",
        () -> OuterSource.of(new long[1], new long[2]));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 257})
  void impossibleNumberOfOuterRowsIsReported(int rows) {
    try (var join = join(new ScriptedSource(rows), JoinType.INNER)) {
      join.open();
      assertMessage("the outer side returned " + rows + " rows for a batch of 256", join::next);
    }
  }

  private IndexNestedLoopJoin join(OuterSource outer, JoinType type) {
    JoinOptions options = JoinOptions.DEFAULT.withMethod(ProbeMethod.GROUP).withType(type);
    return new IndexNestedLoopJoin(outer, index, options);
  }

  private static List<JoinedRow> join(
      long[] keys, long[] payloads, LongIndex index, JoinOptions options) {
    try (var join = new IndexNestedLoopJoin(OuterSource.of(keys, payloads), index, options)) {
      join.open();
      List<JoinedRow> rows = JoinedRow.drain(join, options.type());
      assertEquals(keys.length, join.statistics().rowsIn());
      assertEquals(rows.size(), join.statistics().rowsOut());
      return rows;
    }
  }

  private static void assertMessage(String message, Executable executable) {
    assertEquals(message, assertThrows(RuntimeException.class, executable).getMessage());
  }

  /** What a caller without null checking may pass. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nil() {
    return null;
  }

  /** Says it gives batches of certain sizes; all keys are 0. */
  private static class ScriptedSource implements OuterSource {
    private final int[] sizes;
    private int batch;
    private int closed;

    ScriptedSource(int... sizes) {
      this.sizes = sizes;
    }

    @Override
    public void open() {
      batch = 0;
    }

    @Override
    public int nextBatch(long[] keys, long[] payloads) {
      return batch < sizes.length ? sizes[batch++] : 0;
    }

    @Override
    public void close() {
      closed++;
    }
  }
}
