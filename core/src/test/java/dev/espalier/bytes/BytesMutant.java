// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Indexes that are wrong in one way each, other than in their cursors. */
enum BytesMutant implements WrongBytesIndex {
  BYTES_ARE_SIGNED("does what a map does", limit -> new HeapBytesIndex(limit, Arrays::compare)),

  LONGER_KEYS_COME_LATER(
      "does what a map does",
      limit ->
          new HeapBytesIndex(
              limit,
              Comparator.<byte[]>comparingInt(key -> key.length)
                  .thenComparing(Arrays::compareUnsigned))),

  ZEROS_AT_THE_END_ARE_IGNORED(
      "keys of every length come back",
      limit ->
          new HeapBytesIndex(
              limit,
              (left, right) -> {
                int length = Math.max(left.length, right.length);
                return Arrays.compareUnsigned(
                    Arrays.copyOf(left, length), Arrays.copyOf(right, length));
              })),

  KEYS_ARE_COMPARED_TO_THE_FIRST_4096_BYTES(
      "keys of every length come back",
      limit ->
          new HeapBytesIndex(
              limit,
              (left, right) ->
                  left.length > 4096 && left.length == right.length
                      ? Arrays.compareUnsigned(left, 0, 4096, right, 0, 4096)
                      : Arrays.compareUnsigned(left, right))),

