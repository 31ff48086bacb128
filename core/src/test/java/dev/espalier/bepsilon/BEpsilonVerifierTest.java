// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

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
class BEpsilonVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(BEpsilonCorruption corruption) {
    for (BEpsilonTree index : healthyTrees()) {
      try (index) {
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
    Set<String> stated = InvariantNumbers.stated("bepsilon/BEpsilonStructure");
    Set<String> corrupted =
        Arrays.stream(BEpsilonCorruption.values())
            .map(BEpsilonCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(11, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("bepsilon/BEpsilonVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (BEpsilonTree index = BEpsilonTree.create(IndexOptions.DEFAULT)) {
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

  private static List<BEpsilonTree> healthyTrees() {
    return List.of(
        fill(
            BEpsilonTree.open(
                IndexOptions.DEFAULT,
                IndexOptions.DEFAULT.pagesInMemory(256),
                new BEpsilonTree.Geometry(4))),
        fill(
            BEpsilonTree.open(
                IndexOptions.DEFAULT,
                IndexOptions.DEFAULT.pagesInMemory(512),
                new BEpsilonTree.Geometry(6))),
        fill(
            BufferedRepositoryTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256))));
  }

  /** Fills by scattered keys until there are messages where the corruptions want them. */
  private static BEpsilonTree fill(BEpsilonTree index) {
    SplittableRandom random = new SplittableRandom(2);
    BEpsilonStructure tree = index.tree;
    long least = 0;
    while (least < 3000 || !hasMessages(tree)) {
      index.put(10 * random.nextLong(100_000), least++);
    }
    return index;
  }

  private static boolean hasMessages(BEpsilonStructure tree) {
    int child = BEpsilonCorruption.child(tree, tree.root(), 0);
    int leaf = BEpsilonCorruption.leaf(tree, 0);
    return NodePage.count(tree.pages, tree.store.pin(tree.root())) > 2
        && NodePage.messages(tree.pages, tree.store.pin(tree.root())) > 1
        && NodePage.messages(tree.pages, tree.store.pin(child)) > 0
        && NodePage.count(tree.pages, tree.store.pin(leaf)) > 2;
  }
}
