// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.WriteBatch;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.OptionalLong;

/**
 * An index of byte strings in a crash test. They begin with a long, from which the bytes after it
 * follow: none, some, and now and then more than a page has of a key or of a value.
 */
record CrashByteStrings(BytesIndex index) implements CrashIndex {
  /** One key and one value of so many are long. */
  private static final int LONG_ONES = 31;

  private static final int LONG_KEY_BYTES = 500;
  private static final int LONG_VALUE_BYTES = 6_000;
  private static final int MOST_SHORT_BYTES = 64;

  private static byte[] key(long key) {
    return filled(key ^ Long.MIN_VALUE, key, LONG_KEY_BYTES);
  }

  private static byte[] value(long value) {
    return filled(value, value, LONG_VALUE_BYTES);
  }

  private static byte[] filled(long first, long number, int longBytes) {
    int more =
        Math.floorMod(number, LONG_ONES) == 0 ? longBytes : Math.floorMod(number, MOST_SHORT_BYTES);
    byte[] bytes = new byte[Long.BYTES + more];
    Arrays.fill(bytes, (byte) number);
    ByteBuffer.wrap(bytes).putLong(0, first);
    return bytes;
  }

  @Override
  public void set(long key, long value) {
    index.set(key(key), value(value));
  }

  @Override
  public void delete(long key) {
    index.delete(key(key));
  }

  @Override
  public OptionalLong get(long key) {
    byte[] value = index.get(key(key));
    return value == null ? OptionalLong.empty() : OptionalLong.of(valueOf(key, value));
  }

  @Override
  public void addSet(WriteBatch batch, long key, long value) {
    batch.set(index, key(key), value(value));
  }

  @Override
  public void addDelete(WriteBatch batch, long key) {
    batch.delete(index, key(key));
  }

  @Override
  public void forEach(Entry entries) {
    BytesCursor cursor = index.cursor();
    while (cursor.next()) {
      byte[] bytes = cursor.keyArray();
      long key = first(bytes) ^ Long.MIN_VALUE;
      if (!Arrays.equals(bytes, key(key))) {
        throw new IllegalStateException(
            "key %s was never written".formatted(HexFormat.of().formatHex(bytes)));
      }
      entries.accept(key, valueOf(key, cursor.valueArray()));
    }
  }

  private static long valueOf(long key, byte[] bytes) {
    long value = first(bytes);
    if (!Arrays.equals(bytes, value(value))) {
      throw new IllegalStateException(
          "the value of key %d has %d bytes that were never written".formatted(key, bytes.length));
    }
    return value;
  }

  /** Returns the long that bytes begin with, 0 if they are too few. */
  private static long first(byte[] bytes) {
    return bytes.length < Long.BYTES ? 0 : ByteBuffer.wrap(bytes).getLong();
  }
}
