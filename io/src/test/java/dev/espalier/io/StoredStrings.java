// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.ValueReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * An index of byte strings that longs are made to: some of them are longer than a page has of a
 * key, or than a value may be that is in its page.
 */
record StoredStrings(BytesIndex index) implements StoredIndex {
  private static final int LONG_KEY = 150;

  /** Returns the string of a key: the strings are in the order of the keys. */
  static byte[] key(long key) {
    int more = key % 7 == 0 ? LONG_KEY : 0;
    return filled(key ^ Long.MIN_VALUE, more, (byte) key);
  }

  static byte[] value(long value) {
    int more = value % 29 == 0 ? 2_000 : (int) (value % 11) * 20;
    return filled(value, more, (byte) (3 * value));
  }

  private static byte[] filled(long first, int more, byte fill) {
    byte[] bytes = new byte[Long.BYTES + more];
    Arrays.fill(bytes, fill);
    ByteBuffer.wrap(bytes).putLong(0, first);
    return bytes;
  }

  private static PackedBytes packed(LongStream longs, LongFunction<byte[]> as) {
    return PackedBytes.of(longs.mapToObj(as).toList());
  }

  @Override
  public void set(long key, long value) {
    index.set(key(key), value(value));
  }

  @Override
  public void put(long key, long value) {
    index.put(key(key), value(value));
  }

  @Override
  public void putIfAbsent(long key, long value) {
    index.putIfAbsent(key(key), value(value));
  }

  @Override
  public void putAll(long[] keys, long[] values) {
    index.putAll(
        packed(Arrays.stream(keys), StoredStrings::key),
        packed(Arrays.stream(values), StoredStrings::value));
  }

  @Override
  public void delete(long key) {
    index.delete(key(key));
  }

  @Override
  public void remove(long key) {
    index.remove(key(key));
  }

  @Override
  public void removeRange(long from, long to) {
    index.removeRange(key(from), true, key(to + 1), false);
  }

  @Override
  public void clear() {
    index.clear();
  }

  @Override
  public void bulkload(long[] keys, long[] values) {
    index.bulkload(new Source(keys, values), 1, keys.length, ProgressListener.NONE);
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
  public @Nullable Place ceiling(long key) {
    BytesCursor cursor = index.cursor();
    return cursor.ceiling(MemorySegment.ofArray(key(key)))
        ? new Place(
            asLong(cursor.keyArray()) ^ Long.MIN_VALUE,
            value -> cursor.setValue(MemorySegment.ofArray(value(value))),
            cursor::remove)
        : null;
  }

  @Override
  public SequencedMap<Long, Long> entries() {
    SequencedMap<Long, Long> entries = new TreeMap<>();
    BytesCursor cursor = index.cursor();
    while (cursor.next()) {
      long key = asLong(cursor.keyArray()) ^ Long.MIN_VALUE;
      long value = asLong(cursor.valueArray());
      assertArrayEquals(key(key), cursor.keyArray());
      assertArrayEquals(value(value), cursor.valueArray());
      entries.put(key, value);
    }
    return entries;
  }

  private static long asLong(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }

  @Override
  public long size() {
    return index.size();
  }

  @Override
  public void verify() {
    index.verify();
  }

  @Override
  public void close() {
    index.close();
  }

  /** Entries for a bulkload. */
  private static final class Source implements BytesEntrySource {
    private final long[] keys;
    private final long[] values;
    private int at = -1;

    Source(long[] keys, long[] values) {
      this.keys = keys;
      this.values = values;
    }

    @Override
    public boolean next() {
      return ++at < keys.length;
    }

    @Override
    public MemorySegment key() {
      return MemorySegment.ofArray(StoredStrings.key(keys[at]));
    }

    @Override
    public long valueBytes() {
      return StoredStrings.value(values[at]).length;
    }

    @Override
    public void value(ValueReader reader) {
      byte[] value = StoredStrings.value(values[at]);
      reader.read(MemorySegment.ofArray(value), 0, value.length, 0, value.length);
    }
  }
}
