// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import java.lang.StackWalker.StackFrame;

/**
 * Rounds of tests that draw by a seed what their threads do. A failure names its seed and the
 * command that begins with it. The threads may take turns in another way then, so that it may take
 * more than one try.
 */
final class Seeds {
  private Seeds() {}

  /** One round of a test. */
  interface Round {
    void run(long seed) throws Exception;
  }

  /**
   * Runs so many rounds, with one seed after the other, from 0 or from the one of {@code -Dseed}.
   */
  static void run(int rounds, Round round) {
    long first = Long.getLong("seed", 0);
    for (long seed = first; seed < first + rounds; seed++) {
      try {
        round.run(seed);
      } catch (Exception | AssertionError failed) {
        throw new AssertionError(
            "seed %d: %s%nto begin with it: mvn -B -ntp -am verify -Dtest=%s -Dseed=%d -Dsurefire.failIfNoSpecifiedTests=false -pl MODULE"
                .formatted(seed, failed, test(), seed),
            failed);
      }
    }
  }

  /** Returns the class and the method of the test that is running. */
  private static String test() {
    return StackWalker.getInstance()
        .walk(frames -> frames.filter(Seeds::isTest).findFirst())
        .map(frame -> simpleName(frame) + "#" + frame.getMethodName())
        .orElse("TEST");
  }

  private static boolean isTest(StackFrame frame) {
    return frame.getClassName().endsWith("Test");
  }

  private static String simpleName(StackFrame frame) {
    return frame.getClassName().substring(frame.getClassName().lastIndexOf('.') + 1);
  }
}
