// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.csbplus.CsbPlusTree.Geometry;
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
class CsbPlusVerifierTest {
  private static final double THREE_QUARTERS = 0.75;

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(CsbPlusCorruption corruption) {
    for (CsbPlusTree index : healthyTrees().toList()) {
      try (index) {
        assertTrue(index.tree.height >= 4);
        index.verify();
        corruption.inflictOn(index.tree);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
      }
    }
  }

  /** Segments in use before those that are not: of a tree that has more than one. */
  @Test
  void unusedSegmentBeforeOneInUseIsReported() {
    try (CsbPlusTree index = load(new Geometry(1, 2, 3, 1), 6_000)) {
      CsbPlusStructure tree = index.tree;
      long first = tree.inner.group(tree.nodes, tree.root, 0);
      int room = tree.inner.room(tree.nodes, tree.root, 0);
      int end = tree.inner.end(tree.nodes, tree.root, 0);
      tree.inner.segment(tree.nodes, tree.root, 1, first, end, room);
      tree.inner.segment(tree.nodes, tree.root, 0, 0, 0, 0);
      InvariantViolationException violation =
          assertThrows(InvariantViolationException.class, index::verify);
      assertEquals("I7", violation.invariant());
    }
  }

  /** Nodes do not tell their kind, so that this shows as whatever the leaves' words look like. */
  @Test
  void leavesInPlaceOfInnerNodesAreNoticed() {
    for (CsbPlusTree index : healthyTrees().toList()) {
      try (index) {
        CsbPlusStructure tree = index.tree;
        long node = tree.root;
        for (int level = tree.height - 1; level > 1; level--) {
          node = tree.inner.child(tree.nodes, node, 1, tree.inner.bytes);
        }
        long leaves = tree.inner.group(tree.nodes, node, 0);
        int end = tree.inner.end(tree.nodes, tree.root, 0);
        int room = tree.inner.room(tree.nodes, tree.root, 0);
        tree.inner.segment(tree.nodes, tree.root, 0, leaves, end, room);
        assertThrows(InvariantViolationException.class, index::verify);
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("csbplus/CsbPlusStructure");
    Set<String> corrupted =
        Arrays.stream(CsbPlusCorruption.values())
            .map(CsbPlusCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(10, stated.size(), stated::toString);
    Set<String> checked = InvariantNumbers.checked("csbplus/CsbPlusVerifier");
    checked.addAll(InvariantNumbers.checked("support/NodeVerifier"));
    assertEquals(stated, checked);
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (CsbPlusTree index = load(Geometry.DEFAULT, 300_000)) {
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

  private static Stream<CsbPlusTree> healthyTrees() {
    return Stream.of(
        load(new Geometry(1, 2, 1, 0), 3_000),
        load(new Geometry(1, 2, 2, 1), 3_000),
        load(new Geometry(2, 3, 5, 1), 10_000),
        load(new Geometry(2, 8, 1, 16), 60_000));
  }

  /** Fills by three quarters, so that no node is full or at its minimum. */
  private static CsbPlusTree load(Geometry geometry, int entries) {
    CsbPlusTree index = CsbPlusTree.create(IndexOptions.DEFAULT, geometry);
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, entries), THREE_QUARTERS, entries, ProgressListener.NONE);
    return index;
  }
}
