// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.bplus.choices.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.choices.PbPlusChoices.Localities;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.choices.PbPlusChoices.NodeSearch;
import dev.espalier.prefetch.Locality;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PbPlusChoicesTest {
  private static final PbPlusChoices DEFAULT = PbPlusChoices.DEFAULT;

  @Test
  void eachWithChangesOnePartAlone() {
    Localities localities = new Localities(Locality.T1, Locality.WRITE, Locality.NTA);
    PbPlusChoices changed =
        DEFAULT
            .withJumpPointers(JumpPointers.FLAT)
            .withSearchPrefetch(NodePrefetch.BINARY)
            .withScanPrefetch(NodePrefetch.HALF_LINEAR)
            .withSearch(NodeSearch.LINEAR)
            .withLocalities(localities);
    assertEquals(
        new PbPlusChoices(
            JumpPointers.FLAT,
            NodePrefetch.BINARY,
            NodePrefetch.HALF_LINEAR,
            NodeSearch.LINEAR,
            localities),
        changed);
  }

  @ParameterizedTest
  @EnumSource(
      value = NodePrefetch.class,
      names = {"BY_SEARCH", "BINARY", "HALF_BINARY"})
  void policyThatFollowsASearchIsRefusedForScans(NodePrefetch policy) {
    assertThrows(IllegalArgumentException.class, () -> DEFAULT.withScanPrefetch(policy));
  }
}
