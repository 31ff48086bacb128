// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.choices.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafPlace;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arrays of pointers to leaves outside the tree. Leaves of one line have three entries. */
@Tag("fallback-thorough")
class JumpPointerArrayTest {
  private static final Geometry SMALLEST = new Geometry(1, 1, 3);

  // ---------------------------------------------------------------- chunked

  @ParameterizedTest(name = "a chunk of {0} lines has {1} slots")
  @CsvSource({"1, 12", "2, 28", "3, 44", "4, 60"})
  void chunkHoldsAsManyPointersAsFit(int width, int capacity) {
    assertEquals(capacity, new JumpPointerChunk(width).capacity);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 5, 64})
  void chunkOfAnotherWidthIsRefused(int width) {
    assertThrows(IllegalArgumentException.class, () -> JumpPointers.chunked(width));
  }

  @Test
  void ascendingInsertsFillEveryChunkButTheLast() {
    try (ConfigurablePbPlusTree tree = create(JumpPointers.chunked(1))) {
      LongStream.range(0, 3 * 30).forEach(key -> tree.put(key, key));
      tree.verify();
      assertEquals("111111111111 / 111111111111 / 111111......", occupied(tree), "three chunks");
    }
  }

  @Test
  void fullChunkThatIsNotTheLastSplitsInHalvesAndSpreadsThem() {
    try (ConfigurablePbPlusTree tree = create(JumpPointers.chunked(1))) {
      LongStream.range(0, 3 * 30).forEach(key -> tree.put(10 * key, key));
      tree.put(5, 5);
      tree.verify();
      assertEquals(
          "111.1.1.1.1. / 1.1.1.1.1.1. / 111111111111 / 111111......",
          occupied(tree),
          "the first leaf's new neighbour is behind it, where a slot is empty");
    }
  }

  @Test
  void newPointerTakesTheNearestEmptySlotOnTheLeft() {
    try (ConfigurablePbPlusTree tree = create(JumpPointers.chunked(1))) {
      LongStream.range(0, 3 * 12).forEach(key -> tree.put(10 * key, key));
      LongStream.range(0, 3).forEach(i -> tree.remove(10 * i));
      assertEquals("1.1111111111", occupied(tree), "a merge leaves its slot empty");
      tree.put(75, 75);
      tree.verify();
      assertEquals("111111111111", occupied(tree));
    }
  }

  @Test
  void bulkloadSpreadsPointersOverTwoThirdsOfAChunk() {
    try (ConfigurablePbPlusTree tree = create(JumpPointers.chunked(1))) {
      long[] keys = LongStream.range(0, 3 * 10).toArray();
      tree.bulkload(keys, keys);
      tree.verify();
      assertEquals("11.11.11.11. / 11..........", occupied(tree));
    }
  }

  @Test
  void chunkBelowItsMinimumMergesWithItsNeighbour() {
    try (ConfigurablePbPlusTree tree = create(JumpPointers.chunked(1))) {
      long[] keys = LongStream.range(0, 3 * 20).toArray();
      tree.bulkload(keys, keys);
      int before = chunks(tree);
      LongStream.range(0, 3 * 16).forEach(tree::remove);
      tree.verify();
      assertEquals(3, before);
      assertEquals(1, chunks(tree));
    }
  }

  @Test
  void chunkBelowItsMinimumSharesWithAFullerNeighbour() {
    try (ConfigurablePbPlusTree tree = create(JumpPointers.chunked(1))) {
      LongStream.range(0, 3 * 30).forEach(key -> tree.put(key, key));
      LongStream.range(0, 3 * 10).forEach(tree::remove);
      tree.verify();
      assertEquals("11.1.11.1.1. / 11.1.11.1.1. / 111111......", occupied(tree));
    }
  }

  @Test
  void emptiedTreeListsItsOneLeafAndCanBeLoaded() {
    for (JumpPointers array : List.of(JumpPointers.chunked(1), JumpPointers.FLAT)) {
      try (ConfigurablePbPlusTree tree = create(array)) {
        LongStream.range(0, 200).forEach(key -> tree.put(key, key));
        LongStream.range(0, 200).forEach(tree::remove);
        tree.verify();
        assertEquals(1, leaves(tree).size());
        long[] keys = LongStream.range(0, 200).toArray();
        tree.bulkload(keys, keys);
        tree.verify();
        assertEquals(67, leaves(tree).size());
        tree.clear();
        tree.verify();
        assertEquals(1, leaves(tree).size());
      }
    }
  }

  @Test
  void everyChunkWidthAndAFlatArraySurviveRandomChanges() {
    for (JumpPointers array :
        List.of(
            JumpPointers.FLAT,
            JumpPointers.chunked(1),
            JumpPointers.chunked(2),
            JumpPointers.chunked(4))) {
      try (ConfigurablePbPlusTree tree = create(array)) {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 8; round++) {
          int bound = round % 2 == 0 ? 4 : 1;
          for (int i = 0; i < 6_000; i++) {
            long key = random.nextLong(8_000);
            if (random.nextInt(5) < bound) {
              tree.put(key, key);
            } else {
              tree.remove(key);
            }
          }
          tree.verify();
        }
      }
    }
  }

  // ---------------------------------------------------------------- flat

  @Test
  void flatArrayFindsALeafWhoseHintIsStale() {
    try (ConfigurablePbPlusTree tree = create(JumpPointers.FLAT)) {
      LongStream.range(0, 300).forEach(key -> tree.put(10 * key, key));
      tree.put(5, 5);
      FlatJumpPointers pointers = (FlatJumpPointers) tree.pointers;
      long last = InnerNode.toOffset(pointers.lines[pointers.count - 1]);
      assertEquals(pointers.count - 2, tree.tree.leaf.hint(tree.tree.nodes, last));
      assertEquals(pointers.count - 1, pointers.placeOf(last));
    }
  }

  @Test
  void damageToAFlatArrayIsReported() {
    List<Consumer<FlatJumpPointers>> damages =
        List.of(
            pointers -> pointers.count--,
            pointers -> pointers.count++,
            pointers -> pointers.lines[2] = pointers.lines[3],
            pointers -> pointers.lines[0] = 0);
    for (Consumer<FlatJumpPointers> damage : damages) {
      try (ConfigurablePbPlusTree tree = create(JumpPointers.FLAT)) {
        LongStream.range(0, 300).forEach(key -> tree.put(key, key));
        tree.verify();
        damage.accept((FlatJumpPointers) tree.pointers);
        assertEquals(
            "I11", assertThrows(InvariantViolationException.class, tree::verify).invariant());
      }
    }
  }

  // ---------------------------------------------------------------- invariants

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(JumpPointerCorruption corruption) {
    for (Geometry geometry : List.of(SMALLEST, new Geometry(2, 3, 1))) {
      PbPlusChoices choices =
          PbPlusChoices.DEFAULT.withJumpPointers(
              JumpPointers.chunked(geometry.leafWidth() == 1 ? 1 : 4));
      try (ConfigurablePbPlusTree index =
          ConfigurablePbPlusTree.create(IndexOptions.DEFAULT, geometry, choices)) {
        long[] keys = LongStream.range(0, 4_110).toArray();
        index.bulkload(
            LongEntrySource.of(keys, keys, keys.length), 0.67, keys.length, ProgressListener.NONE);
        index.verify();
        corruption.inflictOn(index);
        assertEquals(
            corruption.invariant(),
            assertThrows(InvariantViolationException.class, index::verify).invariant());
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("bplus/choices/JumpPointerArray");
    Set<String> corrupted =
        Arrays.stream(JumpPointerCorruption.values())
            .map(JumpPointerCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(4, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("bplus/choices/ChunkVerifier"));
    assertTrue(corrupted.containsAll(stated), corrupted::toString);
  }

  private static ConfigurablePbPlusTree create(JumpPointers array) {
    return ConfigurablePbPlusTree.create(
        IndexOptions.DEFAULT, SMALLEST, PbPlusChoices.DEFAULT.withJumpPointers(array));
  }

  /** Returns the leaves as the array lists them. */
  private static List<Long> leaves(ConfigurablePbPlusTree tree) {
    JumpPointerArray pointers = tree.pointers;
    long leaf = tree.tree.root;
    for (int level = tree.tree.height - 1; level > 0; level--) {
      leaf = tree.tree.inner.child(tree.tree.nodes, leaf, 0);
    }
    return LongStream.iterate(
            pointers.placeOf(leaf),
            place -> place != JumpPointerArray.NO_PLACE,
            place -> pointers.step(place, LeafPlace.FORWARD))
        .mapToObj(pointers::leafAt)
        .toList();
  }

  private static int chunks(ConfigurablePbPlusTree tree) {
    return occupied(tree).split(" / ").length;
  }

  /** Returns which slots of each chunk are in use. */
  private static String occupied(ConfigurablePbPlusTree tree) {
    ChunkedJumpPointers pointers = (ChunkedJumpPointers) tree.pointers;
    return LongStream.iterate(
            pointers.first,
            chunk -> chunk != 0,
            chunk -> pointers.layout.next(tree.tree.nodes, chunk))
        .mapToObj(
            chunk ->
                IntStream.range(0, pointers.layout.capacity)
                    .mapToObj(
                        slot ->
                            (pointers.layout.occupied(tree.tree.nodes, chunk) >>> slot & 1) == 0
                                ? "."
                                : "1")
                    .collect(Collectors.joining()))
        .collect(Collectors.joining(" / "));
  }
}
