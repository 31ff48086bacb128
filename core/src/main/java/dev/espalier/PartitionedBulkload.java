// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.concurrent.CancellationException;

/**
 * Fills the parts of an empty {@link PartitionedIndex}, whose locks are held, one after the other.
 */
final class PartitionedBulkload {
  private static final int CHUNK = 4096;

  private final PartitionedIndex whole;
  private final IndexPart[] parts;
  private final LongEntrySource entries;
  private final long total;
  private final ProgressListener listener;

  /** The number of entries read; the last of them is the current one, if there is one. */
  private long read;

  private boolean isAtEnd;
  private long key;

  PartitionedBulkload(
      PartitionedIndex whole,
      IndexPart[] parts,
      LongEntrySource entries,
      long total,
      ProgressListener listener) {
    this.whole = whole;
    this.parts = parts;
    this.entries = entries;
    this.total = total;
    this.listener = listener;
  }

  /** Loads everything; the index is empty again if that fails. */
  void load(double fillFactor) {
    if (!(fillFactor >= 0.5 && fillFactor <= 1)) {
      throw new IllegalArgumentException(
          "fillFactor is " + fillFactor + "; it must be from 0.5 to 1");
    }
    try {
      if (total < parts.length) {
        putInChunks();
      } else {
        fillParts(fillFactor);
      }
    } catch (RuntimeException | Error failed) {
      for (IndexPart part : parts) {
        if (!part.index.isClosed()) {
          part.index.clear();
        }
      }
      throw failed;
    }
  }

  /** Goes to the next entry, whose key must be greater than the one before. */
  private boolean advance() {
    if (isAtEnd || !entries.next()) {
      isAtEnd = true;
      return false;
    }
    long next = entries.key();
    if (read > 0 && next <= key) {
      throw new IllegalArgumentException(
          "entries are not in ascending key order: key "
              + next
              + " of entry "
              + read
              + " (counted from 0) comes after "
              + key);
    }
    key = next;
    read++;
    return true;
  }

  /**
   * Stores the entries in chunks and evens out the parts afterwards: without a total, nobody knows
   * where parts should end.
   */
  private void putInChunks() {
    long[] keys = new long[CHUNK];
    long[] values = new long[CHUNK];
    int count;
    do {
      for (count = 0; count < CHUNK && advance(); count++) {
        keys[count] = key;
        values[count] = entries.value();
      }
      whole.putAll(keys, 0, values, 0, count);
      report(read);
    } while (!isAtEnd);
    whole.balance.finish();
  }

  private void report(long done) {
    if (!listener.onProgress(done, total)) {
      throw new CancellationException("bulkload cancelled after " + done + " entries");
    }
  }

  private void fillParts(double fillFactor) {
    if (!advance()) {
      report(read);
      return;
    }
    long[] lows = new long[parts.length];
    int filled = 0;
    for (; filled < parts.length && !isAtEnd; filled++) {
      lows[filled] = filled == 0 ? Long.MIN_VALUE : key;
      boolean isLast = filled == parts.length - 1;
      long end = total / parts.length * (filled + 1) + Math.min(filled + 1, total % parts.length);
      long before = read - 1;
      parts[filled].index.bulkload(
          new Share(isLast ? Long.MAX_VALUE : end),
          fillFactor,
          isLast ? -1 : end - before,
          (done, _) -> {
            report(before + done);
            return true;
          });
    }
    int missing = parts.length - filled;
    if (missing > 0 && key > Long.MAX_VALUE - missing) {
      throw new IllegalArgumentException(
          "total is " + total + ", but there are only " + read + " entries");
    }
    for (int i = filled; i < parts.length; i++) {
      lows[i] = key + 1 + i - filled;
    }
    for (int i = 0; i < parts.length; i++) {
      parts[i].low = lows[i];
      parts[i].high = i + 1 < parts.length ? lows[i + 1] - 1 : Long.MAX_VALUE;
    }
    whole.boundHasMoved();
  }

  /**
   * The entries of one part, from the current one on; afterwards, the entry that follows them is
   * the current one.
   */
  private final class Share implements LongEntrySource {
    private final long end;
    private boolean isFirst = true;
    private boolean isOver;
    private long shareKey;
    private long shareValue;

    Share(long end) {
      this.end = end;
    }

    @Override
    public boolean next() {
      isOver = isOver || (!isFirst && !advance()) || read > end;
      if (isOver) {
        return false;
      }
      isFirst = false;
      shareKey = key;
      shareValue = entries.value();
      return true;
    }

    @Override
    public long key() {
      return shareKey;
    }

    @Override
    public long value() {
      return shareValue;
    }
  }
}
