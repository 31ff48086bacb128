// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
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
class TTreeVerifierTest {
  private static final double THREE_QUARTERS = 0.75;

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(TTreeCorruption corruption) {
    for (TTree index : healthyTrees().toList()) {
      try (index) {
        assertTrue(index.statistics().height() >= 4);
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
    Set<String> stated = InvariantNumbers.stated("ttree/TTreeStructure");
    Set<String> corrupted =
        Arrays.stream(TTreeCorruption.values())
            .map(TTreeCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(10, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("ttree/TTreeVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (TTree index = load(8, 300_000)) {
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

  private static Stream<TTree> healthyTrees() {
    return Stream.of(load(2, 900), load(3, 2_000), load(8, 5_000));
  }

  /** Fills by three quarters, so that no node is full or at its minimum. */
  private static TTree load(int width, int entries) {
    TTree index = TTree.create(IndexOptions.DEFAULT, width);
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, entries), THREE_QUARTERS, entries, ProgressListener.NONE);
    return index;
  }
}
