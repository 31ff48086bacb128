// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Objects;

/** The entries of two parallel arrays. */
final class ArrayEntrySource implements LongEntrySource {
  private final long[] keys;
  private final long[] values;
  private final int count;
  private int position = -1;

  ArrayEntrySource(long[] keys, long[] values, int count) {
    Objects.checkFromIndexSize(0, count, keys.length);
    Objects.checkFromIndexSize(0, count, values.length);
    this.keys = keys;
    this.values = values;
    this.count = count;
  }

  @Override
  public boolean next() {
    if (position + 1 >= count) {
      return false;
    }
    position++;
    return true;
  }

  @Override
  public long key() {
    return keys[position];
  }

  @Override
  public long value() {
    return values[position];
  }
}
