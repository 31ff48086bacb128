// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches for as many keys as meet any number of nodes on a level. */
@Tag("fallback-thorough")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PioMultiPathTest {
  private static final int ENTRIES = 200_000;

  /** More than the room for nodes grows to in four steps, by one and by doubling. */
  private static final int MOST = 300;

  private PioBTree index;

  @BeforeAll
  void fillATreeOfFiveLevels() {
    IndexOptions options = IndexOptions.DEFAULT;
    index =
        PioBTree.open(
            options, options.pagesInMemory(256), new PioBTree.Geometry(2, 4, 64, 5000, 5000));
    long[] keys = LongStream.range(0, ENTRIES).toArray();
    index.bulkload(keys, LongStream.range(0, ENTRIES).map(key -> -key).toArray());
    assertTrue(index.tree.height() >= 5, "height " + index.tree.height());
  }

  @AfterAll
  void close() {
    index.close();
  }

  /** A batch of each size: its keys lie far apart at first, and so in nodes of their own. */
  @ParameterizedTest
  @ValueSource(ints = {ENTRIES / MOST, 50, 7, 1})
  void getAllFindsBatchesOfEverySize(int step) {
    for (int count = 1; count <= MOST; count++) {
      long[] keys = keys(count, step);
      long[] values = new long[count];
      index.getAll(keys, values);
      assertTrue(holdNegated(keys, values), "a batch of " + count);
    }
  }

  /** Keys at random: on the way down they share some nodes of one level and none of the next. */
  @ParameterizedTest
  @ValueSource(ints = {17, 33, 34, 65, 129})
  void getAllFindsKeysAtRandom(int count) {
    SplittableRandom random = new SplittableRandom(count);
    for (int i = 0; i < 200; i++) {
      long[] keys = random.longs(count, 0, ENTRIES).sorted().toArray();
      long[] values = new long[count];
      index.getAll(keys, values);
      assertTrue(holdNegated(keys, values), "batch " + i);
    }
  }

  /** One search for less and for more nodes, in turn, as flushes use it. */
  @Test
  void oneSearchServesBatchesOfEverySize() {
    MultiPathSearch search = new MultiPathSearch(index.tree);
    for (int count = 1; count <= MOST; count++) {
      int leaves = leavesOf(search, keys(count, ENTRIES / MOST));
      assertEquals(leavesOf(new MultiPathSearch(index.tree), keys(count, ENTRIES / MOST)), leaves);
      assertEquals(1, leavesOf(search, keys(1, 1)));
    }
  }

  private static int leavesOf(MultiPathSearch search, long[] keys) {
    search.find(keys, 0, keys.length);
    int leaves = 0;
    while (search.nextLeaves(keys)) {
      leaves += search.leaves;
    }
    return leaves;
  }

  private static long[] keys(int count, int step) {
    return LongStream.range(0, count).map(i -> i * step).toArray();
  }

  private static boolean holdNegated(long[] keys, long[] values) {
    return Arrays.equals(Arrays.stream(keys).map(key -> -key).toArray(), values);
  }
}
