// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.memory.Words;
import dev.espalier.support.CursorMemory;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A cursor over an FD-tree, whose leaves are copies of entries merged from all runs. */
final class FdCursor extends LeafCursor {
  /** Entries of a leaf: few after a seek, then twice as many each time. */
  private static final int FIRST = 8;

  private static final int MOST = 512;
  private static final long VALUES = (long) MOST << 3;

  private final FdStructure tree;
  private final MemorySegment merged = CursorMemory.allocate(2 * VALUES);

  /** The head tree and the runs, the newest first. */
  private RunReader[] readers = {};

  private boolean[] has = {};
  private int sources;
  private boolean forward;

  /** The leaf has all entries from {@code low} up to {@code high}. */
  private long low;

  private long high;
  private boolean atEnd;
  private int most = FIRST;

  /** What was removed before the next entry. */
  private final DeadWalk walk;

  /** Makes a cursor that skips these ranges, and adds to them. */
  FdCursor(FdStructure tree, DeadRanges dead) {
    super(tree.modifications);
    this.tree = tree;
    this.walk = new DeadWalk(dead, tree.modifications);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  private void open() {
    checkOpen();
    sources = tree.depth + 1;
    int had = readers.length;
    if (sources > had) {
      readers = Arrays.copyOf(readers, sources);
      has = new boolean[sources];
      for (int k = had; k < sources; k++) {
        readers[k] = new RunReader(tree, true);
      }
    }
    readers[0].openHead();
    for (int k = 1; k < sources; k++) {
      readers[k].open(tree.runs[k]);
    }
  }

  /**
   * Stands before all keys that are not below one: in each run in the page that a fence leads to.
   */
  private void seek(long key) {
    open();
    int page = tree.head.slotOf(key);
    for (int k = 0; k < sources; k++) {
      readers[k].seek(page, key);
      page = readers[k].fenceUpTo(key);
    }
  }

  @Override
  protected void descend(long key) {
    most = FIRST;
    enter(merged, 0, VALUES, 0);
    low = key;
    seek(walk.begin(key, true));
    fillForward();
    slot = 0;
  }

  @Override
  protected void descendToLast() {
    most = FIRST;
    enter(merged, 0, VALUES, 0);
    open();
    high = Long.MAX_VALUE;
    atEnd = true;
    long from = walk.begin(Long.MAX_VALUE, false);
    if (from < Long.MAX_VALUE) {
      seek(from + 1);
    } else {
      for (int k = 0; k < sources; k++) {
        readers[k].seekEnd();
      }
    }
    fillBackward();
  }

  @Override
  protected boolean enterNextLeaf() {
    if (atEnd) {
      return false;
    }
    low = high + 1;
    long from = walk.begin(low, true);
    if (!forward || from != low) {
      seek(from);
    }
    return fillForward();
  }

  @Override
  protected boolean enterPreviousLeaf() {
    if (low == Long.MIN_VALUE) {
      return false;
    }
    high = low - 1;
    atEnd = false;
    long from = walk.begin(high, false);
    if (forward || from != high) {
      seek(from + 1);
    }
    return fillBackward();
  }

  private boolean fillForward() {
    forward = true;
    findMessages();
    int count = 0;
    long last = 0;
    while (count < most) {
      int newest = nearest();
      if (newest < 0) {
        walk.end();
        break;
      }
      last = readers[newest].key(true);
      if (take(newest, last, count)) {
        walk.meet(last);
        count++;
        continue;
      }
      long next = walk.pass(last, last, 1);
      if (next != last) {
        seek(next);
        findMessages();
        last = next - 1;
      }
    }
    atEnd = count < most || last == Long.MAX_VALUE;
    high = atEnd ? Long.MAX_VALUE : last;
    most = Math.min(2 * most, MOST);
    enter(merged, 0, VALUES, count);
    return count > 0;
  }

  private boolean fillBackward() {
    forward = false;
    findMessages();
    int at = MOST;
    low = Long.MIN_VALUE;
    while (MOST - at < most) {
      int newest = nearest();
      if (newest < 0) {
        low = Long.MIN_VALUE;
        walk.end();
        break;
      }
      low = readers[newest].key(false);
      if (take(newest, low, at - 1)) {
        walk.meet(low);
        at--;
        continue;
      }
      long next = walk.pass(low, low, 1);
      if (next != low) {
        seek(next + 1);
        findMessages();
      }
    }
    most = Math.min(2 * most, MOST);
    long from = (long) at << 3;
    enter(merged, from, VALUES + from, MOST - at);
    return at < MOST;
  }

  /** Has all readers go to their next message. */
  private void findMessages() {
    for (int k = 0; k < sources; k++) {
      has[k] = forward ? readers[k].findNext(false) : readers[k].findPrevious();
    }
  }

  /** Returns the newest source that has the next key, or -1 if there is none. */
  private int nearest() {
    int newest = -1;
    for (int k = 0; k < sources; k++) {
      if (has[k]
          && (newest < 0 || isNearer(readers[k].key(forward), readers[newest].key(forward)))) {
        newest = k;
      }
    }
    return newest;
  }

  private boolean isNearer(long key, long than) {
    return forward ? key < than : key > than;
  }

  /** Passes all messages of a key; returns whether it has an entry, which is in the leaf now. */
  private boolean take(int newest, long key, int to) {
    boolean isPut = readers[newest].isPut(forward);
    if (isPut) {
      Words.putLong(merged, (long) to << 3, key);
      Words.putLong(merged, VALUES + ((long) to << 3), readers[newest].value(forward));
    }
    for (int k = newest; k < sources; k++) {
      if (has[k] && readers[k].key(forward) == key) {
        readers[k].pass(forward);
        has[k] = forward ? readers[k].findNext(false) : readers[k].findPrevious();
      }
    }
    return isPut;
  }

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    tree.put(key, value, false);
  }

  @Override
  protected void removeFromTree(long key) {
    tree.remove(key);
  }
}
