// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.PageStore;
import dev.espalier.tree.StoreTree;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("fallback-thorough")
class BftlVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(BftlCorruption corruption) {
    for (int pageBytes : new int[] {256, 1024}) {
      try (BftlTree index = fill(pageBytes)) {
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
    Set<String> stated = InvariantNumbers.stated("bftl/BftlStructure");
    Set<String> corrupted =
        Arrays.stream(BftlCorruption.values())
            .map(BftlCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(9, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("bftl/BftlVerifier"));
    assertEquals(stated, corrupted);
  }

  /** The table of nodes would have room up to it, and take all of the heap. */
  @ParameterizedTest
  @ValueSource(longs = {0, -1, 1_000_000, Integer.MAX_VALUE - 8, 1_061_422_440_618_121_653L})
  void aRootThatNeverWasIsRefusedAtOpening(long root) {
    PageStore pages = IndexOptions.DEFAULT.pagesInMemory(256);
    try (BftlTree index = BftlTree.open(IndexOptions.DEFAULT, pages)) {
      for (long key = 0; key < 100; key++) {
        index.put(key, key);
      }
      pages.meta()[StoreTree.ROOT] = root;
      InvariantViolationException violation =
          assertThrows(
              InvariantViolationException.class, () -> BftlTree.open(IndexOptions.DEFAULT, pages));
      assertEquals("I7", violation.invariant(), violation::toString);
    }
  }

  /** Fills by scattered keys until there is what the corruptions want. */
  private static BftlTree fill(int pageBytes) {
    BftlTree index =
        BftlTree.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(pageBytes),
            new BftlTree.Geometry(2, 3));
    SplittableRandom random = new SplittableRandom(2);
    BftlStructure tree = index.tree;
    for (long i = 0;
        i < 3000
            || tree.table.pending(tree.root()) > 0
            || tree.layout.count(tree.pages, tree.store.pin(tree.buffer(0))) == 0;
        i++) {
      index.put(10 * random.nextLong(1_000_000), i);
    }
    return index;
  }
}
