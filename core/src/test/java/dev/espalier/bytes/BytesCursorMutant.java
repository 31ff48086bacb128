// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Indexes whose cursors are wrong in one way each: where they go, or what they show there. */
enum BytesCursorMutant implements WrongBytesIndex {
  FLOOR_IS_LOWER(
      "cursor does what the model's does",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesCursor cursor() {
              checkOpen();
              return new HeapBytesCursor(entries, this) {
                @Override
                public boolean floor(MemorySegment key) {
                  return lower(key);
                }
              };
            }
          }),

  NEXT_AFTER_REMOVE_SKIPS_ONE(
      "scan that removes sees everything",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesCursor cursor() {
              checkOpen();
              return new HeapBytesCursor(entries, this) {
                @Override
                public void remove() {
                  super.remove();
                  super.next();
                }
              };
            }
          }),

  CURSOR_KEEPS_THE_OLD_VALUE(
      "cursor does what the model's does",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesCursor cursor() {
              checkOpen();
              return new HeapBytesCursor(entries, this) {
                private byte @Nullable [] seen;

                @Override
                public boolean next() {
                  boolean found = super.next();
                  seen = found ? super.valueArray() : null;
                  return found;
                }

                @Override
                public byte[] valueArray() {
                  return seen == null ? super.valueArray() : seen.clone();
                }
              };
            }
          }),

  CURSOR_RETURNS_TO_WHAT_IT_REMOVED("removed entry may come back", ReturningBytesIndex::new),

  CURSOR_WITHOUT_ENTRY_IS_NOWHERE(
      "cursor keeps its place",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesCursor cursor() {
              checkOpen();
              return new HeapBytesCursor(entries, this) {
                @Override
                public boolean previous() {
                  try {
                    valueBytes();
                    return super.previous();
                  } catch (IllegalStateException onNoEntry) {
                    return last();
                  }
                }
              };
            }
          }),

  KEY_CHANGES_WHEN_CLOSED(
      "windows show no other entry",
      limit ->
          new HeapBytesIndex(limit) {
            private byte[] window = new byte[0];

            @Override
            public BytesCursor cursor() {
              checkOpen();
              return new HeapBytesCursor(entries, this) {
                @Override
                public MemorySegment key() {
                  window = keyArray();
                  return MemorySegment.ofArray(window).asReadOnly();
                }
              };
            }

            @Override
            public void close() {
              Arrays.fill(window, (byte) 'x');
              super.close();
            }
          }),

  SCAN_STOPS_AT_THE_HINT(
      "scanTo changes no result",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesCursor cursor() {
              checkOpen();
              return new HeapBytesCursor(entries, this) {
                private @Nullable MemorySegment end;

                @Override
                public void scanTo(MemorySegment key) {
                  end = key;
                }

                @Override
                public boolean next() {
                  return super.next() && (end == null || KeyOrder.compare(key(), end) <= 0);
                }
              };
            }
          }),

  KEY_CAN_BE_WRITTEN_TO(
      "windows cannot be written to",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesCursor cursor() {
              checkOpen();
              return new HeapBytesCursor(entries, this) {
                @Override
                public MemorySegment key() {
                  return MemorySegment.ofArray(keyArray());
                }
              };
            }
          }),

  CLOSED_CURSOR_GIVES_ITS_KEY(
      "closed index refuses every call",
      limit ->
          new HeapBytesIndex(limit) {
            @Override
            public BytesCursor cursor() {
              checkOpen();
              return new HeapBytesCursor(entries, this) {
                private byte @Nullable [] seen;

                @Override
                public boolean first() {
                  boolean found = super.first();
                  seen = found ? super.keyArray() : null;
                  return found;
                }

                @Override
                public byte[] keyArray() {
                  return seen == null ? super.keyArray() : seen.clone();
                }
              };
            }
          });

  private final String law;
  private final LongFunction<BytesIndex> factory;

  BytesCursorMutant(String law, LongFunction<BytesIndex> factory) {
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
