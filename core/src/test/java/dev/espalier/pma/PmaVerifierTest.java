// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.pma.PackedMemoryArray.Geometry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-too")
class PmaVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(PmaCorruption corruption) {
    for (int slots : new int[] {16, 128}) {
      Geometry geometry = new Geometry(slots, Densities.UPDATE_ORIENTED);
      for (int segments : new int[] {5, 11, 27}) {
        if (corruption.needsNoIndex()) {
          PackedMemoryArray array = PackedMemoryArray.create(IndexOptions.DEFAULT, geometry);
          corruptAndVerify(array, array.tree, segments, corruption);
        }
        CacheObliviousBTree tree = CacheObliviousBTree.create(IndexOptions.DEFAULT, geometry);
        corruptAndVerify(tree, tree.tree, segments, corruption);
      }
    }
  }

  private static void corruptAndVerify(
      LongIndex index, PmaStructure tree, int segments, PmaCorruption corruption) {
    try (index) {
      int entries = segments * tree.geometry.segmentSlots() * 3 / 4;
      long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
      LongEntrySource source = LongEntrySource.of(keys, keys, entries);
      index.bulkload(source, 0.75, entries, ProgressListener.NONE);
      assertEquals(segments, tree.segments);
      index.verify();
      corruption.inflictOn(tree);
      InvariantViolationException violation =
          assertThrows(InvariantViolationException.class, index::verify);
      assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
      assertTrue(String.valueOf(violation.getMessage()).startsWith(corruption.invariant() + ": "));
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("pma/PmaStructure");
    Set<String> corrupted =
        Arrays.stream(PmaCorruption.values())
            .map(PmaCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(7, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("pma/PmaVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void clearMendsACalibratorThatThreadsHaveTornFromItsSegments() {
    try (CacheObliviousBTree index = CacheObliviousBTree.create(IndexOptions.DEFAULT)) {
      index.tree.calibrator = new Calibrator(index.tree.geometry, 16);
      index.tree.index = new VebIndex(16);
      assertThrows(InvariantViolationException.class, index::verify);
      index.clear();
      index.verify();
    }
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (PackedMemoryArray index = PackedMemoryArray.create(IndexOptions.DEFAULT)) {
      long[] keys = LongStream.range(0, 200_000).toArray();
      index.bulkload(keys, keys);
      List<Long> told = new ArrayList<>();
      index.verify(
          (done, total) -> {
            assertEquals(200_000, total);
            told.add(done);
            return true;
          });
      assertEquals(List.of(65_536L, 131_072L, 196_608L), told);
      assertThrows(CancellationException.class, () -> index.verify((done, total) -> false));
    }
  }
}
