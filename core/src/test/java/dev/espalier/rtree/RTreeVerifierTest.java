// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.rtree.RTree.Geometry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-too")
class RTreeVerifierTest {
  private static final double TWO_THIRDS = 0.67;

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(RTreeCorruption corruption) {
    for (RTree tree : healthyTrees().toList()) {
      try (tree) {
        assertTrue(tree.statistics().height() >= 3);
        tree.verify();
        corruption.inflictOn(tree.tree);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, tree::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
        assertTrue(
            String.valueOf(violation.getMessage()).startsWith(corruption.invariant() + ": "));
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("rtree/RTreeStructure");
    Set<String> corrupted =
        Arrays.stream(RTreeCorruption.values())
            .map(RTreeCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(9, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("rtree/RTreeVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT)) {
      RectangleSets.UNIT.model(150_000, new SplittableRandom(1)).bulkloadInto(tree, 1);
      List<Long> told = new ArrayList<>();
      tree.verify(
          (done, total) -> {
            assertEquals(150_000, total);
            told.add(done);
            return true;
          });
      assertTrue(told.size() >= 2, told::toString);
      assertEquals(told.stream().sorted().toList(), told);
      assertThrows(CancellationException.class, () -> tree.verify((done, total) -> false));
    }
  }

  /** Filled by two thirds, so that no node is full or at its minimum. */
  private static Stream<RTree> healthyTrees() {
    return Stream.of(new Geometry(5, 4), Geometry.DEFAULT)
        .map(
            geometry -> {
              RTree tree = RTree.create(IndexOptions.DEFAULT, geometry);
              RectangleSets.UNIT
                  .model(1_500, new SplittableRandom(9))
                  .bulkloadInto(tree, TWO_THIRDS);
              return tree;
            });
  }
}
