// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.TestSize;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-exhaustive")
class PrefixVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(PrefixCorruption corruption) {
    for (int pageBytes : new int[] {1024, 4096}) {
      try (PrefixBPlusTree index = fill(pageBytes)) {
        index.verify();
        corruption.inflictOn(index.structure());
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("prefix/PrefixStructure");
    Set<String> corrupted =
        Arrays.stream(PrefixCorruption.values())
            .map(PrefixCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(13, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("prefix/PrefixVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (PrefixBPlusTree index = PrefixBPlusTree.create()) {
      for (int i = 0; i < 70_000; i++) {
        index.set(key(i), new byte[0]);
      }
      long[] told = new long[1];
      index.verify(
          (done, total) -> {
            assertEquals(70_000, total);
            told[0] = done;
            return true;
          });
      assertTrue(told[0] > 60_000, () -> "told of " + told[0]);
      assertThrows(CancellationException.class, () -> index.verify((_, _) -> false));
    }
  }

  private static byte[] key(int i) {
    return "tenant/%04d/order/%07d".formatted(i % 10, i).getBytes(StandardCharsets.UTF_8);
  }

  /** Fills by scattered keys, some of them with long values. */
  private static PrefixBPlusTree fill(int pageBytes) {
    PrefixBPlusTree index = PrefixBPlusTree.create(IndexOptions.DEFAULT, pageBytes);
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < TestSize.of(6_000, 20_000); i++) {
      index.set(key(random.nextInt(30_000)), new byte[i % 5 == 0 ? pageBytes * 7 / 3 : 12]);
    }
    return index;
  }
}
