// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Joins over byte strings give what a hash join gives, with one partner for a key or several. */
final class BytesJoinTest {
  private static final String NO_VALUE = "none";

  /** Values, and ids, of each key. */
  private final Map<String, String> values = new HashMap<>();

  private final Map<String, TreeSet<Long>> ids = new HashMap<>();
  private final BytesIndex unique = PrefixBPlusTree.create();
  private final BytesIndex entries = PrefixBPlusTree.create();
  private final SecondaryIndex<byte[]> secondary =
      SecondaryIndex.over(entries, BytesKeyCodec.ofBytes());
  private final List<byte[]> outerKeys = new ArrayList<>();
  private long[] payloads = {};

  /** A row of output: what is told apart by it. */
  private record Row(String key, long payload, boolean matched, String value) {}

  @Test
  void valuesThatDoNotFitIntoABatchAreNamed() {
    BytesJoinBatch batch = new BytesJoinBatch(JoinType.INNER, 1);
    batch.begin(PackedBytes.of(List.of(new byte[] {1})));
    ArithmeticException refused =
        assertThrows(
            ArithmeticException.class,
            () -> batch.take(0, MemorySegment.NULL, 0, 0, 0, Integer.MAX_VALUE - 7));
    assertEquals(
        "the values of a batch have more than 2147483639 bytes; smaller batches have fewer",
        refused.getMessage());
  }

