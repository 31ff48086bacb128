// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bplus.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.PbPlusChoices.Localities;
import dev.espalier.bplus.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.PbPlusChoices.NodeSearch;
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

  @Test
  void onlyChoicesForOneKeyLeaveTheDefaultDescent() {
    assertTrue(DEFAULT.isDefaultDescent());
    assertTrue(DEFAULT.withJumpPointers(JumpPointers.chunked(4)).isDefaultDescent());
    assertTrue(DEFAULT.withScanPrefetch(NodePrefetch.NONE).isDefaultDescent());
    assertTrue(withLocalities(Locality.T0, Locality.T0, Locality.NTA).isDefaultDescent());
    assertFalse(DEFAULT.withSearchPrefetch(NodePrefetch.LINEAR).isDefaultDescent());
    assertFalse(DEFAULT.withSearch(NodeSearch.BINARY).isDefaultDescent());
    assertFalse(withLocalities(Locality.T1, Locality.T0, Locality.T1).isDefaultDescent());
    assertFalse(withLocalities(Locality.T0, Locality.T1, Locality.T1).isDefaultDescent());
  }

  private static PbPlusChoices withLocalities(Locality query, Locality insert, Locality scan) {
    return DEFAULT.withLocalities(new Localities(query, insert, scan));
  }
}
