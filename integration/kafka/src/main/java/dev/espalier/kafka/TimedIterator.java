// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.jspecify.annotations.Nullable;

/** Entries of several segments, one segment after the other. */
class TimedIterator<K> implements KeyValueIterator<K, byte[]> {
  private final Segments segments;
  private final Iterator<Entries> remaining;
  private final Function<Entries, EntryIterator> range;
  private final Function<TimedKey, @Nullable K> select;

  private @Nullable Entries segment;
  private @Nullable EntryIterator entries;
  private @Nullable KeyValue<K, byte[]> next;
  private boolean closed;

  /**
   * Begins before the first entry.
   *
   * @param chosen the segments, in order
   * @param range returns the entries of one segment
   * @param select returns what to show as the key of an entry, or null to leave it out
   */
  TimedIterator(
      Segments segments,
      Iterable<Entries> chosen,
      Function<Entries, EntryIterator> range,
      Function<TimedKey, @Nullable K> select) {
    this.segments = segments;
    this.remaining = chosen.iterator();
    this.range = range;
    this.select = select;
    advance();
  }

  /** The entries of one key, which Kafka has a type for. */
  static final class OfKey extends TimedIterator<Long> implements WindowStoreIterator<byte[]> {
    OfKey(Segments segments, Iterable<Entries> chosen, Function<Entries, EntryIterator> range) {
      super(segments, chosen, range, TimedKey::time);
    }
  }

  private void advance() {
    next = null;
    while (next == null) {
      if (entries == null && !remaining.hasNext()) {
        return;
      }
      try {
        advanceInSegment();
      } catch (InvalidStateStoreException e) {
        if (segment == null || !segments.isDropped(segment)) {
          throw e;
        }
        entries = null; // What it had left has expired.
      }
    }
  }

  private void advanceInSegment() {
    if (entries == null) {
      segment = remaining.next();
      entries = range.apply(segment);
    }
    while (entries.hasNext()) {
      var entry = entries.next();
      K shown = select.apply(TimedKey.decode(entry.key));
      if (shown != null) {
        next = KeyValue.pair(shown, entry.value);
        return;
      }
    }
    entries = null;
  }

  private KeyValue<K, byte[]> current() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException("there is no other entry");
    }
    return next;
  }

  @Override
  public final boolean hasNext() {
    if (closed) {
      throw new InvalidStateStoreException("the iterator is closed");
    }
    return next != null;
  }

  @Override
  public final K peekNextKey() {
    return current().key;
  }

  @Override
  public final KeyValue<K, byte[]> next() {
    KeyValue<K, byte[]> entry = current();
    advance();
    return entry;
  }

  @Override
  public final void close() {
    closed = true;
  }
}
