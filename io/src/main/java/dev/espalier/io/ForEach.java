// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Does something to each of several things, whatever becomes of the others. */
final class ForEach {
  private ForEach() {}

  /**
   * Does something to all; then throws the first exception or error, if there was any, with the
   * later ones suppressed.
   */
  static <T> void all(Collection<T> things, Consumer<? super T> action) {
    Throwable first = null;
    for (T thing : things) {
      try {
        action.accept(thing);
      } catch (RuntimeException | Error failed) {
        first = first(first, failed);
      }
    }
    if (first instanceof Error error) {
      throw error;
    }
    if (first != null) {
      throw (RuntimeException) first;
    }
  }

  private static Throwable first(@Nullable Throwable first, Throwable failed) {
    if (first == null) {
      return failed;
    }
    if (!failed.equals(first)) { // None can be suppressed by itself.
      first.addSuppressed(failed);
    }
    return first;
  }
}
