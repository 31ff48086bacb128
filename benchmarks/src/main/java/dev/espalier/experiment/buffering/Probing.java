// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

/** Probes that are about to be made. */
interface Probing extends AutoCloseable {

  /** Returns the virtual nodes, or the method that is taken; empty if there is neither. */
  default String way() {
    return "";
  }

  /** Makes all probes and returns the sum of what they found. */
  long run();

  /** Frees what the probes needed. */
  @Override
  default void close() {}
}
