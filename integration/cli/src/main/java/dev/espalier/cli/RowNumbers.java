// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongEntrySource;

/** The keys of a table, ascending, with their rows' numbers, counted from 0, as values. */
final class RowNumbers implements LongEntrySource {
  private final long[] keys;
  private int row = -1;

  RowNumbers(long[] keys) {
    this.keys = keys;
  }

  @Override
  public boolean next() {
    row++;
    return row < keys.length;
  }

  @Override
  public long key() {
    return keys[row];
  }

  @Override
  public long value() {
    return row;
  }
}
