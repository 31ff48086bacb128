// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static dev.espalier.bytes.HeapBytesIndex.bytes;

import java.lang.foreign.MemorySegment;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * What {@link BytesCursor} says, over the map of a {@link HeapBytesIndex}, or a sub-map or
 * descending map of it.
 */
class HeapBytesCursor implements BytesCursor {
  private final NavigableMap<byte[], byte[]> map;
  private final HeapBytesIndex index;

  /** The key the cursor is at, or null if it is nowhere. */
  private byte @Nullable [] place;

  /** Whether {@link #remove} took away the entry that the cursor was on. */
  private boolean removed;

  HeapBytesCursor(NavigableMap<byte[], byte[]> map, HeapBytesIndex index) {
    this.map = map;
    this.index = index;
  }

  @Override
  public boolean first() {
    index.checkOpen();
    return moveTo(map.isEmpty() ? null : map.firstKey());
  }

  @Override
  public boolean last() {
    index.checkOpen();
    return moveTo(map.isEmpty() ? null : map.lastKey());
  }

  @Override
  public boolean floor(MemorySegment key) {
    index.checkOpen();
    return moveTo(map.floorKey(bytes(key)));
  }

  @Override
  public boolean ceiling(MemorySegment key) {
    index.checkOpen();
    return moveTo(map.ceilingKey(bytes(key)));
  }

  @Override
  public boolean lower(MemorySegment key) {
    index.checkOpen();
    return moveTo(map.lowerKey(bytes(key)));
  }

  @Override
  public boolean higher(MemorySegment key) {
    index.checkOpen();
    return moveTo(map.higherKey(bytes(key)));
  }

  @Override
  public boolean next() {
    return place == null ? first() : higher(MemorySegment.ofArray(place));
  }

  @Override
  public boolean previous() {
    return place == null ? last() : lower(MemorySegment.ofArray(place));
  }

  @Override
  public void scanTo(MemorySegment key) {
    index.checkOpen();
  }

  @Override
  public MemorySegment key() {
    return MemorySegment.ofArray(keyArray()).asReadOnly();
  }

  @Override
  public byte[] keyArray() {
    checkPlaced();
    return place.clone();
  }

  @Override
  public void value(ValueReader reader) {
    index.show(stored(), reader);
  }

  @Override
  public long valueBytes() {
    return stored().length;
  }

  @Override
  public byte[] valueArray() {
    return stored().clone();
  }

  @Override
  public void setValue(MemorySegment value) {
    stored();
    index.set(key(), value);
  }

  @Override
  public void remove() {
    stored();
    index.delete(keyArray());
    removed = true;
  }

  private byte[] stored() {
    checkPlaced();
    return map.get(place);
  }

  private void checkPlaced() {
    index.checkOpen();
    if (place == null || removed || !map.containsKey(place)) {
      throw new IllegalStateException("the cursor is on no entry");
    }
  }

  private boolean moveTo(byte @Nullable [] key) {
    place = key;
    removed = false;
    return key != null;
  }
}
