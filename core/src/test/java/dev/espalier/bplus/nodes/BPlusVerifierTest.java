// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
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
class BPlusVerifierTest {
  private static final double TWO_THIRDS = 0.67;

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(BPlusCorruption corruption) {
    for (LongIndex index : healthyTrees().toList()) {
      try (index) {
        assertTrue(Structures.of(index, BPlusStructure.class).height >= 4);
        index.verify();
        corruption.inflictOn(Structures.of(index, BPlusStructure.class));
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
        assertTrue(
            String.valueOf(violation.getMessage()).startsWith(corruption.invariant() + ": "));
      }
    }
  }

  /** Nodes do not tell their kind, so that this shows as whatever the leaf's words look like. */
  @Test
  void leafInPlaceOfAnInnerNodeIsNoticed() {
    for (LongIndex index : healthyTrees().toList()) {
      try (index) {
        BPlusStructure tree = Structures.of(index, BPlusStructure.class);
        long leaf = tree.root;
        for (int level = tree.height - 1; level > 0; level--) {
          leaf = tree.inner.child(tree.nodes, leaf, 1);
        }
        tree.inner.child(tree.nodes, tree.root, 1, leaf);
        assertThrows(InvariantViolationException.class, index::verify);
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("bplus/nodes/BPlusStructure");
    Set<String> corrupted =
        Arrays.stream(BPlusCorruption.values())
            .map(BPlusCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(11, stated.size(), stated::toString);
    Set<String> checked = InvariantNumbers.checked("bplus/nodes/BPlusVerifier");
    checked.addAll(InvariantNumbers.checked("support/NodeVerifier"));
    assertEquals(stated, checked);
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (LongIndex index = load(BPlusTree.create(IndexOptions.DEFAULT, 8), 300_000)) {
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
        load(BPlusTree.create(IndexOptions.DEFAULT, 2), 2_000),
        load(PbPlusTree.create(IndexOptions.DEFAULT, new Geometry(2, 3, 1)), 4_000),
        load(PbPlusTree.create(IndexOptions.DEFAULT), 40_000));
  }

  /** Fills by two thirds, so that no node is full or at its minimum. */
  private static LongIndex load(LongIndex index, int entries) {
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, entries), TWO_THIRDS, entries, ProgressListener.NONE);
    return index;
  }
}
