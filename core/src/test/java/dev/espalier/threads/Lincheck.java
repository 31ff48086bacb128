// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.TestSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.util.LoggingLevel;

/**
 * Has Lincheck call an index from three threads at random, and look for an order of the calls that
 * explains all answers. Its stress mode only: its model checker knows no JDK 25.
 *
 * <p>It runs in a JVM of its own, because it rewrites classes, and prints what it could not
 * rewrite.
 */
public final class Lincheck {
  private static final int NOT_LINEARIZABLE = 3;
  private static final long PATIENCE_SECONDS = 240;

  private Lincheck() {}

  /** Asserts that an order was found for each round of random scenarios. */
  public static void check(Class<? extends LincheckOperations> operations) throws Exception {
    assertEquals("", fault(operations, TestSize.of(10, 60), TestSize.of(150, 250)));
  }

  /**
   * Returns the calls and answers of a round that no order explains; none if all were explained.
   *
   * @param scenarios how many are tried
   * @param rounds how often each is repeated
   */
  static String fault(Class<? extends LincheckOperations> operations, int scenarios, int rounds)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("lincheck", ".txt");
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-XX:+EnableDynamicAgentLoading",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Lincheck.class.getName(),
                  operations.getName(),
                  Integer.toString(scenarios),
                  Integer.toString(rounds))
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      boolean hasEnded = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      process.destroyForcibly().waitFor();
      String text = Files.readString(out);
      if (!hasEnded || process.exitValue() != 0 && process.exitValue() != NOT_LINEARIZABLE) {
        throw new IllegalStateException("Lincheck came to no result:\n" + text);
      }
      return process.exitValue() == 0 ? "" : text;
    } finally {
      Files.delete(out);
    }
  }

  /** Runs in the other JVM: the class of the operations, scenarios, rounds. */
  public static void main(String[] arguments) throws ClassNotFoundException {
    try {
      new StressOptions()
          .threads(3)
          .actorsBefore(2)
          .actorsPerThread(3)
          .actorsAfter(2)
          .iterations(Integer.parseInt(arguments[1]))
          .invocationsPerIteration(Integer.parseInt(arguments[2]))
          .sequentialSpecification(LincheckModel.class)
          .minimizeFailedScenario(false)
          .logLevel(LoggingLevel.OFF)
          .check(Class.forName(arguments[0]));
    } catch (AssertionError found) {
      System.out.println(found.getMessage());
      System.exit(NOT_LINEARIZABLE);
    }
  }
}
