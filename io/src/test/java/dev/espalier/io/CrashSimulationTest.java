// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whenever power fails or the process is killed, a store has what it promised, and nothing else.
 */
class CrashSimulationTest {
  private static final CrashRun.Outcome NONE = new CrashRun.Outcome(0, 0, 0, 0);

  @ParameterizedTest
  @MethodSource("dev.espalier.io.PagedTrees#names")
  void whatWasAcknowledgedOutlivesEveryCrash(String tree) {
    int runs = Integer.getInteger("runs", TestSize.of(20, 400));
    CrashRun.Outcome sum = NONE;
    for (int seed = 0; seed < runs; seed++) {
      sum = sum.plus(new CrashRun(CrashSetup.of(tree, seed)).run());
    }
    System.out.println(tree + " " + sum);
    assertTrue(sum.powerLosses() > 2 * runs, sum.toString());
    assertTrue(sum.kills() > runs, sum.toString());
    assertTrue(sum.inRecovery() > runs / 2, sum.toString());
  }
}
