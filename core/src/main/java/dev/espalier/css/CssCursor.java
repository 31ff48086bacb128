// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static dev.espalier.memory.Words.putLong;

import dev.espalier.support.CursorMemory;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over array and delta, merged. Its leaves are stretches of either: entries of the array
 * between removed ones and keys of the delta, or entries of the delta between keys of the array.
 * Stretches of pairs are copied into columns.
 */
final class CssCursor extends LeafCursor {
  /** Longest stretch, so that whoever copies runs needs no large buffer. */
  private static final int MOST_ENTRIES = 4096;

  /** Longest stretch that is copied: every seek begins with a copy. */
  private static final int MOST_COPIED = 64;

  private final CssStructure tree;
  private final int mostOfArray;

  /** Keys, then values, of the stretch that was copied last; taken when first needed. */
  private MemorySegment copy = MemorySegment.NULL;

  /** Where the current stretch begins and ends, in the array and in the delta. */
  private long arrayFrom;

  private long arrayTo;
  private long deltaFrom;
  private long deltaTo;

  CssCursor(CssStructure tree) {
    super(tree.modifications);
    this.tree = tree;
    this.mostOfArray = tree.shape.hasDigests() ? MOST_COPIED : MOST_ENTRIES;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    standAt(tree.lowerBound(key), tree.delta.lowerBound(key));
    enterNextLeaf();
    slot = 0;
  }

  @Override
  protected void descendToLast() {
    standAt(tree.array.count, tree.delta.count);
    enterPreviousLeaf();
  }

  /** Makes the empty stretch between two entries the current one. */
  private void standAt(long inArray, long inDelta) {
    arrayFrom = inArray;
    arrayTo = inArray;
    deltaFrom = inDelta;
    deltaTo = inDelta;
    enter(tree.array.memory, 0, 0, 0);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- delete

  @Override
  protected void removeFromTree(long key) {
    tree.remove(key, 0);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  protected boolean enterNextLeaf() {
    EntryArray array = tree.array;
    EntryArray delta = tree.delta;
    long inArray = tree.removed.next(arrayTo, array.count, false);
    long inDelta = deltaTo;
    if (inArray >= array.count && inDelta >= delta.count) {
      return false;
    }
    boolean fromArray =
        inDelta >= delta.count
            || (inArray < array.count && array.key(inArray) < delta.key(inDelta));
    if (fromArray) {
      long end = Math.min(inArray + mostOfArray, array.count);
      end = tree.removed.next(inArray, end, true);
      if (inDelta < delta.count) {
        end = firstAbove(array, delta.key(inDelta), inArray, end);
      }
      enterArray(inArray, end, inDelta);
    } else {
      long end = Math.min(inDelta + MOST_ENTRIES, delta.count);
      if (inArray < array.count) {
        end = firstAbove(delta, array.key(inArray), inDelta, end);
      }
      enterDelta(inDelta, end, inArray);
    }
    return entries > 0;
  }

  @Override
  protected boolean enterPreviousLeaf() {
    EntryArray array = tree.array;
    EntryArray delta = tree.delta;
    long inArray = tree.removed.previous(arrayFrom, 0, false);
    long inDelta = deltaFrom - 1;
    if (inArray < 0 && inDelta < 0) {
      return false;
    }
    boolean fromArray = inDelta < 0 || (inArray >= 0 && array.key(inArray) > delta.key(inDelta));
    if (fromArray) {
      long start = Math.max(inArray + 1 - mostOfArray, 0);
      start = tree.removed.previous(inArray + 1, start, true) + 1;
      if (inDelta >= 0) {
        start = firstAbove(array, delta.key(inDelta), start, inArray + 1);
      }
      enterArray(start, inArray + 1, inDelta + 1);
    } else {
      long start = Math.max(inDelta + 1 - MOST_ENTRIES, 0);
      if (inArray >= 0) {
        start = firstAbove(delta, array.key(inArray), start, inDelta + 1);
      }
      enterDelta(start, inDelta + 1, inArray + 1);
    }
    return entries > 0;
  }

  private void enterArray(long from, long to, long inDelta) {
    arrayFrom = from;
    arrayTo = to;
    deltaFrom = inDelta;
    deltaTo = inDelta;
    if (tree.array.hasPairs()) {
      enterPairs(tree.array, from, to);
    } else {
      enterColumns(tree.array, from, to);
    }
  }

  private void enterPairs(EntryArray pairs, long from, long to) {
    if (copy.byteSize() == 0) {
      copy = CursorMemory.allocate(2L * MOST_COPIED * Long.BYTES);
    }
    long values = (long) MOST_COPIED << 3;
    int count = (int) (to - from);
    for (int i = 0; i < count; i++) {
      long at = (long) i << 3;
      putLong(copy, at, pairs.key(from + i));
      putLong(copy, values + at, pairs.value(from + i));
    }
    enter(copy, 0, values, count);
  }

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    boolean inArray = arrayTo > arrayFrom;
    if (inArray && tree.array.hasPairs()) {
      tree.overwrite(arrayFrom + slot, value);
    } else {
      super.writeValue(key, leafMemory, offset, value);
    }
  }

  private void enterDelta(long from, long to, long inArray) {
    deltaFrom = from;
    deltaTo = to;
    arrayFrom = inArray;
    arrayTo = inArray;
    enterColumns(tree.delta, from, to);
  }

  private void enterColumns(EntryArray columns, long from, long to) {
    long first = from << 3;
    enter(columns.memory, first, columns.valuesOffset + first, (int) (to - from));
  }

  /** Returns the first slot from {@code from} on whose key is above {@code key}, or {@code to}. */
  private static long firstAbove(EntryArray columns, long key, long from, long to) {
    long low = from;
    long high = to;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (columns.key(middle) <= key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
