// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongCursor;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-too")
class BLinkVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(BLinkCorruption corruption) {
    for (int pageBytes : new int[] {256, 512}) {
      try (BLinkTree index = fill(pageBytes)) {
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
    Set<String> stated = InvariantNumbers.stated("blink/BLinkStructure");
    Set<String> corrupted =
        Arrays.stream(BLinkCorruption.values())
            .map(BLinkCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(8, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("blink/BLinkVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (BLinkTree index = BLinkTree.create(IndexOptions.DEFAULT)) {
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
      index.put(1, 1); // The tree is not left to one thread.
    }
  }

  @Test
  void aScanToTheLeftEndsThoughAKeyIsTooLarge() {
    try (BLinkTree index = fill(256)) {
      LongCursor cursor = index.cursor();
      assertTrue(cursor.ceiling(5_000_000));
      BLinkStructure tree = index.tree;
      long at = tree.store.pin(tree.find(0, cursor.key()));
      tree.pages.set(ValueLayout.JAVA_LONG, at + BLinkPage.HEADER_BYTES, Long.MAX_VALUE - 1);
      tree.store.unpin(at, true);
      LongCursor backwards = index.cursor();
      assertThrows(
          ConcurrentModificationException.class,
          () -> {
            for (int steps = 0; steps < 10_000 && backwards.previous(); steps++) {
              backwards.key();
            }
          });
    }
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aDeleteNeverWaitsForItselfThoughALeafIsItsOwnNeighbour() {
    try (BLinkTree index = fill(256)) {
      LongCursor cursor = index.cursor();
      assertTrue(cursor.ceiling(5_000_000));
      BLinkStructure tree = index.tree;
      int leaf = tree.find(0, cursor.key());
      long at = tree.store.pin(leaf);
      LinkedPage.left(tree.pages, at, leaf);
      LinkedPage.right(tree.pages, at, leaf);
      long[] keys = new long[tree.format.count(tree.pages, at)];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = BLinkPage.key(tree.pages, at, i);
      }
      tree.store.unpin(at, true);
      assertThrows(
          ConcurrentModificationException.class, () -> Arrays.stream(keys).forEach(index::delete));
    }
  }

  /** Fills by scattered keys until there are three levels. */
  private static BLinkTree fill(int pageBytes) {
    BLinkTree index =
        BLinkTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes));
    SplittableRandom random = new SplittableRandom(2);
    for (long i = 0; i < 1000 || index.tree.height() < 3; i++) {
      index.put(10 * random.nextLong(1_000_000), i);
    }
    return index;
  }
}
