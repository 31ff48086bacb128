// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.LongBatchLookup;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * An index of longs over one of byte strings, so that what is asked of those for threads is asked
 * of this one. Each answer is checked to be one whole value.
 *
 * <p>Keys have a common beginning and some bytes behind the number, every fourth so many that a
 * page has not all of them. Values repeat their number, some so often that they are in pages of
 * their own.
 */
public final class LongsInByteStrings implements LongIndex {
  private static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "LongsInByteStrings",
          "",
          options ->
              new LongsInByteStrings(
                  ConcurrentPrefixBPlusTree.create(options, 512), options.missingValue(), 60));

  private static final int WORDS_OF_KEY = 2;

  public final BytesIndex index;
  private final long missing;

  /** Words in every fourth key. */
  private final int longKey;

  /**
   * Makes an index over another.
   *
   * @param longKey words in every fourth key
   */
  public LongsInByteStrings(BytesIndex index, long missing, int longKey) {
    this.index = index;
    this.missing = missing;
    this.longKey = longKey;
  }

  /** Returns the bytes of a key. */
  public byte[] key(long key) {
    int words = Math.floorMod(key / 3, 4) == 0 ? longKey : WORDS_OF_KEY;
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * words);
    bytes.putInt(0x6b65792f).putLong(key ^ Long.MIN_VALUE);
    Arrays.fill(bytes.array(), bytes.position(), bytes.capacity(), (byte) 'k');
    return bytes.array();
  }

  /** Returns the bytes of a value. */
  public static byte[] value(long value) {
    int words = Math.floorMod(value, 5) == 0 ? 40 : Math.floorMod(value, 31) == 0 ? 200 : 2;
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * words);
    while (bytes.hasRemaining()) {
      bytes.putLong(value);
    }
    return bytes.array();
  }

  private static long number(byte[] value) {
    long number = ByteBuffer.wrap(value).getLong();
    if (!Arrays.equals(value, value(number))) {
      throw new AssertionError("a value of several writes: " + Arrays.toString(value));
    }
    return number;
  }

  private long orMissing(byte @Nullable [] value) {
    return value == null ? missing : number(value);
  }

  @Override
  public TreeVariant variant() {
    return VARIANT;
  }

  @Override
  public long missingValue() {
    return missing;
  }

  @Override
  public long get(long key) {
    return orMissing(index.get(key(key)));
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    byte[][] shown = new byte[1][];
    boolean isThere =
        index.get(
            MemorySegment.ofArray(key(key)),
            (piece, from, bytes, position, total) -> {
              shown[0] = shown[0] == null ? new byte[(int) total] : shown[0];
              MemorySegment.copy(piece, from, MemorySegment.ofArray(shown[0]), position, bytes);
            });
    return isThere ? number(Objects.requireNonNull(shown[0])) : defaultValue;
  }

  @Override
  public boolean containsKey(long key) {
    return index.containsKey(key(key));
  }

  @Override
  public int getAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, long[] found) {
    byte[][] shown = shown(keys, keysFrom, count);
    for (int i = 0; i < count; i++) {
      values[valuesFrom + i] = orMissing(shown[i]);
      long bit = 1L << i;
      found[i / Long.SIZE] =
          shown[i] == null ? found[i / Long.SIZE] & ~bit : found[i / Long.SIZE] | bit;
    }
    return (int) Arrays.stream(shown).filter(Objects::nonNull).count();
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    byte[][] shown = shown(keys, keysFrom, count);
    for (int i = 0; i < count; i++) {
      values[valuesFrom + i] = orMissing(shown[i]);
    }
  }

  private byte[][] shown(long[] keys, int keysFrom, int count) {
    byte[][] shown = new byte[count][];
    PackedBytes packed =
        PackedBytes.of(
            LongStream.of(keys).skip(keysFrom).limit(count).mapToObj(this::key).toList());
    index.getAll(
        packed,
        (i, piece, from, bytes, position, total) -> {
          shown[i] = shown[i] == null ? new byte[(int) total] : shown[i];
          MemorySegment.copy(piece, from, MemorySegment.ofArray(shown[i]), position, bytes);
        });
    return shown;
  }

  @Override
  public void getAll(MemorySegment keys, MemorySegment values) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long put(long key, long value) {
    return orMissing(index.put(key(key), value(value)));
  }

  @Override
  public long putIfAbsent(long key, long value) {
    return orMissing(index.putIfAbsent(key(key), value(value)));
  }

  @Override
  public boolean insert(long key, long value) {
    return index.putIfAbsent(key(key), value(value)) == null;
  }

  @Override
  public long remove(long key) {
    return orMissing(index.remove(key(key)));
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
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return index.removeRange(key(from), fromInclusive, key(to), toInclusive);
  }

  @Override
  public long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return index.countRange(key(from), fromInclusive, key(to), toInclusive);
  }

  @Override
  public long size() {
    return index.size();
  }

  @Override
  public boolean isEmpty() {
    return index.isEmpty();
  }

  @Override
  public void clear() {
    index.clear();
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long shrink(ProgressListener listener) {
    return 0;
  }

  /** Returns a cursor whose methods are those of byte strings. */
  @Override
  public LongCursor cursor() {
    BytesCursor cursor = index.cursor();
    InvocationHandler calls =
        (_, method, arguments) ->
            switch (method.getName()) {
              case "next" -> cursor.next();
              case "previous" -> cursor.previous();
              case "first" -> cursor.first();
              case "last" -> cursor.last();
              case "ceiling" -> cursor.ceiling(MemorySegment.ofArray(key((long) arguments[0])));
              case "floor" -> cursor.floor(MemorySegment.ofArray(key((long) arguments[0])));
              case "higher" -> cursor.higher(MemorySegment.ofArray(key((long) arguments[0])));
              case "lower" -> cursor.lower(MemorySegment.ofArray(key((long) arguments[0])));
              case "nextRun" -> true; // The entries are looked at one by one.
              case "key" -> ByteBuffer.wrap(cursor.keyArray()).getLong(4) ^ Long.MIN_VALUE;
              case "value" -> number(cursor.valueArray());
              case "setValue" -> {
                cursor.setValue(MemorySegment.ofArray(value((long) arguments[0])));
                yield null;
              }
              case "remove" -> {
                cursor.remove();
                yield null;
              }
              default -> throw new UnsupportedOperationException(method.getName());
            };
    return (LongCursor)
        Proxy.newProxyInstance(
            LongCursor.class.getClassLoader(), new Class<?>[] {LongCursor.class}, calls);
  }

  @Override
  public LongBatchLookup batchLookup() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void verify(ProgressListener listener) {
    index.verify(listener);
  }

  @Override
  public NodeView rootView() {
    return index.rootView();
  }

  @Override
  public IndexStatistics statistics() {
    return index.statistics();
  }

  @Override
  public boolean isClosed() {
    return index.isClosed();
  }

  @Override
  public void close() {
    index.close();
  }
}
