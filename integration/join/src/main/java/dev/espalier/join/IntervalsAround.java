// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/** Intervals of the same width around the keys of other rows. */
final class IntervalsAround implements IntervalSource {
  private final OuterSource rows;
  private final long below;
  private final long above;

  IntervalsAround(OuterSource rows, long below, long above) {
    this.rows = rows;
    this.below = checkWidth("below", below);
    this.above = checkWidth("above", above);
  }

  private static long checkWidth(String name, long width) {
    if (width < 0) {
      throw new IllegalArgumentException(name + " is " + width + "; it must not be negative");
    }
    return width;
  }

  @Override
  public void open() {
    rows.open();
  }

  @Override
  public int nextBatch(long[] lows, long[] highs, long[] payloads) {
    int count = rows.nextBatch(lows, payloads);
    for (int row = 0; row < Math.min(count, lows.length); row++) {
      long key = lows[row];
      long low = key - below;
      long high = key + above;
      lows[row] = low <= key ? low : Long.MIN_VALUE;
      highs[row] = high >= key ? high : Long.MAX_VALUE;
    }
    return count;
  }

  @Override
  public void close() {
    rows.close();
  }
}
