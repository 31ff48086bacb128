// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.Indexes;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeShape;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.bftl.BftlTree;
import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every tree leads probes down its levels as {@link TreeLevels} says. */
@Tag("fallback-thorough")
class TreeLevelsContractTest {
  private static final int ENTRIES = TestSize.of(600, 1500);

  /**
   * Keys that come and go, and how often one does; few, so that all is looked at after each change.
   */
  private static final int FEW = 120;

  private static final int CHANGES = TestSize.of(200, 300);

  @RegisterExtension final Indexes indexes = new Indexes();

  private final SplittableRandom random = new SplittableRandom(6);

  /** Makes an index of odd keys that came in any order, some of which went again. */
  private LongIndex create(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    for (int i = 0; i < ENTRIES; i++) {
      long key = 2 * random.nextLong(-ENTRIES, ENTRIES) + 1;
      index.put(key, ~key);
      if (i % 4 == 0) {
        index.remove(2 * random.nextLong(-ENTRIES, ENTRIES) + 1);
      }
    }
    return index;
  }

  /** Returns keys in no order, half of which are even, with those at the ends. */
  private long[] probes(int range) {
    long[] keys = random.longs(300, -range, range).toArray();
    keys[7] = Long.MIN_VALUE;
    keys[70] = Long.MAX_VALUE;
    keys[71] = Long.MAX_VALUE - 1;
    return keys;
  }

  private static long[] valuesOf(LongIndex index, long[] keys) {
    return Arrays.stream(keys).map(index::get).toArray();
  }

