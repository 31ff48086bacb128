// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesNavigable;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an index, and over them what is held back: a value in place of theirs, or that
 * there is none. It holds nothing but the next entry and a cursor, which needs no closing.
 */
final class EntryIterator implements KeyValueIterator<Bytes, byte[]> {
  private final BytesCursor cursor;
  private final Iterator<Map.Entry<Bytes, Optional<byte[]>>> changes;
  private final int direction;

  private @Nullable KeyValue<Bytes, byte[]> stored;
  private Map.@Nullable Entry<Bytes, Optional<byte[]>> change;
  private @Nullable KeyValue<Bytes, byte[]> next;
  private boolean closed;

  /**
   * Begins before the first entry.
   *
   * @param changes what is held back of the same range; a commit must leave it as it is
   */
  EntryIterator(
      BytesNavigable entries, NavigableMap<Bytes, Optional<byte[]>> changes, boolean forward) {
    this.cursor = (forward ? entries : entries.descendingView()).cursor();
    this.changes = (forward ? changes : changes.descendingMap()).entrySet().iterator();
    this.direction = forward ? 1 : -1;
    nextStored();
    nextChange();
    advance();
  }

  private void nextStored() {
    stored = null;
    while (stored == null && hasStored()) {
      try {
        stored = KeyValue.pair(Bytes.wrap(cursor.keyArray()), cursor.valueArray());
      } catch (IllegalStateException _) {
        // Another thread has removed the entry since; or the index is closed, as next() will say.
      }
    }
  }

  private boolean hasStored() {
    try {
      return cursor.next();
    } catch (IllegalStateException e) {
      throw new InvalidStateStoreException("the store of the iterator is closed", e);
    }
  }

  private void nextChange() {
    change = changes.hasNext() ? changes.next() : null;
  }

  /** Finds the entry that comes next. */
  private void advance() {
    next = null;
    while (next == null && (stored != null || change != null)) {
      int order = order();
      if (order < 0) {
        next = stored;
        nextStored();
        continue;
      }
      if (order == 0) {
        nextStored(); // It has another value, or none.
      }
      if (change != null) {
        Bytes key = change.getKey();
        change.getValue().ifPresent(value -> next = KeyValue.pair(key, value));
        nextChange();
      }
    }
  }

  /** Compares the next stored entry with the next change. */
  private int order() {
    if (stored == null || change == null) {
      return stored == null ? 1 : -1;
    }
    return direction * stored.key.compareTo(change.getKey());
  }

  private KeyValue<Bytes, byte[]> current() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException("there is no other entry");
    }
    return next;
  }

  @Override
  public boolean hasNext() {
    if (closed) {
      throw new InvalidStateStoreException("the iterator is closed");
    }
    return next != null;
  }

  @Override
  public Bytes peekNextKey() {
    return current().key;
  }

  @Override
  public KeyValue<Bytes, byte[]> next() {
    KeyValue<Bytes, byte[]> entry = current();
    advance();
    return entry;
  }

  @Override
  public void close() {
    closed = true;
  }
}
