// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.tree.Structures;
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
class PagedVerifierTest {
  private static final double TWO_THIRDS = 0.67;

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(PagedCorruption corruption) {
    for (LongIndex index : healthyTrees().toList()) {
      try (index) {
        assertTrue(Structures.of(index, PagedStructure.class).height() >= 4);
        index.verify();
        corruption.inflictOn(Structures.of(index, PagedStructure.class));
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
        assertTrue(
            String.valueOf(violation.getMessage()).startsWith(corruption.invariant() + ": "));
      }
    }
  }

  @Test
  void leafPageInPlaceOfAnInnerPageIsNoticed() {
    for (LongIndex index : healthyTrees().toList()) {
      try (index) {
        PagedStructure tree = Structures.of(index, PagedStructure.class);
        int leaf = tree.findLeaf(Long.MAX_VALUE);
        tree.format.payload(tree.pages, tree.store.pin(tree.root()), 0, leaf);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals("I3", violation.invariant());
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("paged/PagedStructure");
    Set<String> corrupted =
        Arrays.stream(PagedCorruption.values())
            .map(PagedCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(8, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("paged/PagedVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (LongIndex index = load(DiskOptimizedBPlusTree.create(IndexOptions.DEFAULT), 300_000)) {
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

  private static Stream<LongIndex> healthyTrees() {
    return Stream.of(
        load(
            DiskOptimizedBPlusTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256)),
            2_000),
        load(
            DiskOptimizedBPlusTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(512)),
            13_000),
        load(
            MicroIndexBPlusTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256)),
            2_000));
  }

  /** Fills by two thirds, so that no page is full. */
  private static LongIndex load(LongIndex index, int entries) {
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, entries), TWO_THIRDS, entries, ProgressListener.NONE);
    return index;
  }
}
