// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** An index that is a {@link TreeMap}: slow, and plainly right. */
class HeapBytesIndex implements BytesIndex {
  /** Longer values are shown in pieces, as those are that a tree keeps out of line. */
  static final int MOST_PIECE = 1000;

  final NavigableMap<byte[], byte[]> entries;
  private final long limit;
  private volatile boolean closed;

  HeapBytesIndex() {
    this(Long.MAX_VALUE);
  }

  /**
   * @param limit the most bytes that all keys and values may have
   */
  HeapBytesIndex(long limit) {
    this(limit, Arrays::compareUnsigned);
  }

  HeapBytesIndex(long limit, Comparator<byte[]> order) {
    this.limit = limit;
    this.entries = new TreeMap<>(order);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    checkOpen();
    byte[] value = entries.get(Objects.requireNonNull(key, "key"));
    return value == null ? null : value.clone();
  }

  @Override
  public boolean get(MemorySegment key, ValueReader reader) {
    byte[] value = get(bytes(key));
    if (value != null) {
      show(value, reader);
    }
    return value != null;
  }

  @Override
  public long get(MemorySegment key, MemorySegment into) {
    byte[] value = get(bytes(key));
    if (value == null) {
      return -1;
    }
    long copied = Math.min(value.length, into.byteSize());
    MemorySegment.copy(MemorySegment.ofArray(value), 0, into, 0, copied);
    return value.length;
  }

  @Override
  public boolean containsKey(byte[] key) {
    checkOpen();
    return entries.containsKey(Objects.requireNonNull(key, "key"));
  }

  @Override
  public boolean containsKey(MemorySegment key) {
    return containsKey(bytes(key));
  }

  @Override
  public byte @Nullable [] put(byte[] key, byte[] value) {
    checkLength("key", key.length, MAX_KEY);
    checkLength("value", value.length, MAX_VALUE);
    byte[] previous = get(key);
    long freed = previous == null ? 0 : (long) key.length + previous.length;
    if (used() - freed + key.length + value.length > limit) {
      throw new MemoryLimitException("the model is full");
    }
    store(key, value);
    return previous;
  }

  void store(byte[] key, byte[] value) {
    entries.put(key.clone(), value.clone());
  }

  long used() {
    if (limit == Long.MAX_VALUE) {
      return 0;
    }
    return entries.entrySet().stream()
        .mapToLong(entry -> entry.getKey().length + entry.getValue().length)
        .sum();
  }

  @Override
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    byte[] existing = get(key);
    return existing == null ? put(key, value) : existing;
  }

  @Override
  public byte @Nullable [] remove(byte[] key) {
    byte[] previous = get(key);
    entries.remove(key);
    return previous;
  }

  @Override
  public void set(byte[] key, byte[] value) {
    put(key, value);
  }

  @Override
  public void set(MemorySegment key, MemorySegment value) {
    checkOpen();
    checkLength("key", key.byteSize(), MAX_KEY);
    checkLength("value", value.byteSize(), MAX_VALUE);
    put(bytes(key), bytes(value));
  }

  @Override
  public boolean delete(byte[] key) {
    return remove(key) != null;
  }

  @Override
  public boolean delete(MemorySegment key) {
    return delete(bytes(key));
  }

  @Override
  public long size() {
    checkOpen();
    return entries.size();
  }

  @Override
  public boolean isEmpty() {
    return size() == 0;
  }

  @Override
  public void clear() {
    checkOpen();
    entries.clear();
  }

  @Override
  public BytesCursor cursor() {
    checkOpen();
    return new HeapBytesCursor(entries, this);
  }

  @Override
  public int getAll(PackedBytes keys, BatchReader reader) {
    checkOpen();
    int found = 0;
    for (int i = keys.count() - 1; i >= 0; i--) {
      int number = i;
      boolean present =
          get(
              keys.get(i),
              (piece, from, bytes, position, total) ->
                  reader.read(number, piece, from, bytes, position, total));
      found += present ? 1 : 0;
    }
    return found;
  }

  @Override
  public void putAll(PackedBytes keys, PackedBytes values) {
    checkOpen();
    if (keys.count() != values.count()) {
      throw new IllegalArgumentException("the batches differ in count");
    }
    for (int i = 0; i < keys.count(); i++) {
      set(keys.get(i), values.get(i));
    }
  }

  @Override
  public void bulkload(
      BytesEntrySource source, double fillFactor, long total, ProgressListener listener) {
    if (!isEmpty()) {
      throw new IllegalStateException("the index is not empty");
    }
    if (!(fillFactor >= 0.5 && fillFactor <= 1)) {
      throw new IllegalArgumentException("fillFactor is " + fillFactor);
    }
    boolean loaded = false;
    try {
      while (source.next()) {
        load(bytes(source.key()), valueOf(source));
        if (!listener.onProgress(entries.size(), total)) {
          throw new CancellationException("cancelled by the listener");
        }
      }
      loaded = true;
    } finally {
      if (!loaded) {
        abandonLoad();
      }
    }
  }

  void load(byte[] key, byte[] value) {
    if (!entries.isEmpty() && Arrays.compareUnsigned(key, entries.lastKey()) <= 0) {
      throw new IllegalArgumentException("the key is not above its predecessor");
    }
    put(key, value);
  }

  void abandonLoad() {
    entries.clear();
  }

  private static byte[] valueOf(BytesEntrySource source) {
    byte[] value = new byte[Math.toIntExact(source.valueBytes())];
    source.value(
        (piece, from, bytes, position, total) ->
            MemorySegment.copy(
                piece, from, MemorySegment.ofArray(value), position, Math.toIntExact(bytes)));
    return value;
  }

  @Override
  public void verify(ProgressListener listener) {
    checkOpen();
  }

  @Override
  public NodeView rootView() {
    checkOpen();
    throw new UnsupportedOperationException("a model has no nodes");
  }

  @Override
  public IndexStatistics statistics() {
    checkOpen();
    throw new UnsupportedOperationException("a model has no nodes");
  }

  @Override
  public void flush() {
    checkOpen();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  /** Shows a value in pieces, each in a segment that begins before it. */
  void show(byte[] value, ValueReader reader) {
    int position = 0;
    do {
      int bytes = Math.min(MOST_PIECE, value.length - position);
      byte[] page = new byte[bytes + 2];
      System.arraycopy(value, position, page, 1, bytes);
      reader.read(MemorySegment.ofArray(page).asReadOnly(), 1, bytes, position, value.length);
      position += bytes;
    } while (position < value.length);
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the model is closed");
    }
  }

  private static void checkLength(String name, long length, long most) {
    if (length > most) {
      throw new IllegalArgumentException(name + " has " + length + " bytes; the most is " + most);
    }
  }

  static byte[] bytes(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_BYTE);
  }
}
