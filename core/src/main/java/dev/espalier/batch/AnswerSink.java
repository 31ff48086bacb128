// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/** Takes the answers of probes, and runs what was buffered besides them, as they leave a tree. */
interface AnswerSink {

  /**
   * Takes the answers {@code from} to {@code to - 1}; the arrays will be overwritten.
   *
   * @param found has bit {@code i} if {@code keys[i]} is there
   */
  void answered(long[] tags, long[] keys, long[] values, long[] found, int from, int to);

  /** Runs an operation, which has a negative tag. */
  void operate(long key, long tag);
}
