// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Words;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are hard to tell apart by digests, and what is special about pairs. */
@Tag("fallback-thorough")
class DigestCssTreeTest {
  private static final long ABSENT = -12_345;

  @RegisterExtension final Indexes indexes = new Indexes();

  // ---------------------------------------------------------------- search

  static Stream<Arguments> hardKeys() {
    return Stream.of(
        Arguments.of("none", new long[0]),
        Arguments.of("one", new long[] {42}),
        Arguments.of("the smallest", new long[] {Long.MIN_VALUE}),
        Arguments.of("the largest", new long[] {Long.MAX_VALUE}),
        Arguments.of("both ends", new long[] {Long.MIN_VALUE, Long.MAX_VALUE}),
        Arguments.of("both ends and zero", new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE}),
        Arguments.of("dense", LongStream.range(0, 5_000).toArray()),
        Arguments.of(
            "dense from the smallest",
            LongStream.range(0, 1_000).map(i -> Long.MIN_VALUE + i).toArray()),
        Arguments.of(
            "dense to the largest",
            LongStream.range(0, 1_000).map(i -> Long.MAX_VALUE - 999 + i).toArray()),
        Arguments.of("even", LongStream.range(0, 5_000).map(i -> 2 * i).toArray()),
        Arguments.of(
            "spans of 2^15 and a bit",
            LongStream.range(0, 1_000).map(i -> i * ((1L << 15) / 111) + i % 3).toArray()),
        Arguments.of(
            "spans beyond 2^32", LongStream.range(0, 1_000).map(i -> i * (3L << 36)).toArray()),
        Arguments.of("random", new SplittableRandom(1).longs(20_000).sorted().distinct().toArray()),
        Arguments.of("all digests of a leaf but one tied", tied(107)),
        Arguments.of("seven digests tied", tied(30)),
        Arguments.of("digests tied at the end", tiedAtTheEnd()),
        Arguments.of("gaps that double", IntStream.range(0, 63).mapToLong(i -> 1L << i).toArray()));
  }

  /** Leaves with {@code close} neighbours, then keys so far away that those have digest 0. */
  private static long[] tied(int close) {
    return LongStream.range(0, 20)
        .flatMap(
            leaf ->
                LongStream.range(0, DigestLeaf.CAPACITY)
                    .map(i -> (leaf << 58) + (i < close ? 3 * i : i << 50)))
        .toArray();
  }

  /** Leaves of one key, then others far away that all have the same digest. */
  private static long[] tiedAtTheEnd() {
    return LongStream.range(0, 20)
        .flatMap(
            leaf ->
                LongStream.range(0, DigestLeaf.CAPACITY)
                    .map(i -> (leaf << 58) + (i == 0 ? 0 : (1L << 57) + 3 * i)))
        .toArray();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hardKeys")
  void everyKeyIsFoundAndNothingBesideIt(String name, long[] keys) {
    DigestCssTree index = load(keys);
    index.verify();
    assertAnswers(index, model(keys));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hardKeys")
  void everyKeyIsFoundAfterHalfWereRemovedAndOthersCame(String name, long[] keys) {
    DigestCssTree index = load(keys);
    TreeMap<Long, Long> model = model(keys);
    for (int i = 0; i < keys.length; i += 2) {
      long key = keys[i];
      assertEquals(model.remove(key), index.remove(key));
      long other = key + 1;
      Long previous = model.put(other, 7L);
      assertEquals(previous == null ? ABSENT : previous, index.put(other, 7));
    }
    index.verify();
    assertAnswers(index, model);
    index.rebuild();
    index.verify();
    assertAnswers(index, model);
  }

  private static void assertAnswers(DigestCssTree index, TreeMap<Long, Long> model) {
    assertEquals(model, index.asMap());
    long[] probes =
        Stream.concat(
                Stream.of(0L, Long.MIN_VALUE, Long.MAX_VALUE),
                model.keySet().stream()
                    .flatMap(
                        key ->
                            Stream.of(
                                key,
                                key - 1,
                                key + 1,
                                key + (1L << 31),
                                key + (1L << 32),
                                key - (1L << 40),
                                key ^ Long.MIN_VALUE)))
            .mapToLong(Long::longValue)
            .toArray();
    long[] values = new long[probes.length];
    long[] found = new long[(probes.length + 63) / 64];
    index.getAll(probes, values, found);
    LongCursor cursor = index.cursor();
    for (int i = 0; i < probes.length; i++) {
      long probe = probes[i];
      long expected = model.getOrDefault(probe, ABSENT);
      assertEquals(expected, index.get(probe));
      assertEquals(expected, values[i]);
      assertEquals(model.containsKey(probe), (found[i >> 6] >>> i & 1) != 0);
      assertEquals(model.containsKey(probe), index.containsKey(probe));
      Long ceiling = model.ceilingKey(probe);
      assertEquals(ceiling != null, cursor.ceiling(probe));
      if (ceiling != null) {
        assertEquals(ceiling, cursor.key());
        assertEquals(model.get(ceiling), cursor.value());
      }
    }
  }

  // ---------------------------------------------------------------- layout

  @ParameterizedTest(name = "a span of {0} is shifted by {1}")
  @CsvSource({
    "0, 0",
    "1, 0",
    "0x7fff, 0",
    "0x8000, 1",
    "0xffff, 1",
    "0x10000, 2",
    "0x7fffffffffffffff, 48",
    "-1, 49"
  })
  void shiftLeaves15Bits(String span, int shift) {
    assertEquals(shift, DigestLeaf.shiftFor(Long.decode(span)));
  }

  @Test
  void leafHasBaseShiftAndADigestForEachLineButTheLast() {
    long[] keys = LongStream.range(0, 120).map(i -> 1_000 + (i << 20)).toArray();
    DigestCssTree index = load(keys);
    CssDirectory directory = index.tree.directory;
    assertEquals(1, directory.levels);
    assertEquals(64, directory.digestLeaf(0));
    assertEquals(128, directory.digestLeaf(1));
    assertEquals(1_000, Words.getLong(directory.nodes, 64));
    // 111 * 2^20 has 27 bits.
    assertEquals(12, Words.getUnsignedShort(directory.nodes, 64 + 8));
    for (int line = 0; line < 27; line++) {
      assertEquals((4 * line + 3) << 8, Words.getUnsignedShort(directory.nodes, 74 + 2 * line));
    }
    assertEquals(keys[112], Words.getLong(directory.nodes, 128));
    // The last leaf has two lines: one digest, of a span of 7 * 2^20.
    assertEquals(8, Words.getUnsignedShort(directory.nodes, 128 + 8));
    assertEquals(3 << 12, Words.getUnsignedShort(directory.nodes, 128 + 10));
    for (int line = 1; line < 27; line++) {
      assertEquals(Short.MAX_VALUE, Words.getUnsignedShort(directory.nodes, 138 + 2 * line));
    }
    assertEquals(112, index.rootView().child(0).count());
    assertEquals(8, index.rootView().child(1).count());
    assertEquals(64, index.rootView().child(0).bytes());
  }

  @Test
  void aMillionEntriesTakeLittleMoreThanTheirKeysAndValues() {
    DigestCssTree index = load(LongStream.range(0, 1_000_000).toArray());
    assertEquals(16.77, index.statistics().bytesPerEntry(), 0.02);
    assertEquals(8_929, index.statistics().leafNodes());
  }

  // ---------------------------------------------------------------- insert

  @ParameterizedTest(name = "limit {0}")
  @ValueSource(longs = {40_000, 500_003, 3 << 20})
  void rebuildThatDoesNotFitLeavesEverythingAsItWas(long limit) {
    DigestCssTree index =
        indexes.keep(DigestCssTree.create(IndexOptions.DEFAULT.withMemoryLimit(limit)));
    int[] entries = {0};
    assertThrows(
        MemoryLimitException.class,
        () -> {
          for (; ; entries[0]++) {
            index.put(scatter(entries[0]), entries[0]);
          }
        });
    double share = 16.7 * entries[0] / limit;
    assertTrue(share > 0.75, "entries fill " + share);
    List<Long> state = state(index.tree);
    assertThrows(MemoryLimitException.class, index::rebuild);
    assertEquals(state, state(index.tree));
    index.verify();
    for (int i = 0; i < entries[0]; i++) {
      assertEquals(i, index.get(scatter(i)));
    }
    for (int i = 0; i < entries[0] / 2; i++) {
      index.remove(scatter(i));
    }
    index.rebuild();
    index.verify();
    assertEquals(entries[0] - entries[0] / 2, index.tree.array.count);
  }

  private static List<Long> state(CssStructure tree) {
    return List.of(
        tree.array.count, tree.delta.count, tree.removed.count, tree.directory.usedBytes());
  }

  // ---------------------------------------------------------------- range scan

  /** A cursor stands in a copy of pairs, and sees what is overwritten all the same. */
  @Test
  void cursorSeesValuesThatAreOverwrittenByOthers() {
    DigestCssTree index = load(LongStream.range(0, 100).toArray());
    LongCursor cursor = index.cursor();
    LongCursor other = index.cursor();
    assertTrue(cursor.ceiling(50));
    assertTrue(other.ceiling(51));
    index.put(50, 1);
    assertEquals(1, cursor.value());
    cursor.setValue(2);
    assertEquals(2, cursor.value());
    assertEquals(2, index.get(50));
    other.setValue(3);
    assertTrue(cursor.next());
    assertEquals(3, cursor.value());
    index.put(10_000, 4);
    assertTrue(cursor.last());
    cursor.setValue(5);
    assertEquals(5, index.get(10_000));
    assertEquals(101, index.size());
    index.verify();
  }

  @Test
  void runsTogetherAreAllEntriesInOrder() {
    DigestCssTree index = load(LongStream.range(0, 1_000).map(i -> 10 * i).toArray());
    index.put(5_005, 1);
    index.remove(300);
    LongCursor cursor = index.cursor();
    LongRun run = new LongRun();
    TreeMap<Long, Long> seen = new TreeMap<>();
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++) {
        assertTrue(seen.isEmpty() || seen.lastKey() < run.key(i));
        seen.put(run.key(i), run.value(i));
      }
    }
    assertEquals(seen, index.asMap());
    assertEquals(1_000, seen.size());
  }

  private DigestCssTree load(long[] keys) {
    DigestCssTree index =
        indexes.keep(DigestCssTree.create(IndexOptions.DEFAULT.withMissingValue(ABSENT)));
    index.bulkload(keys, Arrays.stream(keys).map(DigestCssTreeTest::value).toArray());
    return index;
  }

  private static TreeMap<Long, Long> model(long[] keys) {
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key : keys) {
      model.put(key, value(key));
    }
    return model;
  }

  private static long value(long key) {
    return ~key;
  }

  /** Numbers to keys in no order: multiplied by an odd number, which no two share. */
  private static long scatter(long number) {
    return number * 0x9e37_79b9_7f4a_7c15L;
  }
}
