// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.time.Duration;
import java.util.Objects;

/**
 * When writes to a store are safe from a crash. Whichever is chosen, what survives is everything
 * that was written up to some moment, in order, and never part of a batch.
 */
public sealed interface Durability {

  /**
   * Writes are safe when {@link IndexStore#commit} or {@code flush} of an index returns: the
   * default.
   */
  Durability ON_COMMIT = new OnCommit();

  /** Every write is safe when it returns. Many threads that write share one wait for the device. */
  Durability EVERY_WRITE = new EveryWrite();

  /**
   * Returns a durability under which a write is safe at a commit or, in the background, at most a
   * given time after it was made.
   */
  static Durability within(Duration time) {
    return new Within(time);
  }

  /** See {@link #ON_COMMIT}. */
  record OnCommit() implements Durability {}

  /** See {@link #EVERY_WRITE}. */
  record EveryWrite() implements Durability {}

  /**
   * See {@link #within}.
   *
   * @param time from a millisecond to an hour
   */
  record Within(Duration time) implements Durability {
    /** Checks the time. */
    public Within {
      Objects.requireNonNull(time, "time");
      if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(Duration.ofHours(1)) > 0) {
        throw new IllegalArgumentException(
            "time is " + time + "; it must be from a millisecond to an hour");
      }
    }
  }
}
