// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import java.util.concurrent.CancellationException;

/** What a bulkload reads: a source whose order is checked, with a listener that is told. */
public final class BulkloadInput {
  /** Entries from one report to the listener to the next. */
  public static final long REPORT_EVERY = 4096;

  private final LongEntrySource entries;
  private final long total;
  private final ProgressListener listener;
  private long key;
  private long loaded;

  /** Creates the input of one bulkload; {@code total} is -1 if not known. */
  public BulkloadInput(LongEntrySource entries, long total, ProgressListener listener) {
    this.entries = entries;
    this.total = total;
    this.listener = listener;
  }

  /** Checks what a bulkload starts with. */
  public static void checkStart(double fillFactor, long size) {
    if (!(fillFactor >= 0.5 && fillFactor <= 1)) {
      throw new IllegalArgumentException(
          "fillFactor is " + fillFactor + "; it must be from 0.5 to 1");
    }
    if (size != 0) {
      throw new IllegalStateException(
          "bulkload fills an empty index, but this one has " + size + " entries");
    }
  }

  /**
   * Moves to the next entry, or returns false at the end.
   *
   * @throws IllegalArgumentException if its key is not above the one before
   * @throws CancellationException if the listener cancels
   */
  public boolean next() {
    if (loaded > 0 && loaded % REPORT_EVERY == 0) {
      report();
    }
    if (!entries.next()) {
      return false;
    }
    long next = entries.key();
    if (loaded > 0 && next <= key) {
      throw outOfOrder(next, loaded, key);
    }
    key = next;
    loaded++;
    return true;
  }

  /** Returns what is thrown if a key at a place is not above the one before. */
  public static IllegalArgumentException outOfOrder(long key, long place, long before) {
    return new IllegalArgumentException(
        "entries are not in ascending key order: key "
            + key
            + " of entry "
            + place
            + " (counted from 0) comes after "
            + before);
  }

  /** Returns what is thrown if the listener cancels. */
  public static CancellationException cancelled(long loaded) {
    return new CancellationException("bulkload cancelled after " + loaded + " entries");
  }

  /** Returns the key of the entry. */
  public long key() {
    return key;
  }

  /** Returns the value of the entry. */
  public long value() {
    return entries.value();
  }

  /** Returns the number of entries so far. */
  public long loaded() {
    return loaded;
  }

  /**
   * Tells the listener that all is loaded.
   *
   * @throws CancellationException if the listener cancels even now
   */
  public void finish() {
    report();
  }

  private void report() {
    if (!listener.onProgress(loaded, total)) {
      throw cancelled(loaded);
    }
  }
}
