// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class WorkKeysTest {
  private static final int COUNT = 200_000;

  @Test
  void keysAreDistinctOfBothSignsAndBelowTheAscendingOnes() {
    long[] keys = WorkKeys.keys(0, COUNT);
    assertEquals(COUNT, Arrays.stream(keys).distinct().count());
    assertTrue(Arrays.stream(keys).filter(key -> key < 0).count() > COUNT / 3);
    assertTrue(Arrays.stream(keys).filter(key -> key >= 0).count() > COUNT / 3);
    assertTrue(Arrays.stream(keys).max().orElseThrow() < WorkKeys.ascendingKey(0));
    assertTrue(WorkKeys.ascendingKey(0) < WorkKeys.ascendingKey(1));
  }

  @Test
  void probesHitAndMissingProbesMiss() {
    Set<Long> keys =
        Arrays.stream(WorkKeys.keys(0, 1000))
            .boxed()
            .collect(Collectors.toCollection(HashSet::new));
    SplittableRandom random = new SplittableRandom(3);
    for (long key : WorkKeys.probes(random, 1000, COUNT)) {
      assertTrue(keys.contains(key));
    }
    for (long key : WorkKeys.missingProbes(random, 1000, COUNT)) {
      assertFalse(keys.contains(key));
    }
  }

  @Test
  void probesTouchEveryEntry() {
    long[] probes = WorkKeys.probes(new SplittableRandom(3), 1000, COUNT);
    assertEquals(1000, Arrays.stream(probes).distinct().count());
  }
}
