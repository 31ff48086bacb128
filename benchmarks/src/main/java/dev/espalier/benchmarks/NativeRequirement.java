// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.Prefetch;

/**
 * Keeps a benchmark from measuring the Java fallback unnoticed. The property {@value #PROPERTY} is
 * {@code required} (the default) or {@code any}.
 */
public final class NativeRequirement {
  /** The system property that says whether native code must be in use. */
  public static final String PROPERTY = "espalier.bench.native";

  /** The value that accepts the Java fallback. */
  public static final String ANY = "any";

  private static final String REQUIRED = "required";

  private NativeRequirement() {}

  /**
   * Checks that native code is in use if it is required.
   *
   * @throws IllegalStateException if it is not; the message says why and what helps
   * @throws IllegalArgumentException if the property has another value than the two
   */
  public static void check() {
    check(System.getProperty(PROPERTY, REQUIRED), Prefetch.status());
  }

  static void check(String requirement, NativeStatus status) {
    switch (requirement) {
      case ANY -> {}
      case REQUIRED -> {
        if (!status.isAvailable()) {
          throw new IllegalStateException(
              "native code is required but not in use ("
                  + status
                  + "); -D"
                  + PROPERTY
                  + "="
                  + ANY
                  + " measures the Java fallback");
        }
      }
      default ->
          throw new IllegalArgumentException(
              PROPERTY + " is '" + requirement + "'; it must be " + REQUIRED + " or " + ANY);
    }
  }
}
