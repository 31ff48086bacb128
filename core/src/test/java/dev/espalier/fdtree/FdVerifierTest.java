// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.ProgressListener;
import dev.espalier.fdtree.FdTree.Geometry;
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
class FdVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(FdCorruption corruption) {
    for (int pageBytes : new int[] {1024, 2048}) {
      try (FdTree index = fill(pageBytes)) {
        index.verify();
        corruption.inflictOn(index.tree);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
      }
    }
  }

  /** The capacity of a run follows from the geometry, so the same runs are opened with another. */
  @Test
  void runAboveItsCapacityIsReported() {
    try (FdTree index = fill(1024)) {
      FdStructure tree = index.tree;
      tree.meta[FdStructure.HEAD + 1] = 2L << 32 | tree.batch;
      FdStructure smaller = new FdStructure(tree.store, new Geometry(2, 4));
      InvariantViolationException violation =
          assertThrows(
              InvariantViolationException.class,
              () -> FdVerifier.verify(smaller, ProgressListener.NONE));
      assertEquals("I8", violation.invariant(), violation::toString);
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("fdtree/FdStructure");
    Set<String> corrupted =
        Arrays.stream(FdCorruption.values())
            .map(FdCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    corrupted.add("I8");
    assertEquals(10, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("fdtree/FdVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (FdTree index = FdTree.create(IndexOptions.DEFAULT)) {
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
  private static FdTree fill(int pageBytes) {
    FdTree index =
        FdTree.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(pageBytes),
            new Geometry(6, 4));
    SplittableRandom random = new SplittableRandom(2);
    FdStructure tree = index.tree;
    for (long i = 0;
        i < 3000
            || tree.depth < 2
            || tree.head.leaves().length < 2
            || tree.runs[tree.depth].pages() < 2
            || FdCorruption.first(tree, tree.runs[1].firstPage(), RunPage.PUT) < 0
            || FdCorruption.first(tree, tree.runs[1].firstPage(), RunPage.FENCE) < 0
            || FdCorruption.lastFence(tree, FdCorruption.lastPage(tree, 1)) < 0;
        i++) {
      index.put(10 * random.nextLong(1_000_000), i);
    }
    return index;
  }
}
