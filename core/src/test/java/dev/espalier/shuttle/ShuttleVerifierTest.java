// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.shuttle.ShuttleTree.Geometry;
import dev.espalier.shuttle.ShuttleTree.Schedule;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-thorough")
class ShuttleVerifierTest {
  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(ShuttleCorruption corruption) {
    for (ShuttleTree index : healthyTrees().toList()) {
      try (index) {
        assertTrue(index.tree.height >= 6);
        assertTrue(index.size() > 0);
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
    Set<String> stated = InvariantNumbers.stated("shuttle/ShuttleStructure");
    Set<String> corrupted =
        Arrays.stream(ShuttleCorruption.values())
            .map(ShuttleCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(11, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("shuttle/ShuttleVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (ShuttleTree index = load(64, 200_000)) {
      List<Long> told = new ArrayList<>();
      index.verify(
          (done, total) -> {
            told.add(done);
            return true;
          });
      assertTrue(told.size() >= 3, told::toString);
      assertEquals(told.stream().sorted().toList(), told);
      assertThrows(CancellationException.class, () -> index.verify((done, total) -> false));
    }
  }

  private static Stream<ShuttleTree> healthyTrees() {
    return Stream.of(withMessages(load(4, 6_000)), grown());
  }

  private static ShuttleTree load(int leafEntries, int entries) {
    ShuttleTree index =
        ShuttleTree.create(IndexOptions.DEFAULT, new Geometry(Schedule.SHIFTED, 4, leafEntries));
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.bulkload(LongEntrySource.of(keys, keys, entries), 0.75, entries, ProgressListener.NONE);
    return index;
  }

  /** New keys spread over the tree, which need be in no order of removal. */
  private static ShuttleTree withMessages(ShuttleTree index) {
    for (long key = 5; key < 60_000; key += 4_000) {
      index.set(key, -key);
    }
    return index;
  }

  private static ShuttleTree grown() {
    ShuttleTree index =
        ShuttleTree.create(IndexOptions.DEFAULT, new Geometry(Schedule.SHIFTED, 4, 3));
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 2_500; i++) {
      index.set(random.nextLong(), i);
    }
    return index;
  }
}
