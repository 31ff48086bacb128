// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Fails a test that took more than its share of its {@link Timeout}, since a slower machine would
 * fail it by chance. Exhaustive runs ask for it; JUnit finds it as a service.
 */
public final class TimeoutMargin
    implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
  /** A test may take one part in so many of its timeout; 0 where nobody asks. */
  private static final int PARTS = Integer.getInteger("espalier.test.timeout.parts", 0);

  private static final Namespace TIMES = Namespace.create(TimeoutMargin.class);

  @Override
  public void beforeTestExecution(ExtensionContext test) {
    test.getStore(TIMES).put(TimeoutMargin.class, System.nanoTime());
  }

  @Override
  public void afterTestExecution(ExtensionContext test) {
    Long begun = test.getStore(TIMES).remove(TimeoutMargin.class, Long.class);
    if (PARTS > 0 && begun != null) {
      Duration took = Duration.ofNanos(System.nanoTime() - begun);
      excess(test.getRequiredTestMethod(), took, PARTS)
          .ifPresent(
              message -> {
                throw new AssertionError(message);
              });
    }
  }

  /** Says by how much a test took longer than one part in so many of its timeout, if it did. */
  static Optional<String> excess(Method test, Duration took, int parts) {
    return AnnotationSupport.findAnnotation(test, Timeout.class)
        .or(() -> AnnotationSupport.findAnnotation(test.getDeclaringClass(), Timeout.class))
        .map(timeout -> Duration.of(timeout.value(), timeout.unit().toChronoUnit()))
        .filter(limit -> took.compareTo(limit.dividedBy(parts)) > 0)
        .map(limit -> "took %s, more than 1/%d of its timeout of %s".formatted(took, parts, limit));
  }
}
