// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the entries of an index or view, reading one entry ahead: {@code next} returns the
 * entry that was there when {@code hasNext} returned true, whatever has changed in between.
 */
final class BytesIterator<T> implements Iterator<T> {
  private final BytesNavigable entries;
  private final BytesCursor cursor;
  private final Function<? super BytesCursor, ? extends T> reader;
  private @Nullable T nextElement;
  private byte @Nullable [] nextKey;
  private byte @Nullable [] lastKey;

  /**
   * @param cursor a cursor of the entries, which is nowhere
   * @param reader makes an element from the entry that the cursor is on
   */
  BytesIterator(
      BytesNavigable entries,
      BytesCursor cursor,
      Function<? super BytesCursor, ? extends T> reader) {
    this.entries = entries;
    this.cursor = cursor;
    this.reader = reader;
    advance();
  }

  @Override
  public boolean hasNext() {
    return nextElement != null;
  }

  @Override
  public T next() {
    T element = nextElement;
    if (element == null) {
      throw new NoSuchElementException("the iteration has no more elements");
    }
    lastKey = nextKey;
    advance();
    return element;
  }

  @Override
  public void remove() {
    if (lastKey == null) {
      throw new IllegalStateException("next was not called since the last remove");
    }
    entries.delete(lastKey);
    lastKey = null;
  }

  private void advance() {
    boolean found = cursor.next();
    nextKey = found ? cursor.keyArray() : null;
    nextElement = found ? reader.apply(cursor) : null;
  }
}
