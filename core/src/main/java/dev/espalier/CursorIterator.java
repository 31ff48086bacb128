// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Iterates over the entries of an index or view, reading one entry ahead: {@code next} returns the
 * entry that was there when {@code hasNext} returned true, whatever has changed in between.
 */
final class CursorIterator<T> implements Iterator<T> {

  /** Makes an element from an entry. */
  @FunctionalInterface
  interface Reader<T> {
    T read(long key, long value);
  }

  private final LongNavigable entries;
  private final LongCursor cursor;
  private final Reader<T> reader;
  private boolean hasNext;
  private long nextKey;
  private long nextValue;
  private boolean canRemove;
  private long lastKey;

  CursorIterator(LongNavigable entries, Reader<T> reader) {
    this.entries = entries;
    this.cursor = entries.cursor();
    this.reader = reader;
    advance();
  }

  @Override
  public boolean hasNext() {
    return hasNext;
  }

  @Override
  public T next() {
    if (!hasNext) {
      throw new NoSuchElementException("the iteration has no more elements");
    }
    T element = reader.read(nextKey, nextValue);
    lastKey = nextKey;
    canRemove = true;
    advance();
    return element;
  }

  @Override
  public void remove() {
    if (!canRemove) {
      throw new IllegalStateException("next was not called since the last remove");
    }
    canRemove = false;
    entries.delete(lastKey);
  }

  private void advance() {
    hasNext = cursor.next();
    if (hasNext) {
      nextKey = cursor.key();
      nextValue = cursor.value();
    }
  }
}
