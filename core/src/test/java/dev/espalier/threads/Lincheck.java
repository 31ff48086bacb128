// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.TestSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.CTestStructure;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.execution.RandomExecutionGenerator;
import org.jetbrains.lincheck.datastructures.CTestConfiguration;
import org.jetbrains.lincheck.datastructures.RandomProvider;
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

  /**
   * Asserts that an order was found for each round of random scenarios: the first ones, or in a
   * thorough run the run's part of all.
   */
  public static void check(Class<? extends LincheckOperations> operations) throws Exception {
    long[] scenarios = TestSize.seeds(operations.getName(), 10, 60);
    assertEquals("", fault(operations, scenarios, TestSize.of(150, 250)));
  }

  /**
   * Returns the calls and answers of a round that no order explains; none if all were explained.
   *
   * @param scenarios which are tried of those that Lincheck makes, counted from 0
   * @param rounds how often each is repeated
   */
  static String fault(Class<? extends LincheckOperations> operations, long[] scenarios, int rounds)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("lincheck");
    Path out = folder.resolve("output.txt");
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-XX:+EnableDynamicAgentLoading",
                  "-XX:+UseSerialGC",
                  "-Djava.io.tmpdir=" + folder, // It leaves a jar behind.
                  "-cp",
                  System.getProperty("java.class.path"),
                  Lincheck.class.getName(),
                  operations.getName(),
                  Arrays.stream(scenarios)
                      .mapToObj(Long::toString)
                      .collect(Collectors.joining(",")),
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
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  /** Runs in the other JVM: the class of the operations, scenarios, rounds. */
  public static void main(String[] arguments) throws ClassNotFoundException {
    ChosenScenarios.numbers =
        Arrays.stream(arguments[1].split(",")).mapToInt(Integer::parseInt).toArray();
    try {
      new StressOptions()
          .threads(3)
          .actorsBefore(2)
          .actorsPerThread(3)
          .actorsAfter(2)
          .iterations(ChosenScenarios.numbers.length)
          .executionGenerator(ChosenScenarios.class)
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

  /** Makes all scenarios up to the last that was chosen, always the same, and leaves some out. */
  public static final class ChosenScenarios extends RandomExecutionGenerator {
    /** Those to try, in ascending order, counted from 0. */
    private static int[] numbers = {};

    private int made;
    private int tried;

    public ChosenScenarios(
        CTestConfiguration configuration, CTestStructure structure, RandomProvider random) {
      super(configuration, structure, random);
    }

    @Override
    public ExecutionScenario nextExecution() {
      for (int number = numbers[tried++]; made < number; made++) {
        super.nextExecution();
      }
      made++;
      return super.nextExecution();
    }
  }
}
