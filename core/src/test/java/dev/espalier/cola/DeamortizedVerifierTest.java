// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

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
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-thorough")
class DeamortizedVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(DeamortizedCorruption corruption) {
    try (DeamortizedCola index = healthy()) {
      index.verify();
      corruption.inflictOn(index.tree);
      InvariantViolationException violation =
          assertThrows(InvariantViolationException.class, index::verify);
      assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
    }
  }

  @Test
  void tombstoneAboveNothingIsNoticed() {
    try (DeamortizedCola index = DeamortizedCola.create(IndexOptions.DEFAULT)) {
      index.put(1, 1);
      DeamortizedStructure tree = index.tree;
      long top = tree.store.pin((int) tree.meta[MessageLevels.TOP]);
      tree.layout.value(tree.pages, top, 0, ElementPage.TOMBSTONE);
      ElementPage.isPut(tree.pages, top, 0, false);
      InvariantViolationException violation =
          assertThrows(InvariantViolationException.class, index::verify);
      assertEquals("I8", violation.invariant());
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("cola/DeamortizedStructure");
    Set<String> corrupted =
        Arrays.stream(DeamortizedCorruption.values())
            .map(DeamortizedCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(12, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("cola/DeamortizedVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (DeamortizedCola index = DeamortizedCola.create(IndexOptions.DEFAULT)) {
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
      assertEquals(told.stream().sorted().toList(), told);
      assertThrows(CancellationException.class, () -> index.verify((done, total) -> false));
    }
  }

  /** Inserts until there is a merge half done below a deeper level. */
  private static DeamortizedCola healthy() {
    DeamortizedCola index =
        DeamortizedCola.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(1024),
            new DeamortizedCola.Geometry(8));
    for (long i = 0; i < 3000 || !isAsWanted(index.tree); i++) {
      index.put(i * 0x9e37_79b9_7f4a_7c15L, i);
    }
    return index;
  }

  private static boolean isAsWanted(DeamortizedStructure tree) {
    return tree.topCount() >= 2
        && tree.arrays[2 * tree.depth - 1].pages() >= 2
        && !tree.isUnsafe(tree.depth - 1)
        && DeamortizedCorruption.merging(tree) >= 0
        && tree.arrays[2 * tree.depth - 1].firstFence() != 0
        && tree.merges[DeamortizedCorruption.merging(tree)].firstFence != 0;
  }
}
