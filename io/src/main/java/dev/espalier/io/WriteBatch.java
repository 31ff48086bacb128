// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.bytes.TypedIndex;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Writes to one or more indexes of a store that take effect together: after a crash, either all of
 * them are there or none. A batch is filled, passed to {@link IndexStore#write}, and then cleared
 * and used again. It is for one thread at a time.
 */
public final class WriteBatch {
  /** The most writes that a batch may have. */
  public static final int MOST_WRITES = 1 << 22;

  /** The most bytes that all keys and values that are byte strings may have together. */
  public static final int MOST_BYTES = 1 << 30;

  private static final byte SET = 0;
  private static final byte DELETE = 1;
  private static final byte SET_BYTES = 2;
  private static final byte DELETE_BYTES = 3;

  private static final byte[] NO_VALUE = {};

  /** Indexes of longs and of byte strings. */
  private final List<Object> indexes = new ArrayList<>();

  private byte[] kinds = new byte[16];
  private int[] targets = new int[16];

  /** Keys; for byte strings, where key and value begin. */
  private long[] keys = new long[16];

  /** Values; for byte strings, the lengths of key and value. */
  private long[] values = new long[16];

  private int count;

  private byte[] bytes = {};
  private int usedBytes;

  /** Makes an empty batch. */
  public WriteBatch() {}

  /** Adds a write that stores a value for a key. */
  public WriteBatch set(LongIndex index, long key, long value) {
    return add(SET, index, key, value);
  }

  /** Adds a write that removes a key, if it is there. */
  public WriteBatch delete(LongIndex index, long key) {
    return add(DELETE, index, key, 0);
  }

  /**
   * Adds a write that stores a copy of a value for a copy of a key.
   *
   * @throws IllegalArgumentException if the key or the value is longer than the index takes
   */
  public WriteBatch set(BytesIndex index, byte[] key, byte[] value) {
    return add(SET_BYTES, index, key, value);
  }

  /**
   * Adds a write that removes a key, if it is there. The batch keeps a copy of the key. One that is
   * longer than the index takes is not there, and nothing is added.
   */
  public WriteBatch delete(BytesIndex index, byte[] key) {
    return Objects.requireNonNull(key, "key is null").length > BytesIndex.MAX_KEY
        ? this
        : add(DELETE_BYTES, index, key, NO_VALUE);
  }

  /**
   * Adds a write that stores a value for a key, both encoded by the codecs of the index.
   *
   * @throws IllegalArgumentException if a codec can't store them, or either is longer than the
   *     index takes
   */
  public <K, V> WriteBatch set(TypedIndex<K, V> index, K key, V value) {
    return set(index.index(), index.encodeKey(key), index.encodeValue(value));
  }

  /** Adds a write that removes a key, if it is there. */
  public <K, V> WriteBatch delete(TypedIndex<K, V> index, K key) {
    return delete(index.index(), index.encodeKey(key));
  }

  /**
   * Adds a write that gives a key an id, if it does not have it.
   *
   * @throws IllegalArgumentException if the codec can't store the key, or the entry is too long
   */
  public <K> WriteBatch add(SecondaryIndex<K> index, K key, long id) {
    return set(index.entries(), index.entry(key, id), NO_VALUE);
  }

  /** Adds a write that takes an id away from a key, if it has it. */
  public <K> WriteBatch remove(SecondaryIndex<K> index, K key, long id) {
    return delete(index.entries(), index.entry(key, id));
  }

  private WriteBatch add(byte kind, BytesIndex index, byte[] key, byte[] value) {
    Objects.requireNonNull(index, "index is null");
    check("key", Objects.requireNonNull(key, "key is null").length, BytesIndex.MAX_KEY);
    check("value", Objects.requireNonNull(value, "value is null").length, BytesIndex.MAX_VALUE);
    long used = (long) usedBytes + key.length + value.length;
    if (used > MOST_BYTES) {
      throw new IllegalStateException("the batch is full: it would have " + used + " bytes");
    }
    if (used > bytes.length) {
      long room = Math.clamp(2L * bytes.length, used, MOST_BYTES);
      bytes = Arrays.copyOf(bytes, (int) room);
    }
    add(kind, (Object) index, usedBytes, (long) key.length << Integer.SIZE | value.length);
    System.arraycopy(key, 0, bytes, usedBytes, key.length);
    System.arraycopy(value, 0, bytes, usedBytes + key.length, value.length);
    usedBytes = (int) used;
    return this;
  }

  /**
   * Checks the length of a byte string.
   *
   * @throws IllegalArgumentException if it is too long
   */
  static void check(String what, long bytes, int most) {
    if (bytes > most) {
      throw new IllegalArgumentException(
          "%s has %d bytes; at most %d are allowed".formatted(what, bytes, most));
    }
  }

  private WriteBatch add(byte kind, Object index, long key, long value) {
    Objects.requireNonNull(index, "index is null");
    if (count == MOST_WRITES) {
      throw new IllegalStateException("the batch is full: it has " + MOST_WRITES + " writes");
    }
    if (count == kinds.length) {
      kinds = Arrays.copyOf(kinds, 2 * count);
      targets = Arrays.copyOf(targets, 2 * count);
      keys = Arrays.copyOf(keys, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    kinds[count] = kind;
    targets[count] = target(index);
    keys[count] = key;
    values[count] = value;
    count++;
    return this;
  }

  /** Returns the number of an index in this batch; a batch has few. */
  @SuppressWarnings("ReferenceEquality") // An index is only ever itself.
  private int target(Object index) {
    for (int i = 0; i < indexes.size(); i++) {
      if (indexes.get(i) == index) {
        return i;
      }
    }
    indexes.add(index);
    return indexes.size() - 1;
  }

  /** Returns the number of writes. */
  public int size() {
    return count;
  }

  /** Forgets all writes. */
  public void clear() {
    count = 0;
    indexes.clear();
    usedBytes = 0;
  }

  // ---------------------------------------------------------------- for the store

  List<Object> indexes() {
    return indexes;
  }

  /** Returns the number of the index of a write. */
  int target(int write) {
    return targets[write];
  }

  boolean isDelete(int write) {
    return kinds[write] == DELETE || kinds[write] == DELETE_BYTES;
  }

  boolean removesOnly() {
    return IntStream.range(0, count).allMatch(this::isDelete);
  }

  long key(int write) {
    return keys[write];
  }

  long value(int write) {
    return values[write];
  }

  MemorySegment keyBytes(int write) {
    return MemorySegment.ofArray(bytes).asSlice(keys[write], values[write] >>> Integer.SIZE);
  }

  MemorySegment valueBytes(int write) {
    long key = values[write] >>> Integer.SIZE;
    return MemorySegment.ofArray(bytes).asSlice(keys[write] + key, values[write] & 0xffff_ffffL);
  }

  /** Returns the most bytes that the writes take in a record. */
  int recordBytes() {
    return count * LogRecord.MOST_OPERATION_BYTES + usedBytes;
  }
}
