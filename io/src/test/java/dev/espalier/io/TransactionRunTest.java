// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transactions that are interleaved at random notice nothing of one another; and each rule by which
 * that is so is missed when it is left out.
 */
class TransactionRunTest {
  private static final int STEPS = 250;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FpbLinkTree",
        "BLinkTree",
        "PioBTree",
        "DiskFirstFpbPlusTree",
        "BEpsilonTree",
        StoreBytesIndex.KIND
      })
  void transactionsNoticeNothingOfOneAnother(String tree) {
    int committed = 0;
    int refused = 0;
    long[] seeds = TestSize.seeds(tree, 40, 300);
    for (long seed : seeds) {
      try {
        int[] outcome = TransactionRun.run(tree, seed, STEPS, Set.of());
        committed += outcome[0];
        refused += outcome[1];
      } catch (AssertionError | RuntimeException failed) {
        throw new AssertionError("seed " + seed + ": " + failed.getMessage(), failed);
      }
    }
    assertTrue(
        committed > 3 * seeds.length && refused > 3 * seeds.length, committed + " and " + refused);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "TRANSACTIONS_ARE_ANNOUNCED_FIRST",
        "TIME_AND_ENTRY_ARE_ONE_STEP",
        "VERSIONS_STAY_FOR_THE_OLDEST",
        "TREES_ARE_READ_BEFORE_VERSIONS",
        "VERSIONS_COME_BEFORE_CHANGES",
        "TURNS_ARE_PUBLISHED_AT_THEIR_END",
        "WRITERS_ARE_WITHIN_BEFORE_THEY_LOOK",
        "KEYS_WRITTEN_ARE_CHECKED",
        "KEYS_READ_ARE_CHECKED",
        "RANGES_READ_ARE_CHECKED"
      })
  @Tag("thorough")
  void ruleIsMissed(Rule rule) {
    assertMissed(rule, "FpbLinkTree");
  }

  /** Those by which transactions of byte strings read, write and are checked. */
  @ParameterizedTest
  @EnumSource(
      names = {
        "VERSIONS_STAY_FOR_THE_OLDEST",
        "TREES_ARE_READ_BEFORE_VERSIONS",
        "VERSIONS_COME_BEFORE_CHANGES",
        "TURNS_ARE_PUBLISHED_AT_THEIR_END",
        "WRITERS_ARE_WITHIN_BEFORE_THEY_LOOK",
        "KEYS_WRITTEN_ARE_CHECKED",
        "KEYS_READ_ARE_CHECKED",
        "RANGES_READ_ARE_CHECKED"
      })
  void ruleIsMissedWithByteStrings(Rule rule) {
    assertMissed(rule, StoreBytesIndex.KIND);
  }

  private static void assertMissed(Rule rule, String tree) {
    for (int seed = 0; seed < 500; seed++) {
      try {
        TransactionRun.run(tree, seed, STEPS, Set.of(rule));
      } catch (AssertionError found) {
        return;
      }
    }
    throw new AssertionError(rule + " was not missed with " + tree);
  }
}
