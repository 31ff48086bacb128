// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree.Geometry;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-thorough")
class CacheFirstVerifierTest {
  private static final double TWO_THIRDS = 0.67;

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(CacheFirstCorruption corruption) {
    for (CacheFirstFpbPlusTree index : healthyTrees().toList()) {
      try (index) {
        assertTrue(index.tree.height() >= 4);
        assertNotEquals(0, index.tree.meta[CacheFirstStructure.NONLEAF_ROOM]);
        assertNotEquals(0, index.tree.meta[CacheFirstStructure.OVERFLOW_ROOM]);
        index.verify();
        corruption.inflictOn(index.tree);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
        assertTrue(
            String.valueOf(violation.getMessage()).startsWith(corruption.invariant() + ": "));
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("cachefirst/CacheFirstStructure");
    Set<String> corrupted =
        Arrays.stream(CacheFirstCorruption.values())
            .map(CacheFirstCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(14, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("cachefirst/CacheFirstVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (CacheFirstFpbPlusTree index =
        load(CacheFirstFpbPlusTree.create(IndexOptions.DEFAULT), 300_000)) {
      List<Long> told = new ArrayList<>();
      index.verify(
          (done, total) -> {
            assertEquals(300_000, total);
            told.add(done);
            return true;
          });
      assertTrue(told.size() >= 4, told::toString);
      assertEquals(told.stream().sorted().toList(), told);
      assertThrows(CancellationException.class, () -> index.verify((done, total) -> false));
    }
  }

  private static Stream<CacheFirstFpbPlusTree> healthyTrees() {
    return Stream.of(
        load(
            CacheFirstFpbPlusTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(1024), new Geometry(2)),
            10_000),
        load(
            CacheFirstFpbPlusTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(1024), new Geometry(3)),
            50_000));
  }

  /** Fills by two thirds, so that no node is full. */
  private static CacheFirstFpbPlusTree load(CacheFirstFpbPlusTree index, int entries) {
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, entries), TWO_THIRDS, entries, ProgressListener.NONE);
    return index;
  }
}
