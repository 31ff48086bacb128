// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-thorough")
class PioVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(PioCorruption corruption) {
    for (int pageBytes : new int[] {256, 512}) {
      try (PioBTree index = fill(pageBytes)) {
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
    Set<String> stated = InvariantNumbers.stated("pio/PioStructure");
    Set<String> corrupted =
        Arrays.stream(PioCorruption.values())
            .map(PioCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(12, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("pio/PioVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (PioBTree index = PioBTree.create(IndexOptions.DEFAULT)) {
      long[] keys = LongStream.range(0, 300_000).toArray();
      index.bulkload(keys, keys);
      List<Long> told = new ArrayList<>();
      index.verify(
          (done, total) -> {
            assertEquals(300_000, total);
            told.add(done);
            return true;
          });
      assertTrue(told.size() >= 4, told::toString);
      assertThrows(CancellationException.class, () -> index.verify((done, total) -> false));
    }
  }

  /** Fills by scattered keys until there is what the corruptions want. */
  private static PioBTree fill(int pageBytes) {
    PioBTree index =
        PioBTree.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(pageBytes),
            new PioBTree.Geometry(2, 24, 64, 60, 100));
    SplittableRandom random = new SplittableRandom(2);
    PioStructure tree = index.tree;
    long least = 0;
    while (least < 3000
        || tree.height() < 3
        || tree.queue.sortedPages() < 2
        || tree.queue.appendedPages() < 1
        || EntryPage.count(
                tree.pages, tree.store.pin(tree.queue.directory.number(tree.queue.sortedPages())))
            < 2
        || EntryPage.count(tree.pages, tree.store.pin(PioCorruption.parent(tree))) < 3
        || EntryPage.count(tree.pages, tree.store.pin(PioCorruption.segment(tree, 0, 0))) < 2
        || PioCorruption.fullSegment(tree) == 0) {
      index.put(10 * random.nextLong(100_000), least++);
    }
    return index;
  }
}
