// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.benchmarks.peer.PeerType;
import dev.espalier.benchmarks.peer.Peers;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PlanTest {
  private static final PeerType TREE = Peers.named("PbPlusTree");
  private static final long MILLION = 1_000_000;

  @Test
  void allWorkTakesEveryJvmMap() {
    Plan plan = new Plan(TREE, EnumSet.allOf(Work.class), 10 * MILLION, 20L << 30);
    assertEquals(
        List.of(
            "PbPlusTree",
            "TreeMap",
            "PbPlusTree fallback",
            "PbPlusTree polluted",
            "Long2LongRBTreeMap",
            "Long2LongAVLTreeMap",
            "ConcurrentSkipListMap"),
        names(plan.roles()));
    assertEquals(List.of(), plan.leftOut());
  }

  @Test
  void onlyWhatIsComparedIsStarted() {
    Plan plan = new Plan(TREE, EnumSet.of(Work.SCAN, Work.BYTES), 10 * MILLION, 20L << 30);
    assertEquals(List.of("PbPlusTree"), names(plan.roles()));
    assertEquals(
        Set.of(Measure.BANDWIDTH, Measure.SCAN, Measure.SCAN_AFTER_PUT),
        plan.measures(plan.tree()));
  }

  @Test
  void hundredMillionEntriesKeepTheTreeAndTreeMapWithinTwentyGibibytes() {
    Plan plan = new Plan(TREE, EnumSet.allOf(Work.class), 100 * MILLION, 20L << 30);
    assertTrue(names(plan.roles()).containsAll(List.of("PbPlusTree", "TreeMap")));
    assertTrue(names(plan.leftOut()).contains("ConcurrentSkipListMap"));
    long total = plan.roles().stream().mapToLong(role -> role.memoryBytes(100 * MILLION)).sum();
    assertTrue(total <= 20L << 30, () -> total + " bytes");
  }

  @Test
  void treeThatDoesNotFitIsAnError() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new Plan(TREE, EnumSet.of(Work.GET), 100 * MILLION, 1L << 30));
    assertTrue(String.valueOf(e.getMessage()).contains("1024 MiB"), e.getMessage());
  }

  private static List<String> names(List<Role> roles) {
    return roles.stream().map(Role::name).toList();
  }
}
