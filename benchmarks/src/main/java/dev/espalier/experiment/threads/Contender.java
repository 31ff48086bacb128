// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

/**
 * A map that threads use at once. Each kind has a loop of its own, so that the JIT compiler knows
 * whose methods it calls.
 */
interface Contender extends AutoCloseable {
  /** Returns what the chart calls it. */
  String label();

  /** Tells whether several threads may use it, as they may most. */
  default boolean isShared() {
    return true;
  }

  /** Does the operations from one to another, and returns how many answers were wrong. */
  long run(Operations operations, int from, int to);

  @Override
  void close();
}
