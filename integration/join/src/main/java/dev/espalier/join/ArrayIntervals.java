// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/** The rows of three parallel arrays. */
final class ArrayIntervals implements IntervalSource {
  private final long[] lows;
  private final long[] highs;
  private final long[] payloads;
  private int position;

  ArrayIntervals(long[] lows, long[] highs, long[] payloads) {
    this.lows = lows;
    this.highs = highs;
    this.payloads = payloads;
  }

  @Override
  public void open() {
    position = 0;
  }

  @Override
  public int nextBatch(long[] batchLows, long[] batchHighs, long[] batchPayloads) {
    int rows = Math.min(batchLows.length, lows.length - position);
    System.arraycopy(lows, position, batchLows, 0, rows);
    System.arraycopy(highs, position, batchHighs, 0, rows);
    System.arraycopy(payloads, position, batchPayloads, 0, rows);
    position += rows;
    return rows;
  }

  @Override
  public void close() {}
}
