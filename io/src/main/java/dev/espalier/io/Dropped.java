// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.ref.Cleaner;

/** Releases the system resources of files whose owners are dropped without being closed. */
final class Dropped {
  private static final Cleaner CLEANER = Cleaner.create();

  private Dropped() {}

  /**
   * Runs an action once: when it is called for, or when an object can't be reached any more.
   *
   * @param user every use ends with a call to it, so that it is reachable while one is under way
   * @param action must not refer to {@code user}
   */
  static Cleaner.Cleanable once(Object user, Runnable action) {
    return CLEANER.register(user, action);
  }
}
