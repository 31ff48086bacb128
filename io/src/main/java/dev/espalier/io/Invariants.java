// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.inspect.InvariantViolationException;
import org.jspecify.annotations.Nullable;

/** What the verifiers of stores have in common. */
final class Invariants {
  private Invariants() {}

  /**
   * Checks that something holds, and describes what does not.
   *
   * @param invariant its number, such as "I3"
   * @throws InvariantViolationException if it does not hold
   */
  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
  static void check(boolean holds, String invariant, String format, @Nullable Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(invariant, String.format(format, arguments));
    }
  }
}
