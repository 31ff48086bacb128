// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/**
 * Takes the answers of a {@link BufferedAccess}, in the thread that calls it. A consumer must not
 * call the access or change the index.
 *
 * <p>If a method throws, the other probes are answered all the same, and the call that made them be
 * answered ends with the first exception.
 */
public interface AnswerConsumer {

  /**
   * Takes the values of keys: the probe with tag {@code tags[i]} for {@code keys[i]} found {@code
   * values[i]}, or the index's {@code missingValue()}.
   *
   * @param tags overwritten after the call, as all arrays
   * @param found tells whether {@code keys[i]} is there, for each {@code i} of an answer: it is if
   *     bit {@code i % 64} of {@code found[i / 64]} is set
   * @param from the first answer
   * @param to behind the last answer
   */
  void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to);

  /**
   * Takes an entry that a probe for the nearest key, or for a range, found; those of a range come
   * in ascending order, one right after the other.
   */
  default void entry(long tag, long key, long value) {}

  /** Tells that a probe for the nearest key or for a range has no more entries. */
  default void end(long tag) {}
}
