// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which entries are drawn, and what is done with them. */
final class DrawsTest {
  private static final int ENTRIES = 1000;
  private static final int COUNT = 200_000;

  private static int[] counts(Distribution distribution, int entries) {
    Draws.Sequence sequence = new Draws(ENTRIES).sequence(distribution, 3);
    int[] counts = new int[entries];
    for (int i = 0; i < COUNT; i++) {
      counts[(int) sequence.next(entries)]++;
    }
    return counts;
  }

  @Test
  void uniformDrawsAreEven() {
    int[] counts = counts(Distribution.UNIFORM, ENTRIES);
    assertTrue(Arrays.stream(counts).min().orElseThrow() > COUNT / ENTRIES / 2);
    assertTrue(Arrays.stream(counts).max().orElseThrow() < COUNT / ENTRIES * 2);
  }

  /** Of a thousand ranks, the first is drawn once in zeta(1000, 0.99), which is 7.73. */
  @Test
  void frequentEntriesFollowZipfsLawAndAreSpread() {
    int[] counts = counts(Distribution.ZIPF, ENTRIES);
    int most = Arrays.stream(counts).max().orElseThrow();
    assertEquals(1 / 7.73, (double) most / COUNT, 0.01);
    int half = Arrays.stream(counts).limit(ENTRIES / 2).sum();
    assertTrue(half > COUNT / 5 && half < COUNT / 5 * 4, () -> half + " of " + COUNT);
  }

  @Test
  void latestEntriesAreFrequentWhereverTheEndIs() {
    int more = ENTRIES + ENTRIES / 2;
    int[] counts = counts(Distribution.LATEST, more);
    assertEquals(1 / 7.73, (double) counts[more - 1] / COUNT, 0.01);
    assertTrue(counts[more - 1] > counts[more - 2]);
    assertTrue(counts[more - 2] > counts[more - 20]);
  }

  @Test
  void drawsStayAmongTheEntriesThatAreThere() {
    for (Distribution distribution : Distribution.values()) {
      assertEquals(COUNT, Arrays.stream(counts(distribution, 10)).sum());
    }
  }

  @Test
  void sharesOfOperationsAreThoseOfYcsb() {
    assertEquals("{READ=50, UPDATE=50}", shares(Work.A));
    assertEquals("{READ=95, UPDATE=5}", shares(Work.B));
    assertEquals("{READ=100}", shares(Work.C));
    assertEquals("{READ=95, INSERT=5}", shares(Work.D));
    assertEquals("{INSERT=5, SCAN=95}", shares(Work.E));
    assertEquals("{READ=50, READ_MODIFY_WRITE=50}", shares(Work.F));
    assertEquals("{SCAN=100}", shares(Work.SEEK_RANDOM));
    assertEquals("{REMOVE=100}", shares(Work.DELETE_RANDOM));
  }

  private static String shares(Work work) {
    Map<Work.Operation, Integer> shares = new EnumMap<>(Work.Operation.class);
    for (int percent = 0; percent < 100; percent++) {
      shares.merge(work.operation(percent), 1, Integer::sum);
    }
    return shares.toString();
  }
}
