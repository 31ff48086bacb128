// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Set;
import org.junit.jupiter.api.Test;

class RulesTest {
  private static final int MOST = Integer.getInteger("runs", 500);

  static int runsUntilFound(
      java.util.function.UnaryOperator<CrashSetup> rule, CrashSetup.Mode mode) {
    String tree = System.getProperty("tree", "DiskFirstFpbPlusTree");
    for (int seed = 0; seed < MOST; seed++) {
      try {
        CrashSetup setup = CrashSetup.of(tree, seed); if (Boolean.getBoolean("shortLives")) setup = setup.withLives(12, 12);
        new CrashRun(rule.apply(mode == null ? setup : setup.withMode(mode))).run();
      } catch (AssertionError found) {
        System.out.println(
            "   " + found.getMessage().substring(0, Math.min(found.getMessage().length(), 400)));
        return seed + 1;
      }
    }
    return -1;
  }

  @Test
  void explore() {
    CrashSetup.Mode mode =
        System.getProperty("mode") == null
            ? CrashSetup.Mode.PLAIN
            : CrashSetup.Mode.valueOf(System.getProperty("mode"));
    String only = System.getProperty("only", "");
    String from = System.getProperty("from", "");
    for (DiskRule rule : DiskRule.values()) {
      if (rule.name().contains(only))
        System.out.println(
            rule + " " + runsUntilFound(s -> s.withAround(f -> new RuleBreaker(f, rule)), mode));
    }
    for (Rule rule : Rule.values()) {
      if (rule.name().contains(only))
        System.out.println(
            rule
                + " "
                + runsUntilFound(
                    s ->
                        s.withEnvironment(
                            e ->
                                new StoreEnvironment(
                                    e.files(), e.random(), e.scatters(), false, Set.of(rule))),
                    mode));
    }
  }
}
