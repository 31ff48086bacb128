// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/** Guava's suites, whose test cases are JUnit 3's, as tests of today. */
public final class GuavaCases {
  private final Predicate<String> parts;
  private final Runner runner;

  /** Runs a test case, with what has to be before and after it. */
  @FunctionalInterface
  public interface Runner {
    /** Runs {@code test}. */
    void run(TestCase test) throws Throwable;
  }

  private GuavaCases(Predicate<String> parts, Runner runner) {
    this.parts = parts;
    this.runner = runner;
  }

  /**
   * Returns the test cases of a suite's testers as one test, and its derived suites. All in all
   * there are a hundred thousand test cases, and as a test of its own each would take longer than
   * what it does.
   *
   * @param parts which derived suites are wanted, by name
   */
  public static Stream<DynamicNode> of(TestSuite suite, Predicate<String> parts, Runner runner) {
    return new GuavaCases(parts, runner).nodes(suite);
  }

  private Stream<DynamicNode> nodes(TestSuite suite) {
    List<TestCase> cases = new ArrayList<>();
    List<DynamicNode> nodes = new ArrayList<>();
    for (Test part : Collections.list(suite.tests())) {
      switch (part) {
        case TestCase single -> cases.add(single);
        case TestSuite tester when hasOnlyTestCases(tester) ->
            Collections.list(tester.tests()).forEach(test -> cases.add((TestCase) test));
        case TestSuite derived when parts.test(derived.getName()) ->
            nodes.add(DynamicContainer.dynamicContainer(derived.getName(), nodes(derived)));
        case TestSuite _ -> {
          // Not wanted.
        }
        default -> throw new IllegalArgumentException("neither suite nor test case: " + part);
      }
    }
    if (!cases.isEmpty()) {
      nodes.add(DynamicTest.dynamicTest(suite.getName(), () -> runAll(suite.getName(), cases)));
    }
    return nodes.stream();
  }

  private static boolean hasOnlyTestCases(TestSuite suite) {
    return Collections.list(suite.tests()).stream().allMatch(TestCase.class::isInstance);
  }

  /** Runs all test cases, and reports each that fails by its name. */
  private void runAll(String name, List<TestCase> cases) {
    assertAll(
        name,
        cases.stream()
            .map(test -> () -> assertDoesNotThrow(() -> runner.run(test), test::getName)));
  }
}
