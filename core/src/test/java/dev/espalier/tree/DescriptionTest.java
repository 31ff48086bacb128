// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeShape;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What an index says of itself, in a log and when it is used after it was closed. */
class DescriptionTest {

  static Stream<TreeShape> shapes() {
    return TreeShape.defaultsAndSmallest().stream();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void openIndexSaysWhatItIsAndHowLarge(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      for (long key = 0; key < 1234; key++) {
        index.put(key, key);
      }
      String expected =
          IndexDescription.of(
              index.variant().name(), index.sizeEstimate(), index.statistics().usedBytes());
      assertEquals(expected, index.toString());
      assertEquals(expected, index.withReadWriteLock().toString());
      assertTrue(expected.matches("\\w+ of \\d,\\d{3} entries in \\d+\\.\\d [kM]B"), expected);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void closedIndexSaysSo(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    index.close();
    assertEquals(index.variant().name() + ", closed", index.toString());
    assertEquals(index.variant().name() + ", closed", index.withReadWriteLock().toString());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void useAfterCloseNamesTheIndex(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    index.put(1, 2);
    index.close();
    String message = "the " + index.variant().name() + " is closed";
    List<Executable> calls =
        List.of(
            index::size,
            index::sizeEstimate,
            index::isEmpty,
            index::missingValue,
            index::clear,
            index::cursor,
            index::verify,
            index::rootView,
            index::statistics,
            index::flush,
            index::batchLookup,
            index.withReadWriteLock()::size,
            index.withReadWriteLock()::batchLookup,
            index.asMap()::size,
            () -> index.bulkload(new long[] {1}, new long[] {1}));
    for (Executable call : calls) {
      assertEquals(message, assertThrows(IllegalStateException.class, call).getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0       | 0              | X of 0 entries in 0 bytes
          1       | 999            | X of 1 entry in 999 bytes
          2       | 1000           | X of 2 entries in 1.0 kB
          1000    | 999949         | X of 1,000 entries in 999.9 kB
          1000    | 999950         | X of 1,000 entries in 1.0 MB
          1000000 | 24512345       | X of 1,000,000 entries in 24.5 MB
          7       | 3000000000     | X of 7 entries in 3.0 GB
          7       | 5000000000000  | X of 7 entries in 5.0 TB
          """)
  void sizesAreInDecimalUnits(long entries, long bytes, String expected) {
    assertEquals(expected, IndexDescription.of("X", entries, bytes));
  }

  @Test
  void largestSizeHasAnEnd() {
    assertEquals("X of 1 entry in 9223372.0 TB", IndexDescription.of("X", 1, Long.MAX_VALUE));
  }
}
