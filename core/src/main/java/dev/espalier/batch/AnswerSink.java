// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/** Receives the answers of probes, and runs the operations buffered among them. */
interface AnswerSink {

  /**
   * Receives the answers {@code from} to {@code to - 1}. The arrays are overwritten later.
   *
   * @param found bit {@code i} is set if {@code keys[i]} is present
   */
  void answered(long[] tags, long[] keys, long[] values, long[] found, int from, int to);

  /** Runs the operation that a negative tag stands for. */
  void operate(long key, long tag);
}
