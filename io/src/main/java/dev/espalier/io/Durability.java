// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.time.Duration;
import java.util.Objects;

/**
 * When what is written to a store is safe from a crash. Whichever is chosen, what survives is all
 * that was written up to some moment, in order, with no batch in part.
 */
public sealed interface Durability {

  /** Safe when {@link IndexStore#commit} or {@code flush} of an index returns: the default. */
  Durability ON_COMMIT = new OnCommit();

  /** Every write is safe when it returns. Many threads that write share one wait for the device. */
  Durability EVERY_WRITE = new EveryWrite();

  /** Safe at a commit, and at the latest some time after it was written, in the background. */
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
