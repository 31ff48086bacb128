// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.LongCursor;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;

/**
 * What the verifiers of all trees have in common: checks that name their invariant, and a count of
 * the entries that were checked, which the listener follows.
 */
@SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
public abstract class Verifier {
  private final ProgressListener listener;
  private final long total;
  private long entries;

  /**
   * Begins a check.
   *
   * @param total entries that there should be, for the listener
   */
  protected Verifier(ProgressListener listener, long total) {
    this.listener = listener;
    this.total = total;
  }

  /**
   * Checks that something holds, and describes what does not.
   *
   * @param invariant its number, such as "I3"
   * @throws InvariantViolationException if it does not hold
   */
  protected static void check(boolean holds, String invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(invariant, String.format(format, arguments));
    }
  }

  /** Checks that a number is what it has to be; {@code what} with its arguments describes it. */
  protected static void checkEqual(
      String invariant, long number, long expected, String what, Object... arguments) {
    if (number != expected) {
      throw new InvariantViolationException(
          invariant,
          "%s is %d, not %d".formatted(String.format(what, arguments), number, expected));
    }
  }

  /** Checks that a number lies in a range; {@code what} with its arguments describes it. */
  protected static void checkRange(
      String invariant, long number, long least, long most, String what, Object... arguments) {
    if (number < least || number > most) {
      throw new InvariantViolationException(
          invariant,
          "%s is %d, not from %d to %d"
              .formatted(String.format(what, arguments), number, least, most));
    }
  }

  /**
   * Checks that no key has an entry in a range that readers have found dead.
   *
   * @param cursor over the tree, which knows nothing of the ranges
   */
  protected static void checkDead(String invariant, DeadRanges dead, LongCursor cursor) {
    OptionalLong alive = dead.alive(cursor);
    check(alive.isEmpty(), invariant, "there is an entry in a range that is dead: %s", alive);
  }

  /** Counts entries that were checked, and asks the listener now and then whether to go on. */
  protected final void count(long more) {
    long before = entries;
    entries += more;
    if (before >>> 16 != entries >>> 16 && !listener.onProgress(entries, total)) {
      throw new CancellationException("verify cancelled after " + entries + " entries");
    }
  }

  /** Returns how many entries were checked so far. */
  protected final long entries() {
    return entries;
  }
}
