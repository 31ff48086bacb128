// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
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

@Tag("fallback-too")
class LinkedInPageVerifierTest {

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(LinkedInPageCorruption corruption) {
    for (int pageBytes : new int[] {512, 1024}) {
      try (FpbLinkTree index = fill(pageBytes)) {
        index.verify();
        corruption.inflictOn(index.tree);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
      }
    }
  }

  @Test
  void everyInvariantOfTheOverviewsHasACorruption() throws IOException {
    Set<String> stated = new TreeSet<>(InvariantNumbers.stated("blink/BLinkStructure"));
    stated.addAll(InvariantNumbers.stated("inpage/InPageTrees"));
    stated.addAll(InvariantNumbers.stated("blink/LinkedInPageFormat"));
    assertEquals(16, stated.size(), stated::toString);
    stated.remove("I1"); // If keys of a page do not ascend, those of an in-page node do not.
    assertEquals(
        stated,
        Arrays.stream(LinkedInPageCorruption.values())
            .map(LinkedInPageCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Fills by scattered keys until there are three levels. */
  private static FpbLinkTree fill(int pageBytes) {
    FpbLinkTree index =
        FpbLinkTree.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(pageBytes),
            new Geometry(1, 1));
    SplittableRandom random = new SplittableRandom(2);
    for (long i = 0; i < 1000 || index.tree.height() < 3; i++) {
      index.put(10 * random.nextLong(1_000_000), i);
    }
    assertTrue(index.tree.height() >= 3);
    return index;
  }
}
