// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.util.NoSuchElementException;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.jspecify.annotations.Nullable;

/** The versions of a key that have a value and begin by some time. Needs no closing. */
final class VersionIterator implements VersionedRecordIterator<byte[]> {
  private final TimedIterator<TimedKey> history;
  private final long to;
  private final boolean ascending;

  /** The latest version, until it is shown. */
  private @Nullable VersionedRecord<byte[]> latest;

  private @Nullable VersionedRecord<byte[]> next;
  private boolean closed;

  VersionIterator(
      @Nullable VersionedRecord<byte[]> latest,
      TimedIterator<TimedKey> history,
      long to,
      boolean ascending) {
    this.latest = latest != null && latest.timestamp() <= to ? latest : null;
    this.history = history;
    this.to = to;
    this.ascending = ascending;
    advance();
  }

  private void advance() {
    next = null;
    if (!ascending) {
      takeLatest();
    }
    while (next == null && history.hasNext()) {
      Version version = Version.decode(history.next());
      next = version.from() <= to ? version.shown() : null;
    }
    if (next == null) {
      takeLatest();
    }
  }

  private void takeLatest() {
    next = latest;
    latest = null;
  }

  @Override
  public boolean hasNext() {
    if (closed) {
      throw new InvalidStateStoreException("the iterator is closed");
    }
    return next != null;
  }

  @Override
  public VersionedRecord<byte[]> next() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException("there is no other version");
    }
    VersionedRecord<byte[]> shown = next;
    advance();
    return shown;
  }

  @Override
  public void close() {
    closed = true;
  }
}
