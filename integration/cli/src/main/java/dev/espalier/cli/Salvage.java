// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.inspect.NodeView;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Writes the entries of a damaged index as far as they can be read. Where that fails, it goes on
 * from the next separator of an inner node from which it succeeds. So what is skipped begins behind
 * the last entry that could be read, and ends where a page that is sound begins.
 */
final class Salvage {
  private final LongIndex index;
  private final EntryWriter entries;

  private LongCursor cursor;
  private boolean isOnEntry;

  /** The smallest key that is neither written nor known to be missing. */
  private long next = Long.MIN_VALUE;

  private long found;
  private boolean isComplete = true;

  /** Prepares to write the entries of an index. */
  Salvage(LongIndex index, EntryWriter entries) {
    this.index = index;
    this.entries = entries;
    this.cursor = index.cursor();
  }

  /** Is told of ranges of keys that can't be read. */
  @FunctionalInterface
  interface MissingRange {
    /** Takes the smallest and the largest key of a range, and why it can't be read. */
    void accept(long first, long last, RuntimeException reason);
  }

  /** Tells whether nothing was skipped. */
  boolean isComplete() {
    return isComplete;
  }

  /** Returns the number of entries that were written. */
  long found() {
    return found;
  }

  /** Writes all entries that can be read, or until no more can be written. */
  void run(MissingRange missing) {
    RuntimeException failure = seek(next);
    if (failure == null) {
      failure = readOn();
    }
    if (failure == null) {
      return;
    }
    isComplete = false;
    NavigableSet<Long> separators = new TreeSet<>();
    addSeparators(separators);
    while (failure != null) {
      Long start = separators.higher(next);
      while (start != null && seek(start) != null) {
        start = separators.higher(start);
      }
      if (start == null) {
        missing.accept(next, Long.MAX_VALUE, failure);
        return;
      }
      missing.accept(next, start - 1, failure);
      next = start;
      failure = readOn();
    }
  }

  /** Goes to the first entry from a key on. Returns why it can't, or null. */
  private @Nullable RuntimeException seek(long key) {
    try {
      cursor = index.cursor();
      isOnEntry = cursor.ceiling(key);
      return null;
    } catch (RuntimeException torn) {
      return torn;
    }
  }

  /** Writes entries from the cursor's on. Returns why it can't go on, or null at the end. */
  private @Nullable RuntimeException readOn() {
    try {
      while (isOnEntry) {
        long key = cursor.key();
        if (key < next) {
          throw new IllegalStateException("key " + key + " comes after larger ones");
        }
        if (!entries.add(key, cursor.value())) {
          return null;
        }
        found++;
        if (key == Long.MAX_VALUE) {
          return null;
        }
        next = key + 1;
        isOnEntry = cursor.next();
      }
      return null;
    } catch (RuntimeException torn) {
      return torn;
    }
  }

  private void addSeparators(NavigableSet<Long> separators) {
    try {
      addSeparators(index.rootView(), separators);
    } catch (RuntimeException torn) {
      // Without a root there are none.
    }
  }

  private static void addSeparators(NodeView node, NavigableSet<Long> separators) {
    if (node.level() == 0) {
      return;
    }
    for (int i = 0; i < node.count(); i++) {
      separators.add(node.key(i));
    }
    for (int i = 0; i < node.children() && node.level() > 1; i++) {
      try {
        addSeparators(node.child(i), separators);
      } catch (RuntimeException torn) {
        // What is below can't be read, and neither can its separators.
      }
    }
  }
}
