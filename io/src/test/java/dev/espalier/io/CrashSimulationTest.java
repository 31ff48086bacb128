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
  @MethodSource("dev.espalier.io.PagedTrees#allNamesOfKinds")
  void whatWasAcknowledgedOutlivesEveryCrash(String tree) {
    CrashRun.Outcome sum = NONE;
    // All 400 have 1,250 power losses and more, those of eight trees 10,000.
    long[] seeds = TestSize.seeds(tree, 8, 400);
    for (long seed : seeds) {
      sum = sum.plus(new CrashRun(CrashSetup.of(tree, seed)).run());
    }
    assertTrue(sum.powerLosses() > 2.5 * seeds.length, sum.toString());
    assertTrue(sum.kills() > seeds.length, sum.toString());
    assertTrue(sum.inRecovery() > seeds.length, sum.toString());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.io.PagedTrees#allNamesOfKinds")
  void smallRunOutlivesACrashAtEachOfItsOperations(String tree) {
    CrashSetup setup = CrashSetup.of(tree, 4).withMode(CrashSetup.Mode.PLAIN).withLives(1, 60);
    long operations = new CrashRun(setup).runTo(Integer.MAX_VALUE).operations();
    assertTrue(operations > 40, "operations: " + operations);
    for (int at = TestSize.after(0); at <= operations; at = TestSize.after(at)) {
      new CrashRun(setup).runTo(at);
    }
  }
}
