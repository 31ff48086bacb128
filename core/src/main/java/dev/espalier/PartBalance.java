// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.memory.MemoryLimitException;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the parts of a {@link PartitionedIndex} about equally large. Once a part is twice as large
 * as the average, entries move between neighbours until all parts are even: a piece of bounded size
 * at a time, under the locks of the two parts. One thread at a time does this, a writer that comes
 * by.
 */
final class PartBalance {
  /** The entries of a piece: moving so many keeps two parts locked for less than a millisecond. */
  static final int PIECE = 1024;

  private static final int FACTOR = 2;

  private final PartitionedIndex whole;
  private final IndexPart[] parts;
  private final int piece;
  private final ReentrantLock turn = new ReentrantLock();
  private final long[] sizes;
  private final long[] keys;
  private final long[] values;

  /** Whether a part was too large, and not all are even yet. */
  private boolean isAtWork;

  /** Run before each move, while no lock is held. */
  Runnable beforeMove = () -> {};

  PartBalance(PartitionedIndex whole, IndexPart[] parts, int piece) {
    this.whole = whole;
    this.parts = parts;
    this.piece = piece;
    this.sizes = new long[parts.length];
    this.keys = new long[piece];
    this.values = new long[piece];
  }

  /** Moves at most one piece across each bound, if necessary and if no other thread is doing so. */
  void check() {
    if (!turn.tryLock()) {
      return;
    }
    try {
      moveOnce();
    } catch (MemoryLimitException _) {
      isAtWork = false; // The parts stay uneven, and all entries where they were.
    } catch (IllegalStateException failed) {
      if (!whole.isClosed()) {
        throw failed;
      }
    } finally {
      turn.unlock();
    }
  }

  /**
   * Moves entries until all parts are even, for a thread that holds all locks. If another thread is
   * moving entries already, it is waiting for a lock and will continue later; then this does
   * nothing.
   */
  void finish() {
    if (!turn.tryLock()) {
      return;
    }
    try {
      isAtWork = true;
      while (moveOnce()) {}
    } catch (MemoryLimitException _) {
      isAtWork = false;
    } finally {
      turn.unlock();
    }
  }

  /** Returns the lowest and the highest key of each part, while nobody writes. */
  long[][] ranges() {
    return Arrays.stream(parts)
        .map(part -> new long[] {part.low, part.high})
        .toArray(long[][]::new);
  }

  private boolean moveOnce() {
    long total = 0;
    long largest = 0;
    for (int i = 0; i < parts.length; i++) {
      try (var _ = parts[i].reading.acquire()) {
        sizes[i] = parts[i].index.sizeEstimate();
      }
      total += sizes[i];
      largest = Math.max(largest, sizes[i]);
    }
    long average = total / parts.length;
    if (!isAtWork && largest <= FACTOR * average + piece) {
      return false;
    }
    isAtWork = true;
    long tolerance = Math.max(piece, average / 8);
    boolean moved = false;
    long before = 0;
    for (int i = 0; i + 1 < parts.length; i++) {
      before += sizes[i];
      // What the parts up to here have too many.
      long excess = before - average * (i + 1);
      if (excess > tolerance) {
        moved |= moveAcross(i, true, excess);
      } else if (excess < -tolerance) {
        moved |= moveAcross(i, false, -excess);
      }
    }
    isAtWork = moved;
    return moved;
  }

  /** Moves entries across the bound after a part, up or down; for one thread at a time. */
  boolean moveAcross(int left, boolean isUp, long most) {
    beforeMove.run();
    IndexPart lower = parts[left];
    IndexPart upper = parts[left + 1];
    try (var _ = lower.writing.acquire();
        var _ = upper.writing.acquire()) {
      int count = isUp ? takeLast(lower, most) : takeFirst(upper, most);
      if (count == 0) {
        return false;
      }
      long outermost = keys[count - 1];
      if (isUp) {
        transfer(lower.index, upper.index, count);
      } else {
        transfer(upper.index, lower.index, count);
      }
      long bound = isUp ? outermost : outermost + 1;
      lower.high = bound - 1;
      upper.low = bound;
      whole.boundHasMoved();
      return true;
    }
  }

  /** Notes the last entries of a part, in descending order; the part keeps its lowest key. */
  private int takeLast(IndexPart part, long most) {
    LongCursor cursor = part.index.cursor();
    int count = 0;
    for (boolean found = cursor.last();
        found && count < Math.min(piece, most) && cursor.key() > part.low;
        found = cursor.previous()) {
      keys[count] = cursor.key();
      values[count++] = cursor.value();
    }
    return count;
  }

  /** Notes the first entries of a part, in ascending order; the part keeps its highest key. */
  private int takeFirst(IndexPart part, long most) {
    LongCursor cursor = part.index.cursor();
    int count = 0;
    for (boolean found = cursor.first();
        found && count < Math.min(piece, most) && cursor.key() < part.high;
        found = cursor.next()) {
      keys[count] = cursor.key();
      values[count++] = cursor.value();
    }
    return count;
  }

  /** Moves the entries that were noted; if there is no room for them, they stay where they were. */
  private void transfer(LongIndex from, LongIndex to, int count) {
    try {
      to.putAll(keys, 0, values, 0, count);
      deleteAll(from, count);
    } catch (RuntimeException | Error failed) {
      if (!from.isClosed()) {
        from.putAll(keys, 0, values, 0, count);
        deleteAll(to, count);
      }
      throw failed;
    }
  }

  private void deleteAll(LongIndex index, int count) {
    for (int i = 0; i < count; i++) {
      index.delete(keys[i]);
    }
  }
}