  PUT_FORGETS_THE_PREVIOUS_VALUE(
      "does what a map does",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public byte @Nullable [] put(byte[] key, byte[] value) {
              super.put(key, value);
              return null;
            }
          }),

  PUT_IF_ABSENT_PUTS(
      "does what a map does",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
              return put(key, value);
            }
          }),

  DELETE_IS_ALWAYS_TRUE(
      "does what a map does",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public boolean delete(MemorySegment key) {
              super.delete(key);
              return true;
            }
          }),

  POLL_LEAVES_THE_ENTRY(
      "neighbours are those of the sub-map",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public byte @Nullable [] remove(byte[] key) {
              return get(key);
            }
          }),

  COPY_TELLS_WHAT_WAS_COPIED(
      "does what a map does",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public long get(MemorySegment key, MemorySegment into) {
              return Math.min(super.get(key, into), into.byteSize());
            }
          }),

  SIZE_COUNTS_REPLACED_ENTRIES(
      "does what a map does",
      limit ->
          new HeapBytesIndex(limit) {
            private long count;

            @Override
            void store(byte[] key, byte[] value) {
              count++;
              super.store(key, value);
            }

            @Override
            public byte @Nullable [] remove(byte[] key) {
              byte[] previous = super.remove(key);
              count -= previous == null ? 0 : 1;
              return previous;
            }

            @Override
            public long size() {
              checkOpen();
              return count;
            }
          }),

  RANGE_INCLUDES_ITS_END(
      "does what a map does",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public long removeRange(
                byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
              return super.removeRange(from, fromInclusive, to, true);
            }
          }),

  PIECES_BEGIN_AT_0(
      "values of every length come back",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            void show(byte[] value, ValueReader reader) {
              super.show(
                  value,
                  (piece, from, bytes, position, total) ->
                      reader.read(piece, from, bytes, 0, total));
            }
          }),

  EMPTY_VALUE_HAS_NO_PIECE(
      "values of every length come back",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            void show(byte[] value, ValueReader reader) {
              if (value.length > 0) {
                super.show(value, reader);
              }
            }
          }),

  EXCEPTION_OF_THE_READER_IS_LOST(
      "reader may throw",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            void show(byte[] value, ValueReader reader) {
              try {
                super.show(value, reader);
              } catch (ArithmeticException lost) {
                // As if the reader had ended.
              }
            }
          }),

  READERS_SHARE_MEMORY(
      "threads read at the same time",
      limit ->
          new HeapBytesIndex(limit) {
            private volatile byte[] sought = {};

            @Override
            public boolean get(MemorySegment key, ValueReader reader) {
              sought = bytes(key);
              Thread.yield();
              return super.get(MemorySegment.ofArray(sought), reader);
            }
          }),

  OFFSETS_ARE_PUT_RIGHT(
      "wrong offsets are refused",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public int getAll(PackedBytes keys, BatchReader reader) {
              try {
                return super.getAll(keys, reader);
              } catch (IndexOutOfBoundsException wrong) {
                return 0;
              }
            }
          }),

  ARRAYS_ARE_KEPT(
      "nothing keeps the caller's arrays",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            void store(byte[] key, byte[] value) {
              entries.put(key.clone(), value);
            }
          }),

  REPEATED_KEY_COUNTS_ONCE(
      "getAll answers what get answers",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public int getAll(PackedBytes keys, BatchReader reader) {
              Set<byte[]> found = new TreeSet<>(Arrays::compareUnsigned);
              for (int i = 0; i < keys.count(); i++) {
                if (containsKey(keys.get(i))) {
                  found.add(bytes(keys.get(i)));
                }
              }
              super.getAll(keys, reader);
              return found.size();
            }
          }),

  BATCH_MIXES_PIECES(
      "getAll answers what get answers",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public int getAll(PackedBytes keys, BatchReader reader) {
              int[] found = {0};
              for (boolean first : new boolean[] {true, false}) {
                found[0] =
                    super.getAll(
                        keys,
                        (i, piece, from, bytes, position, total) -> {
                          if (first == (position == 0)) {
                            reader.read(i, piece, from, bytes, position, total);
                          }
                        });
              }
              return found[0];
            }
          }),

  FIRST_OF_A_BATCH_WINS(
      "putAll stores in ascending order",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public void putAll(PackedBytes keys, PackedBytes values) {
              super.putAll(
                  new PackedBytes(keys.bytes(), keys.offsets(), 0),
                  new PackedBytes(values.bytes(), values.offsets(), 0));
              for (int i = keys.count() - 1; i >= 0; i--) {
                set(keys.get(i), values.get(i));
              }
            }
          }),

  BULKLOAD_TAKES_A_KEY_TWICE(
      "refused bulkload leaves nothing",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            void load(byte[] key, byte[] value) {
              if (entries.isEmpty() || !Arrays.equals(key, entries.lastKey())) {
                super.load(key, value);
              }
            }
          }),

  REFUSED_BULKLOAD_LEAVES_ENTRIES(
      "refused bulkload leaves nothing",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            void abandonLoad() {
              // Leaves what was loaded.
            }
          }),

  BULKLOAD_LEAVES_EMPTY_VALUES_OUT(
      "bulkload loads all entries",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            void load(byte[] key, byte[] value) {
              if (value.length > 0) {
                super.load(key, value);
              }
            }
          }),

  PREFIX_END_ADDS_TO_THE_LAST_BYTE(
      "prefix view shows what begins so",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesNavigable prefixView(byte[] prefix) {
              byte[] end = prefix.clone();
              if (end.length == 0) {
                return super.prefixView(prefix);
              }
              end[end.length - 1]++;
              return Arrays.compareUnsigned(prefix, end) > 0
                  ? super.subView(prefix, true, prefix, true)
                  : super.subView(prefix, true, end, false);
            }
          }),

  TAIL_VIEW_INCLUDES_ITS_START(
      "view does what the sub-map does",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesNavigable tailView(byte[] from, boolean inclusive) {
              return super.tailView(from, true);
            }
          }),

  LONG_KEY_IS_TAKEN(
      "entry that is too long is refused",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public void set(byte[] key, byte[] value) {
              checkOpen();
              store(key, value);
            }
          }),

  LONG_KEY_IS_CUT(
      "keys that are too long are absent",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public byte @Nullable [] get(byte[] key) {
              return super.get(Arrays.copyOf(key, Math.min(key.length, MAX_KEY)));
            }
          }),

  CROSSED_RANGE_IS_EMPTY(
      "wrong arguments are refused",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public long countRange(
                byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
              return Arrays.compareUnsigned(from, to) > 0
                  ? 0
                  : super.countRange(from, fromInclusive, to, toInclusive);
            }
          }),

  FULL_INDEX_LOSES_THE_ENTRY(
      "full index is as it was",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public byte @Nullable [] put(byte[] key, byte[] value) {
              try {
                return super.put(key, value);
              } catch (MemoryLimitException full) {
                entries.remove(key);
                throw full;
              }
            }
          }),

  REFUSED_ENTRY_TAKES_ROOM(
      "room comes back",
      limit ->
          new HeapBytesIndex(limit) {
            private long lost;

            @Override
            long used() {
              return super.used() + lost;
            }

            @Override
            public byte @Nullable [] put(byte[] key, byte[] value) {
              try {
                return super.put(key, value);
              } catch (MemoryLimitException full) {
                lost += 100;
                throw full;
              }
            }
          }),

  FULL_BATCH_IS_TAKEN_BACK(
      "full batch keeps what came before",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public void putAll(PackedBytes keys, PackedBytes values) {
              try {
                super.putAll(keys, values);
              } catch (MemoryLimitException full) {
                clear();
                throw full;
              }
            }
          }),

  CLOSED_INDEX_COUNTS(
      "closed index refuses every call",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public long size() {
              return entries.size();
            }
          }),

  CLOSED_INDEX_ANSWERS_THREADS(
      "threads that read are refused",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            void checkOpen() {
              // As if it were open.
            }
          });

  private final String law;
  private final LongFunction<BytesIndex> factory;

  BytesMutant(String law, LongFunction<BytesIndex> factory) {
    this.law = law;
    this.factory = factory;
  }

  @Override
  public String law() {
    return law;
  }

  @Override
  public LongFunction<BytesIndex> factory() {
    return factory;
  }
}
