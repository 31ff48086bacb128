// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.ProgressListener;
import dev.espalier.css.CssTree.Form;
import dev.espalier.css.CssTree.Geometry;
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
class CssVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(CssCorruption corruption) {
    for (CssStructure tree : healthyTrees().filter(corruption::concerns).toList()) {
      try {
        assertTrue(tree.directory.levels >= 3);
        tree.verify(ProgressListener.NONE);
        corruption.inflictOn(tree);
        InvariantViolationException violation =
            assertThrows(
                InvariantViolationException.class, () -> tree.verify(ProgressListener.NONE));
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
        assertTrue(
            String.valueOf(violation.getMessage()).startsWith(corruption.invariant() + ": "));
      } finally {
        tree.close();
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("css/CssStructure");
    Set<String> corrupted =
        Arrays.stream(CssCorruption.values())
            .map(CssCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(7, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("css/CssVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (CssTree index = load(Form.FULL, 1, 300_000)) {
      List<Long> told = new ArrayList<>();
      index.verify(
          (done, total) -> {
            assertEquals(300_000, total);
            told.add(done);
            return true;
          });
      assertEquals(List.of(65_536L, 131_072L, 196_608L, 262_144L), told);
      assertThrows(CancellationException.class, () -> index.verify((done, total) -> false));
    }
  }

  private static Stream<CssStructure> healthyTrees() {
    return Stream.of(
        load(Form.FULL, 1, 5_003).tree,
        load(Form.LEVEL, 1, 5_003).tree,
        load(Form.FULL, 2, 10_003).tree,
        load(Form.LEVEL, 3, 20_003).tree,
        change(load(Form.FULL, 1, 5_003).tree),
        change(load(Form.LEVEL, 1, 5_003).tree),
        change(load(Form.LEVEL, 2, 10_003).tree),
        loadDigests(20_003),
        change(loadDigests(20_003)));
  }

  private static CssStructure loadDigests(int entries) {
    DigestCssTree index = DigestCssTree.create(IndexOptions.DEFAULT);
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(keys, keys);
    return index.tree;
  }

  private static CssTree load(Form form, int width, int entries) {
    CssTree index = CssTree.create(IndexOptions.DEFAULT, new Geometry(form, width));
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(keys, keys);
    return index;
  }

  /**
   * Inserts entries into the delta and removes others from the array, none of the first hundred.
   */
  private static CssStructure change(CssStructure tree) {
    for (long i = 100; i < 200; i++) {
      tree.put(10 * i + 5, i, true, -1);
      tree.remove(20 * i, -1);
    }
    assertEquals(100, tree.delta.count);
    assertEquals(100, tree.removed.count);
    return tree;
  }
}
