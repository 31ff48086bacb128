// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
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
class ConcurrentVerifierTest {
  private static final double TWO_THIRDS = 0.67;

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(ConcurrentCorruption corruption) {
    for (ConcurrentPbPlusTree index : healthyTrees().toList()) {
      try (index) {
        assertTrue(ConcurrentCorruption.rootLevel(index.tree) >= 3);
        index.verify();
        corruption.inflictOn(index.tree);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("concurrent/ConcurrentStructure");
    Set<String> corrupted =
        Arrays.stream(ConcurrentCorruption.values())
            .map(ConcurrentCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(11, stated.size(), stated::toString);
    Set<String> checked = InvariantNumbers.checked("concurrent/ConcurrentVerifier");
    checked.addAll(InvariantNumbers.checked("support/NodeVerifier"));
    assertEquals(stated, checked);
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (ConcurrentPbPlusTree index = load(8, 8, 300_000)) {
      List<Long> told = new ArrayList<>();
      index.verify(
          (done, total) -> {
            assertEquals(300_000, total);
            told.add(done);
            return true;
          });
      assertTrue(told.size() >= 4, told::toString);
      assertThrows(CancellationException.class, () -> index.verify((done, total) -> false));
      index.put(1, 1); // The tree is not left to one thread.
    }
  }

  private static Stream<ConcurrentPbPlusTree> healthyTrees() {
    return Stream.of(load(2, 2, 2_000), load(2, 3, 4_000), load(8, 8, 40_000));
  }

  /** Fills by two thirds, so that no node is full or at its minimum. */
  private static ConcurrentPbPlusTree load(int innerWidth, int leafWidth, int entries) {
    ConcurrentPbPlusTree index =
        ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, new Geometry(innerWidth, leafWidth));
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, entries), TWO_THIRDS, entries, ProgressListener.NONE);
    return index;
  }
}
