// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/**
 * Receives the answers of a {@link BufferedAccess}, in the thread that calls it, or those of a
 * stream of probes. A lambda will do:
 *
 * {@snippet :
 * AnswerConsumer consumer =
 *     (tag, key, value, found) -> System.out.println(key + (found ? " -> " + value : " is absent"));
 * }
 *
 * <p>Answers come out of the buffers many at a time. Where every nanosecond per answer counts,
 * implement {@link Bulk}, which is given the arrays.
 *
 * <p>A consumer must not call the access or change the index. If it throws, the other probes are
 * still answered, and the call that led to the answer, such as {@link BufferedAccess#flush}, then
 * throws the first exception.
 */
@FunctionalInterface
public interface AnswerConsumer {

  /**
   * Receives one answer: of a probe for the value of a key, or an entry found by a probe for the
   * nearest key or a range.
   *
   * @param tag the probe's tag
   * @param key the key asked for; for an entry, its own key
   * @param value the value found, or the index's {@code missingValue()}
   * @param found whether the index holds {@code key}
   */
  void answer(long tag, long key, long value, boolean found);

  /**
   * Receives the answers to probes for the value of a key, number {@code from} to number {@code to
   * - 1}. Unless overridden, calls {@link #answer} for each; if that throws, continues with the
   * next one, and throws the first exception at the end.
   *
   * @param tags the probes' tags; like all these arrays, it is overwritten after the call, and must
   *     not be changed
   * @param keys the keys asked for
   * @param values the values found, or the index's {@code missingValue()}
   * @param found a bit for each answer: {@code keys[i]} is in the index if bit {@code i % 64} of
   *     {@code found[i / 64]} is set
   * @param from the first answer
   * @param to the end of the answers, exclusive
   */
  default void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
    SingleAnswers.handOut(this, tags, keys, values, found, from, to);
  }

  /**
   * Receives an entry found by a probe for the nearest key or a range. The entries of a range come
   * in ascending order, one right after the other. Unless overridden, calls {@link #answer} with
   * {@code found} true.
   */
  default void entry(long tag, long key, long value) {
    answer(tag, key, value, true);
  }

  /**
   * Called after the last entry of a probe for the nearest key or a range; if there was none, this
   * is the probe's only answer. Unless overridden, does nothing.
   */
  default void end(long tag) {}

  /** Receives answers many at a time, as arrays: the fastest form, without a call per answer. */
  interface Bulk extends AnswerConsumer {

    @Override
    void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to);

    /** Calls {@link #values} for a single answer. */
    @Override
    default void answer(long tag, long key, long value, boolean found) {
      long[] bits = {found ? 1 : 0};
      values(new long[] {tag}, new long[] {key}, new long[] {value}, bits, 0, 1);
    }
  }
}
