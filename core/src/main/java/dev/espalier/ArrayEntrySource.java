// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** The entries of two parallel arrays. */
final class ArrayEntrySource implements LongEntrySource {
  private final long[] keys;
  private final long[] values;
  private final int count;
  private int position = -1;

  ArrayEntrySource(long[] keys, long[] values, int count) {
    checkCount("keys", keys.length, count);
    checkCount("values", values.length, count);
    this.keys = keys;
    this.values = values;
    this.count = count;
  }

  private static void checkCount(String name, int length, int count) {
    if (count < 0 || count > length) {
      throw new IndexOutOfBoundsException(
          "count=" + count + " is out of bounds of " + name + ", whose length is " + length);
    }
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
