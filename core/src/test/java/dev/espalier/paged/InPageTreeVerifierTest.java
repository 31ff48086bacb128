// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-thorough")
class InPageTreeVerifierTest {
  private static final double TWO_THIRDS = 0.67;

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(InPageCorruption corruption) {
    for (DiskFirstFpbPlusTree index : healthyTrees().toList()) {
      try (index) {
        assertEquals(3, ((InPageTreeFormat) index.tree.format).levels);
        assertTrue(index.tree.height() >= 3);
        index.verify();
        corruption.inflictOn(index);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
        assertTrue(
            String.valueOf(violation.getMessage()).startsWith(corruption.invariant() + ": in page"),
            violation::toString);
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("inpage/InPageTrees");
    Set<String> corrupted =
        Arrays.stream(InPageCorruption.values())
            .map(InPageCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(7, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("inpage/InPageTreeVerifier"));
    assertEquals(stated, corrupted);
  }

  private static Stream<DiskFirstFpbPlusTree> healthyTrees() {
    return Stream.of(
        load(1024, new Geometry(1, 1), 3_000),
        load(4096, new Geometry(1, 2), 60_000),
        load(4096, new Geometry(1, 3), 60_000));
  }

  /** Fills by two thirds, so that leaves of leaf pages are neither full nor empty. */
  private static DiskFirstFpbPlusTree load(int pageBytes, Geometry geometry, int entries) {
    DiskFirstFpbPlusTree index =
        DiskFirstFpbPlusTree.open(
            IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes), geometry);
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, entries), TWO_THIRDS, entries, ProgressListener.NONE);
    return index;
  }
}