  /**
   * Keys that are prefixes of one another, and have the bytes that tuples write in a special way.
   */
  private static byte[] randomKey(Random random) {
    byte[] key = new byte[random.nextInt(10)];
    byte[] letters = {0, -1, 1, 'a'};
    for (int i = 0; i < key.length; i++) {
      key[i] = letters[random.nextInt(letters.length)];
    }
    return key;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static String hex(MemorySegment bytes) {
    return hex(bytes.toArray(ValueLayout.JAVA_BYTE));
  }

  @BeforeEach
  void fillBothSides() {
    Random random = new Random(3);
    for (int i = 0; i < 3_000; i++) {
      byte[] key = randomKey(random);
      byte[] value = new byte[i % 500 == 0 ? 20_000 : random.nextInt(40)];
      random.nextBytes(value);
      unique.set(key, value);
      values.put(hex(key), hex(value));
      long id = random.nextInt(100) - 50;
      secondary.add(key, id);
      ids.computeIfAbsent(hex(key), _ -> new TreeSet<>()).add(id);
    }
    for (int i = 0; i < 3_000; i++) {
      outerKeys.add(randomKey(random));
    }
    outerKeys.set(1_234, new byte[BytesIndex.MAX_KEY + 1]); // No index has such a key.
    payloads = random.longs(outerKeys.size()).toArray();
  }

  @AfterEach
  void joinsLeaveTheIndexesSound() {
    if (!unique.isClosed()) {
      unique.verify();
      unique.close();
    }
    entries.verify();
    entries.close();
  }

  private BytesOuterSource outer() {
    return BytesOuterSource.of(PackedBytes.of(outerKeys), payloads);
  }

  private static List<Row> sorted(List<Row> rows) {
    return rows.stream()
        .sorted(Comparator.comparingLong(Row::payload).thenComparing(Row::value))
        .toList();
  }

  // ---------------------------------------------------------------- one partner

  private List<Row> expectedUnique(JoinType type) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < payloads.length; i++) {
      String key = hex(outerKeys.get(i));
      String value = values.get(key);
      if (type.keeps(value != null)) {
        boolean hasValue = value != null && type.hasInnerValues();
        rows.add(new Row(key, payloads[i], value != null, hasValue ? value : NO_VALUE));
      }
    }
    return rows;
  }

  private List<Row> joinUnique(JoinOptions options) {
    List<Row> rows = new ArrayList<>();
    try (var join = new BytesIndexJoin(outer(), unique, options)) {
      join.open();
      while (join.next()) {
        BytesJoinBatch batch = join.batch();
        assertTrue(batch.count() > 0);
        for (int row = 0; row < batch.count(); row++) {
          boolean hasValue = batch.isMatched(row) && options.type().hasInnerValues();
          rows.add(
              new Row(
                  hex(batch.key(row)),
                  batch.outerPayload(row),
                  batch.isMatched(row),
                  hasValue ? hex(batch.innerValue(row)) : NO_VALUE));
        }
      }
      assertFalse(join.next());
      assertEquals(rows.size(), join.statistics().rowsOut());
      assertEquals(payloads.length, join.statistics().rowsIn());
    }
    return rows;
  }

  private static Stream<Integer> batchSizes() {
    return TestSize.isThorough()
        ? Stream.of(1, 7, 256, JoinOptions.CHOSEN_BATCH_SIZE)
        : Stream.of(7, JoinOptions.CHOSEN_BATCH_SIZE);
  }

  static Stream<JoinOptions> everyOption() {
    return Stream.of(JoinType.values())
        .flatMap(
            type ->
                Stream.of(
                        ProbeMethod.SINGLE, ProbeMethod.GROUP, ProbeMethod.SORTED, ProbeMethod.AUTO)
                    .flatMap(
                        method ->
                            batchSizes()
                                .map(batch -> new JoinOptions(type, method, batch, true, null))));
  }

  @ParameterizedTest
  @MethodSource("everyOption")
  void indexJoinGivesTheRowsOfAHashJoinInOuterOrder(JoinOptions options) {
    List<Row> expected = expectedUnique(options.type());
    assertTrue(expected.size() > 500, expected.size() + " rows");
    assertEquals(expected, joinUnique(options));
    assertEquals(sorted(expected), sorted(joinUnique(options.withInOrder(false))));
  }

  @Test
  void sortedRowsInAnyOrderComeInTheOrderOfTheirKeys() {
    List<Row> rows =
        joinUnique(JoinOptions.DEFAULT.withMethod(ProbeMethod.SORTED).withInOrder(false));
    assertEquals(rows.stream().sorted(Comparator.comparing(Row::key)).toList(), rows);
  }

  // ---------------------------------------------------------------- several partners

  private List<Row> expectedMany(JoinType type) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < payloads.length; i++) {
      String key = hex(outerKeys.get(i));
      TreeSet<Long> partners = ids.get(key);
      if (!type.keeps(partners != null)) {
        continue;
      }
      if (partners == null || !type.hasInnerValues()) {
        rows.add(new Row(key, payloads[i], partners != null, NO_VALUE));
      } else {
        for (long id : partners) {
          rows.add(new Row(key, payloads[i], true, "" + id));
        }
      }
    }
    return rows;
  }

  private List<Row> joinMany(JoinOptions options) {
    List<Row> rows = new ArrayList<>();
    try (var join = new SecondaryIndexJoin(outer(), secondary, options)) {
      join.open();
      while (join.next()) {
        IdJoinBatch batch = join.batch();
        assertTrue(batch.count() > 0);
        for (int row = 0; row < batch.count(); row++) {
          boolean hasId = batch.isMatched(row) && options.type().hasInnerValues();
          rows.add(
              new Row(
                  hex(batch.key(row)),
                  batch.outerPayload(row),
                  batch.isMatched(row),
                  hasId ? "" + batch.id(row) : NO_VALUE));
        }
      }
      assertFalse(join.next());
      assertEquals(rows.size(), join.statistics().rowsOut());
      assertEquals(payloads.length, join.statistics().rowsIn());
    }
    return rows;
  }

  static Stream<JoinOptions> everySecondaryOption() {
    return everyOption()
        .filter(options -> options.method() != ProbeMethod.GROUP)
        .map(options -> options.withInOrder(options.method() != ProbeMethod.SORTED));
  }

  @ParameterizedTest
  @MethodSource("everySecondaryOption")
  void secondaryJoinGivesARowForEachId(JoinOptions options) {
    List<Row> expected = expectedMany(options.type());
    assertTrue(expected.size() > 500, expected.size() + " rows");
    if (options.inOrder()) {
      assertEquals(expected, joinMany(options));
    }
    assertEquals(sorted(expected), sorted(joinMany(options.withInOrder(false))));
  }

  /** More ids than a batch takes, and than a page of the tree. */
  @ParameterizedTest
  @ValueSource(ints = {1, 255, 256, 257, 20_000})
  void idsOfOneKeyGoOnInFurtherBatches(int count) {
    byte[] key = "many".getBytes(StandardCharsets.UTF_8);
    outerKeys.clear();
    outerKeys.add(key);
    outerKeys.add(key);
    payloads = new long[] {1, 2};
    ids.clear();
    TreeSet<Long> expected = new TreeSet<>();
    for (long id = 0; id < count; id++) {
      secondary.add(key, id);
      expected.add(id);
    }
    ids.put(hex(key), expected);
    assertEquals(expectedMany(JoinType.INNER), joinMany(JoinOptions.DEFAULT));
    assertEquals(2, joinMany(JoinOptions.DEFAULT.withType(JoinType.SEMI)).size());
  }

  // ---------------------------------------------------------------- misuse

  @Test
  void joinsCanBeOpenedAgainButNotTwice() {
    var join = new SecondaryIndexJoin(outer(), secondary, JoinOptions.DEFAULT);
    var other = new BytesIndexJoin(outer(), unique, JoinOptions.DEFAULT);
    assertThrows(IllegalStateException.class, join::next);
    assertThrows(IllegalStateException.class, other::next);
    for (int round = 0; round < 2; round++) {
      join.open();
      other.open();
      assertThrows(IllegalStateException.class, join::open);
      assertThrows(IllegalStateException.class, other::open);
      assertTrue(join.next());
      assertTrue(other.next());
      assertSame(join.batch(), join.batch());
      assertEquals(256, join.statistics().rowsIn());
      join.close();
      other.close();
      assertEquals(0, join.batch().count());
      assertThrows(IndexOutOfBoundsException.class, () -> other.batch().key(0));
    }
  }

  @Test
  void valuesThatAreNotThereAreRefused() {
    JoinOptions left = JoinOptions.DEFAULT.withType(JoinType.LEFT);
    outerKeys.clear();
    outerKeys.add("absent".getBytes(StandardCharsets.UTF_8));
    payloads = new long[] {7};
    try (var join = new SecondaryIndexJoin(outer(), secondary, left);
        var other = new BytesIndexJoin(outer(), unique, left)) {
      join.open();
      other.open();
      assertTrue(join.next());
      assertTrue(other.next());
      assertEquals(7, other.batch().outerPayload(0));
      var e = assertThrows(IllegalStateException.class, () -> join.batch().id(0));
      assertEquals("row 0 has no partner", e.getMessage());
      e = assertThrows(IllegalStateException.class, () -> other.batch().innerValue(0));
      assertEquals("row 0 has no partner", e.getMessage());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SEMI", "ANTI"})
  void typesWithoutInnerValuesSaySo(JoinType type) {
    JoinOptions options = JoinOptions.DEFAULT.withType(type);
    try (var join = new SecondaryIndexJoin(outer(), secondary, options);
        var other = new BytesIndexJoin(outer(), unique, options)) {
      join.open();
      other.open();
      assertTrue(join.next());
      assertTrue(other.next());
      assertThrows(IllegalStateException.class, () -> join.batch().id(0));
      assertThrows(IllegalStateException.class, () -> other.batch().innerValue(0));
    }
  }

  @Test
  void optionsThatAreForLongsAreRefused() {
    JoinOptions residual = JoinOptions.DEFAULT.withResidual((_, _, _) -> true);
    JoinOptions buffered = JoinOptions.DEFAULT.withMethod(ProbeMethod.BUFFERED);
    JoinOptions group = JoinOptions.DEFAULT.withMethod(ProbeMethod.GROUP);
    JoinOptions sorted = JoinOptions.DEFAULT.withMethod(ProbeMethod.SORTED);
    for (JoinOptions options : List.of(residual, buffered)) {
      assertThrows(
          IllegalArgumentException.class, () -> new BytesIndexJoin(outer(), unique, options));
    }
    for (JoinOptions options : List.of(residual, buffered, group, sorted)) {
      assertThrows(
          IllegalArgumentException.class,
          () -> new SecondaryIndexJoin(outer(), secondary, options));
    }
  }

  @Test
  void outerSidesThatAreWrongAreRefused() {
    PackedBytes keys = PackedBytes.of(outerKeys);
    assertThrows(
        IllegalArgumentException.class, () -> BytesOuterSource.of(keys, new long[] {1, 2}));
    BytesOuterSource tooMany =
        new BytesOuterSource() {
          @Override
          public void open() {}

          @Override
          public PackedBytes nextBatch(long[] wanted) {
            return keys;
          }

          @Override
          public void close() {}
        };
    try (var join = new BytesIndexJoin(tooMany, unique, JoinOptions.DEFAULT);
        var other = new SecondaryIndexJoin(tooMany, secondary, JoinOptions.DEFAULT)) {
      join.open();
      other.open();
      String message = "the outer side returned 3000 rows for a batch of 256";
      assertEquals(message, assertThrows(IllegalStateException.class, join::next).getMessage());
      assertEquals(message, assertThrows(IllegalStateException.class, other::next).getMessage());
    }
  }

  @Test
  void closedIndexIsRefused() {
    try (var join = new BytesIndexJoin(outer(), unique, JoinOptions.DEFAULT)) {
      join.open();
      assertTrue(join.next());
      unique.close();
      assertThrows(IllegalStateException.class, join::next);
    }
  }
}
