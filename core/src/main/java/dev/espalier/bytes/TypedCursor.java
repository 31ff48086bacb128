// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;

/**
 * A position among the entries of a {@link TypedIndex}: a {@link BytesCursor} with codecs. Seeks
 * and moves return whether there is an entry, and otherwise leave the cursor nowhere. The index may
 * change while a cursor is open. Not for several threads at once.
 */
public final class TypedCursor<K, V> {
  private final TypedIndex<K, V> index;
  private final BytesCursor cursor;

  TypedCursor(TypedIndex<K, V> index, BytesCursor cursor) {
    this.index = index;
    this.cursor = cursor;
  }

  /** Goes to the first entry. */
  public boolean first() {
    return cursor.first();
  }

  /** Goes to the last entry. */
  public boolean last() {
    return cursor.last();
  }

  /** Goes to the last entry at or before a key. */
  public boolean floor(K key) {
    return cursor.floor(sought(key));
  }

  /** Goes to the first entry at or after a key. */
  public boolean ceiling(K key) {
    return cursor.ceiling(sought(key));
  }

  /** Goes to the last entry strictly before a key. */
  public boolean lower(K key) {
    return cursor.lower(sought(key));
  }

  /** Goes to the first entry strictly after a key. */
  public boolean higher(K key) {
    return cursor.higher(sought(key));
  }

  /** Goes to the next entry; from nowhere, to the first. */
  public boolean next() {
    return cursor.next();
  }

  /** Goes to the previous entry; from nowhere, to the last. */
  public boolean previous() {
    return cursor.previous();
  }

  /**
   * Returns the key of the entry.
   *
   * @throws IllegalStateException if the cursor is on none; applies to the methods below, too
   */
  public K key() {
    return index.decodeKey(cursor.keyArray());
  }

  /** Returns the value of the entry. */
  public V value() {
    return index.decodeValue(cursor.valueArray());
  }

  /** Replaces the value of the entry. */
  public void setValue(V value) {
    cursor.setValue(MemorySegment.ofArray(index.encodeValue(value)));
  }

  /**
   * Removes the entry. The cursor is then on no entry, and {@link #next} and {@link #previous} go
   * to the neighbours of the removed one.
   */
  public void remove() {
    cursor.remove();
  }

  private MemorySegment sought(K key) {
    return MemorySegment.ofArray(index.encodeKey(key));
  }
}