  private static long[] answers(TreeLevels tree, int level, long[] keys, long[] places) {
    long[] values = places.clone();
    tree.answer(level, keys, 0, values, 0, keys.length, null, 0);
    return values;
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void everyPlaceOnTheWayAnswersAsGetDoes(TreeShape shape) {
    LongIndex index = create(shape);
    TreeLevels tree = BatchLookup.of(index).levels();
    long[] keys = probes(3 * ENTRIES);
    long[] expected = valuesOf(index, keys);
    Descent descent = Descent.of(tree, keys);
    assertEquals(hasOneLevel(index) ? 1 : index.statistics().height(), descent.height);
    for (int level = 0; level < descent.height; level++) {
      assertArrayEquals(expected, answers(tree, level, keys, descent.places[level]));
    }
  }

  /**
   * Tells whether probes can't wait on their way: for messages, other threads, or many pages of a
   * node.
   */
  private static boolean hasOneLevel(LongIndex index) {
    return index.variant().capabilities().contains(Capability.BLIND_WRITES)
        || index.variant().equals(BLinkTree.VARIANT)
        || index.variant().equals(FpbLinkTree.VARIANT)
        || index.variant().equals(ConcurrentPbPlusTree.VARIANT)
        || index.variant().equals(BftlTree.VARIANT);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void childrenOfOneNodeHaveNumbersOfTheirOwn(TreeShape shape) {
    TreeLevels tree = BatchLookup.of(create(shape)).levels();
    long[] keys = probes(3 * ENTRIES);
    Descent descent = Descent.of(tree, keys);
    for (int level = descent.height - 1; level > 0; level--) {
      Map<Long, Map<Integer, Long>> childOf = new HashMap<>();
      for (int i = 0; i < keys.length; i++) {
        int number = descent.numbers[level][i];
        assertTrue(number >= 0 && number < tree.maxChildren(level), () -> "number " + number);
        long child = descent.places[level - 1][i];
        Long before =
            childOf
                .computeIfAbsent(descent.places[level][i], _ -> new HashMap<>())
                .put(number, child);
        assertTrue(before == null || before == child, "two children have number " + number);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void numbersOfSeveralLevelsBecomeOne(TreeShape shape) {
    TreeLevels tree = BatchLookup.of(create(shape)).levels();
    long[] keys = probes(3 * ENTRIES);
    Descent descent = Descent.of(tree, keys);
    int top = descent.height - 1;
    if (top == 0) {
      return;
    }
    int[] slots = new int[keys.length];
    Arrays.fill(slots, 5);
    tree.descend(top, keys, descent.places[top].clone(), slots, keys.length);
    for (int i = 0; i < keys.length; i++) {
      assertEquals(5 * tree.maxChildren(top) + descent.numbers[top][i], slots[i]);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallestAndOnCheckedPages")
  void placesAreGoodAsLongAsNothingAboveThemChanges(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    long[] loaded = LongStream.range(0, FEW).filter(key -> key % 3 != 0).toArray();
    index.bulkload(loaded, loaded);
    TreeLevels tree = BatchLookup.of(index).levels();
    long[] keys =
        LongStream.concat(LongStream.range(-3, FEW + 3), LongStream.of(Long.MAX_VALUE)).toArray();
    @Nullable Noted[] noted = new Noted[64];
    int kept = 0;
    for (int change = 0; change < CHANGES; change++) {
      boolean grows = change / (CHANGES / 4) % 2 == 0;
      long key = random.nextLong(FEW);
      if (random.nextInt(8) < (grows ? 6 : 2)) {
        index.put(key, change);
      } else {
        index.remove(key);
      }
      long[] expected = valuesOf(index, keys);
      Descent now = Descent.of(tree, keys);
      for (int level = now.height; level < noted.length && noted[level] != null; level++) {
        assertNotEquals(noted[level].changes, tree.changesAbove(level), "a root that is gone");
        noted[level] = null;
      }
      for (int level = 0; level < now.height; level++) {
        Noted before = noted[level];
        if (before == null || before.changes != tree.changesAbove(level)) {
          noted[level] = new Noted(tree.changesAbove(level), now);
        } else {
          kept++;
          assertEquals(before.descent.height, now.height);
          assertTrue(before.descent.isSameDownTo(level, now), "places of level " + level);
          assertArrayEquals(expected, answers(tree, level, keys, before.descent.places[level]));
        }
      }
    }
    assertTrue(kept > CHANGES / 2, "places were kept " + kept + " times");
  }

  private record Noted(long changes, Descent descent) {}

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallestAndOnCheckedPages")
  void valuesThatAreReplacedChangeNoLevel(TreeShape shape) {
    LongIndex index = create(shape);
    TreeLevels tree = BatchLookup.of(index).levels();
    long changes = tree.changesAbove(0);
    for (long key : probes(3 * ENTRIES)) {
      if (index.containsKey(key)) {
        index.put(key, 5);
        index.putIfAbsent(key, 6);
      }
    }
    assertEquals(changes, tree.changesAbove(0));
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallestAndOnCheckedPages")
  void mostInsertsWithoutANewNodeChangeNoLevel(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    TreeLevels tree = BatchLookup.of(index).levels();
    int without = 0;
    int changed = 0;
    for (int i = 0; i < 2 * FEW; i++) {
      long nodes = nodesOf(index);
      long changes = tree.changesAbove(0);
      index.put(random.nextLong(), 1);
      if (nodesOf(index) == nodes) {
        without++;
        changed += changes == tree.changesAbove(0) ? 0 : 1;
      }
    }
    assertTrue(without > FEW / 2 && changed < without / 4, changed + " of " + without);
  }

  private static long nodesOf(LongIndex index) {
    return index.statistics().innerNodes() + index.statistics().leafNodes();
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallestAndOnCheckedPages")
  void aTreeThatIsReplacedChangesAllLevels(TreeShape shape) {
    LongIndex index = create(shape);
    TreeLevels tree = BatchLookup.of(index).levels();
    int top = tree.height() - 1;
    long before = tree.changesAbove(top);
    index.clear();
    long cleared = tree.changesAbove(top);
    assertTrue(cleared > before);
    index.bulkload(new long[] {1, 2, 3}, new long[] {4, 5, 6});
    assertTrue(tree.changesAbove(top) > cleared);
  }
}
