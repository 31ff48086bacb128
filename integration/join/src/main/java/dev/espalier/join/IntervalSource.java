// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.util.Objects;

/**
 * The outer side of a {@link BandJoin}: a source of rows in batches, like {@link OuterSource}, in
 * which each row has an interval of keys. Both ends belong to the interval; it is empty if the
 * lower end is greater than the upper.
 */
public interface IntervalSource {

  /** Starts at the first row. Called by {@link BatchJoin#open}. */
  void open();

  /**
   * Writes the next rows to the front of three arrays, whose length is the batch size of the join.
   *
   * @param lows receives the lower end of each interval
   * @param highs receives the upper end of each interval
   * @param payloads receives the payload of each row
   * @return the number of rows, from 1 to the arrays' length, or 0 at the end
   */
  int nextBatch(long[] lows, long[] highs, long[] payloads);

  /**
   * Finishes reading. {@link #open} may be called again afterwards. Called by {@link
   * BatchJoin#close}.
   */
  void close();

  /**
   * Returns a source of the rows of three arrays, which are not copied.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   */
  static IntervalSource of(long[] lows, long[] highs, long[] payloads) {
    Objects.requireNonNull(lows, "lows is null");
    Objects.requireNonNull(highs, "highs is null");
    Objects.requireNonNull(payloads, "payloads is null");
    if (lows.length != highs.length || lows.length != payloads.length) {
      throw new IllegalArgumentException(
          "the arrays differ in length: lows.length=%d, highs.length=%d, payloads.length=%d"
              .formatted(lows.length, highs.length, payloads.length));
    }
    return new ArrayIntervals(lows, highs, payloads);
  }

  /**
   * Returns a source whose intervals lie around the keys of other rows: from {@code key - below} to
   * {@code key + above}, but not beyond the least and the greatest long.
   *
   * @throws IllegalArgumentException if {@code below} or {@code above} is negative
   */
  static IntervalSource around(OuterSource rows, long below, long above) {
    return new IntervalsAround(Objects.requireNonNull(rows, "rows is null"), below, above);
  }
}
