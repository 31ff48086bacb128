// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Entries;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ProbeOrderTest {
  private static final int KEYS = 10_000;
  private static final int PROBES = 20_000;

  @ParameterizedTest
  @EnumSource
  void probesAreKeysOfTheTreeAndTheSameAgain(ProbeOrder order) {
    long[] probes = order.probes(KEYS, PROBES);
    assertEquals(PROBES, probes.length);
    for (long probe : probes) {
      assertTrue(probe >= Entries.key(0) && probe <= Entries.key(KEYS - 1), "key " + probe);
      assertEquals(0, probe % Entries.key(1), "key " + probe);
    }
    assertArrayEquals(probes, order.probes(KEYS, PROBES));
  }

  @Test
  void gaussianProbesGiveAFifthOfTheKeys95PercentOfThem() {
    assertEquals(0.95, shareInTheMiddle(ProbeOrder.GAUSSIAN), 0.01);
    assertEquals(ProbeOrder.FAVOURED, shareInTheMiddle(ProbeOrder.UNIFORM), 0.01);
  }

  private static double shareInTheMiddle(ProbeOrder order) {
    long from = Entries.key((long) (KEYS * (0.5 - ProbeOrder.FAVOURED / 2)));
    long to = Entries.key((long) (KEYS * (0.5 + ProbeOrder.FAVOURED / 2)));
    long[] probes = order.probes(KEYS, PROBES);
    return (double) Arrays.stream(probes).filter(key -> key >= from && key < to).count() / PROBES;
  }

  @Test
  void sortedProbesAreTheUniformOnesInAscendingOrder() {
    long[] expected = ProbeOrder.UNIFORM.probes(KEYS, PROBES);
    Arrays.sort(expected);
    assertArrayEquals(expected, ProbeOrder.SORTED.probes(KEYS, PROBES));
  }
}
