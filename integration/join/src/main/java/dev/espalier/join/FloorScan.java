// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;

/**
 * Finds the last entry at or before each of many keys that ascend. Keys that belong to the same
 * leaf need one descent together, and what follows the entry found there is compared as it comes.
 */
final class FloorScan {
  private final LongCursor cursor;
  private final LongRun run = new LongRun();

  private boolean isThere;
  private long key;
  private long value;

  /** The first entry of the run that was after the last key sought. */
  private int next;

  private boolean isAtEnd;

  /** Creates a scan, which is good for one pass over keys that ascend. */
  FloorScan(LongCursor cursor) {
    this.cursor = cursor;
  }

  /** Goes to the last entry at or before a key, and tells whether there is one. */
  boolean goTo(long sought) {
    int count = run.count();
    int at = next;
    while (at < count && run.key(at) <= sought) {
      at++;
    }
    if (at == count && !isAtEnd) {
      seek(sought);
    } else if (at > next) {
      key = run.key(at - 1);
      value = run.value(at - 1);
      next = at;
    }
    return isThere;
  }

  private void seek(long sought) {
    next = 0;
    run.truncate(0);
    isThere = cursor.floor(sought);
    if (isThere) {
      key = cursor.key();
      value = cursor.value();
      if (!cursor.nextRun(run)) {
        run.truncate(0);
        isAtEnd = true;
      }
    }
  }

  /** Returns the key of the entry. */
  long key() {
    return key;
  }

  /** Returns the value of the entry. */
  long value() {
    return value;
  }
}
