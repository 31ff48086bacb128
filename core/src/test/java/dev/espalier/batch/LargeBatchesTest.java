// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.node.KeyLines;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Batches of trees so large that groups are searched line by line. */
@Tag("fallback-thorough")
final class LargeBatchesTest {
  private static final int ENTRIES = 4_200_000;
  private static final int GAP = 3;
  private static final int BATCH = 1000;

  /** Batches in a row, which a thorough run has as a whole or not at all. */
  private static final int ROW = 100;

  /**
   * Key arrays of in-page leaves are whole lines with some widths, and end within one with most.
   */
  static Stream<Arguments> trees() {
    return Stream.concat(
        Stream.of(
            Arguments.of("PbPlusTree", (Supplier<LongIndex>) LargeBatchesTest::pbPlusTree),
            Arguments.of(
                "ConcurrentPbPlusTree", (Supplier<LongIndex>) LargeBatchesTest::concurrent)),
        IntStream.of(11, 14)
            .mapToObj(
                width ->
                    Arguments.of(
                        "DiskFirstFpbPlusTree, leaves of " + width,
                        (Supplier<LongIndex>) () -> diskFirst(width))));
  }

  private static LongIndex pbPlusTree() {
    return PbPlusTree.create(IndexOptions.DEFAULT, PbPlusTree.Geometry.DEFAULT);
  }

  private static LongIndex concurrent() {
    return ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, ConcurrentPbPlusTree.Geometry.DEFAULT);
  }

  private static LongIndex diskFirst(int leafWidth) {
    PageStore pages = new MemoryPageStore(16 << 10, Long.MAX_VALUE, HugePages.WHEN_GROWN);
    DiskFirstFpbPlusTree.Geometry geometry = new DiskFirstFpbPlusTree.Geometry(3, leafWidth);
    return DiskFirstFpbPlusTree.open(IndexOptions.DEFAULT, pages, geometry);
  }

  /**
   * All keys and those beside them, in an order that spreads a batch over the tree; in a thorough
   * run those of its part.
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("trees")
  @Tag("thorough")
  void everyKeyIsFoundAndNoneBesideIt(String name, Supplier<LongIndex> tree) {
    assertTrue(KeyLines.pays(ENTRIES));
    long[] sorted = new long[ENTRIES];
    Arrays.setAll(sorted, i -> (long) (i - ENTRIES / 2) * GAP);
    try (LongIndex index = tree.get()) {
      index.bulkload(sorted, sorted);
      long[] keys = new long[BATCH];
      long[] values = new long[BATCH];
      long[] found = new long[(BATCH + Long.SIZE - 1) / Long.SIZE];
      long wanted = (long) ENTRIES * GAP;
      long step = wanted / BATCH;
      for (long from : batches(name, (int) step)) {
        for (int i = 0; i < BATCH; i++) {
          keys[i] = sorted[0] + i * step + from - 1;
        }
        index.getAll(keys, values, found);
        for (int i = 0; i < BATCH; i++) {
          boolean isThere = Math.floorMod(keys[i] - sorted[0], GAP) == 0 && keys[i] >= sorted[0];
          assertEquals(isThere ? keys[i] : IndexOptions.DEFAULT.missingValue(), values[i]);
          assertEquals(isThere, (found[i / Long.SIZE] >>> i & 1) != 0);
        }
      }
    }
  }

  private static long[] batches(String name, int count) {
    int rows = Math.ceilDiv(count, ROW);
    return Arrays.stream(TestSize.seeds(name, rows, rows))
        .flatMap(row -> LongStream.range(row * ROW, Math.min((row + 1) * ROW, count)))
        .toArray();
  }

  /** The key that unused slots hold may be a key as well. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("trees")
  void paddingIsNoKey(String name, Supplier<LongIndex> tree) {
    long[] sorted = new long[ENTRIES];
    Arrays.setAll(sorted, i -> i);
    try (LongIndex index = tree.get()) {
      index.bulkload(sorted, sorted);
      long[] keys = {Long.MAX_VALUE, Long.MIN_VALUE, ENTRIES - 1, 0};
      long[] values = new long[keys.length];
      long[] found = new long[1];
      assertEquals(2, index.getAll(keys, values, found));
      assertEquals(0b1100, found[0]);
      index.put(Long.MAX_VALUE, 7);
      assertEquals(3, index.getAll(keys, values, found));
      assertEquals(0b1101, found[0]);
      assertEquals(7, values[0]);
    }
  }
}
