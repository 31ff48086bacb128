// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets a run take its part of the invocations of each test that is {@link Drawn}, or has a {@link
 * TreeShape} or a {@link PagedShape} as an argument. JUnit finds it as a service.
 */
public final class DrawnInvocations implements ExecutionCondition {
  private static final Pattern INVOCATION =
      Pattern.compile("\\[test-template-invocation:#(\\d+)\\]$");

  /** Of so many in the beginning one is taken, so that a test with few has one in every run. */
  private static final int FEW = 3;

  /** Is told which invocations a run would have, none of which runs; usually nobody. */
  private static volatile @Nullable Consumer<String> told;

  /** Runs something in which no invocation runs, and those that would are told. */
  static void tellingOnly(Consumer<String> listener, Runnable what) {
    told = listener;
    try {
      what.run();
    } finally {
      told = null;
    }
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    Matcher invocation = INVOCATION.matcher(context.getUniqueId());
    boolean isInvocation = invocation.find();
    boolean isTaken =
        !isInvocation
            || takes(Draw.current(), context.getRequiredTestMethod(), invocation.group(1));
    Consumer<String> listener = told;
    if (listener == null) {
      return isTaken
          ? ConditionEvaluationResult.enabled("of this run")
          : ConditionEvaluationResult.disabled("of another seed");
    }
    if (isInvocation && isTaken) {
      listener.accept(context.getRequiredTestMethod() + " " + arguments(context));
    }
    return isInvocation
        ? ConditionEvaluationResult.disabled("told only")
        : ConditionEvaluationResult.enabled("has invocations");
  }

  /**
   * Returns the name of an invocation without its number, which may be another with each seed, and
   * without the hash codes of arguments that have no name.
   */
  private static String arguments(ExtensionContext context) {
    return context.getDisplayName().replaceAll("^\\[\\d+\\] |@[0-9a-f]+", "");
  }

  /** Tells whether a draw takes an invocation; it takes one of the first three at least. */
  static boolean takes(Draw draw, Method test, String invocation) {
    if (!isDrawn(test)) {
      return true;
    }
    long number = Long.parseLong(invocation);
    Draw row = number <= FEW ? new Draw(draw.seed(), Math.min(FEW, draw.parts())) : draw;
    return row.takes(test.toString(), number);
  }

  /** Tells whether a test's invocations are drawn. */
  static boolean isDrawn(Method test) {
    Drawn drawn = test.getAnnotation(Drawn.class);
    return drawn != null
        ? drawn.value()
        : Arrays.stream(test.getParameterTypes())
            .anyMatch(type -> type == TreeShape.class || type == PagedShape.class);
  }
}
