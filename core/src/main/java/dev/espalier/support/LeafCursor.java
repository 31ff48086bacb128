// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ConcurrentModificationException;
import java.util.Objects;

/**
 * A cursor over entries that lie in leaves: stretches of memory with the keys in one array of longs
 * and the values in another. It knows where in a leaf it is and how its place is found again after
 * a change. How a leaf is found, and which comes next, is for the tree's own cursor, which calls
 * {@link #enter} for every leaf it goes to.
 *
 * <p>Steps within a leaf make no virtual call.
 */
public abstract class LeafCursor implements LongCursor {
  private enum State {
    /** On no entry; {@code next} goes to the first, {@code previous} to the last. */
    NOWHERE,
    /** On the entry in {@code slot}. */
    ON_ENTRY,
    /** Between the entries in {@code slot - 1} and {@code slot}: the current key has no entry. */
    BETWEEN
  }

  private final ChangeCount count;

  /** The memory of the current leaf, and where in it the first key and the first value are. */
  private MemorySegment memory = MemorySegment.NULL;

  private long keysOffset;
  private long valuesOffset;

  /** Number of entries in the current leaf. */
  protected int entries;

  /** Place in the current leaf. A subclass sets it after {@link #enter}. */
  protected int slot;

  private State state = State.NOWHERE;

  /** The key of the entry, by which the cursor finds its place again after a change. */
  private long currentKey;

  /** Whether the entry was removed through this cursor, which is then on none until it moves. */
  private boolean removed;

  /**
   * Up to where the current leaf can be stepped through, unless the tree has changed: {@code
   * entries} while the cursor is on an entry, 0 otherwise. Steps and reads ask for this first.
   */
  private int ready;

  private long changesSeen;

  /** The memory for reading only, made once for all runs that lie in it. */
  private MemorySegment runMemory = MemorySegment.NULL;

  private MemorySegment runSource = MemorySegment.NULL;

  /** Holds the leaf where it was copied; taken when first needed. */
  private MemorySegment copy = MemorySegment.NULL;

  /** Creates a cursor that is nowhere. */
  protected LeafCursor(ChangeCount count) {
    this.count = count;
  }

  // ---------------------------------------------------------------- for the trees

  /**
   * Enters the leaf where {@code key} is or belongs, which may be empty; slot is the first entry
   * not below it.
   */
  protected abstract void descend(long key);

  /** Enters the last leaf; any slot. */
  protected abstract void descendToLast();

  /** Enters the leaf after this one, unless there is none or it is empty. */
  protected abstract boolean enterNextLeaf();

  /** Enters the leaf before this one, unless there is none or it is empty. */
  protected abstract boolean enterPreviousLeaf();

  /** Removes a key from the tree. */
  protected abstract void removeFromTree(long key);

  /** Writes the value of the entry the cursor is on, which has its place in the leaf's memory. */
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    putLong(leafMemory, offset, value);
  }

  /** Throws {@link IllegalStateException} if the index is closed. */
  protected abstract void checkOpen();

  /** Makes this the current leaf. */
  protected final void enter(MemorySegment leafMemory, long keys, long values, int leafEntries) {
    memory = leafMemory;
    keysOffset = keys;
    valuesOffset = values;
    entries = leafEntries;
  }

  /**
   * Makes a copy of this the current leaf, for memory that does not stay as it is.
   *
   * @param mostEntries that a leaf of the tree can have
   */
  protected final void enterCopy(
      MemorySegment leafMemory, long keys, long values, int leafEntries, int mostEntries) {
    if (copy.byteSize() == 0) {
      copy = CursorMemory.allocate(2L * Long.BYTES * mostEntries);
    }
    long bytes = (long) leafEntries << 3;
    MemorySegment.copy(leafMemory, keys, copy, 0, bytes);
    MemorySegment.copy(leafMemory, values, copy, bytes, bytes);
    enter(copy, 0, bytes, leafEntries);
  }

  /** Returns key {@code i} of the current leaf. */
  protected final long leafKey(int i) {
    return getLong(memory, keysOffset + ((long) i << 3));
  }

  /** Returns how many keys of the current leaf are smaller, by a binary search. */
  protected final int lowerBound(long key) {
    return Keys.lowerBoundBinary(memory, keysOffset, entries, key);
  }

  // ---------------------------------------------------------------- seek

  @Override
  public final boolean first() {
    return ceiling(Long.MIN_VALUE);
  }

  @Override
  public final boolean last() {
    long changes = changesBefore();
    descendToLast();
    changesSeen = changes;
    slot = entries - 1;
    return settle(slot >= 0);
  }

  @Override
  public final boolean ceiling(long key) {
    enterLeafOf(key);
    return settle(slot < entries || nextLeaf());
  }

  @Override
  public final boolean floor(long key) {
    enterLeafOf(key);
    if (slot < entries && leafKey(slot) == key) {
      return settle(true);
    }
    return stepBack();
  }

  @Override
  public final boolean higher(long key) {
    return key == Long.MAX_VALUE ? nowhere() : ceiling(key + 1);
  }

  @Override
  public final boolean lower(long key) {
    return key == Long.MIN_VALUE ? nowhere() : floor(key - 1);
  }

  private void enterLeafOf(long key) {
    long changes = changesBefore();
    descend(key);
    changesSeen = changes;
  }

  /** Returns the count of changes as it is before a descent: what comes during it is not seen. */
  private long changesBefore() {
    long changes = count.changes;
    VarHandle.acquireFence(); // What is counted has been done: whoever sees it sees that.
    return changes;
  }

  /** Ends a move: on the entry in {@code slot}, or nowhere. */
  private boolean settle(boolean onEntry) {
    if (!onEntry) {
      return nowhere();
    }
    state = State.ON_ENTRY;
    removed = false;
    ready = entries;
    currentKey = leafKey(slot);
    return true;
  }

  private boolean nowhere() {
    ready = 0;
    checkOpen();
    state = State.NOWHERE;
    return false;
  }

  /** Finds the place of the current key again if the tree has changed. */
  private void catchUp() {
    if (changesSeen == count.changes) {
      return;
    }
    ready = 0;
    enterLeafOf(currentKey);
    boolean found = slot < entries && leafKey(slot) == currentKey;
    state = found ? State.ON_ENTRY : State.BETWEEN;
    ready = found && !removed ? entries : 0;
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public void scanTo(long key) {
    checkOpen();
  }

  @Override
  public final boolean next() {
    int after = slot + 1;
    if (after < ready && changesSeen == count.changes) {
      slot = after;
      currentKey = leafKey(after);
      return true;
    }
    return nextElsewhere();
  }

  private boolean nextElsewhere() {
    if (state == State.NOWHERE) {
      return first();
    }
    catchUp();
    int after = state == State.ON_ENTRY ? slot + 1 : slot;
    if (after >= entries) {
      return settle(nextLeaf());
    }
    slot = after;
    return settle(true);
  }

  @Override
  public final boolean previous() {
    if (state == State.NOWHERE) {
      return last();
    }
    catchUp();
    return stepBack();
  }

  private boolean stepBack() {
    if (slot == 0) {
      return settle(previousLeaf());
    }
    slot--;
    return settle(true);
  }

  @Override
  @SuppressWarnings({
    "MemorySegmentReferenceEquality",
    "ReferenceEquality"
  }) // asks whether the memory has moved
  public final boolean nextRun(LongRun run) {
    Objects.requireNonNull(run, "run");
    if (!next()) {
      return false;
    }
    if (memory != runSource) {
      runSource = memory;
      runMemory = memory.asReadOnly();
    }
    long from = (long) slot << 3;
    run.set(runMemory, keysOffset + from, valuesOffset + from, Long.BYTES, entries - slot);
    slot = entries - 1;
    currentKey = leafKey(slot);
    return true;
  }

  /** Tells whether the runs are in the memory that {@link #enterCopy} copies leaves to. */
  @Override
  public final boolean copiesRuns() {
    return copy.byteSize() > 0;
  }

  /** Goes to the first slot of the leaf after this one, if there is one. */
  private boolean nextLeaf() {
    long last = entries > 0 ? leafKey(entries - 1) : Long.MIN_VALUE;
    boolean wasEmpty = entries == 0;
    if (!enterNextLeaf()) {
      return false;
    }
    slot = 0;
    long first = leafKey(0);
    checkOrder((wasEmpty || last < first) && first <= leafKey(entries - 1));
    return true;
  }

  /** Goes to the last slot of the leaf before this one, if there is one. */
  private boolean previousLeaf() {
    long first = entries > 0 ? leafKey(0) : Long.MAX_VALUE;
    boolean wasEmpty = entries == 0;
    if (!enterPreviousLeaf()) {
      return false;
    }
    slot = entries - 1;
    long last = leafKey(slot);
    checkOrder((wasEmpty || last < first) && leafKey(0) <= last);
    return true;
  }

  /** Scans end because keys ascend; a tree that threads have torn may have lost that. */
  private static void checkOrder(boolean ordered) {
    if (!ordered) {
      throw new ConcurrentModificationException(
          "keys are out of order: the index was changed by another thread during a scan");
    }
  }

  // ---------------------------------------------------------------- entry

  @Override
  public final long key() {
    checkOnEntry();
    return leafKey(slot);
  }

  @Override
  public final long value() {
    checkOnEntry();
    return getLong(memory, valuesOffset + ((long) slot << 3));
  }

  @Override
  public final void setValue(long value) {
    checkOnEntry();
    writeValue(currentKey, memory, valuesOffset + ((long) slot << 3), value);
  }

  @Override
  public final void remove() {
    checkOnEntry();
    removeFromTree(currentKey);
    removed = true;
    ready = 0;
  }

  private void checkOnEntry() {
    if (ready == 0 || changesSeen != count.changes) {
      checkOnEntryAnew();
    }
  }

  private void checkOnEntryAnew() {
    if (state != State.NOWHERE) {
      catchUp();
    }
    if (state != State.ON_ENTRY || removed) {
      checkOpen();
      throw new IllegalStateException("the cursor is on no entry");
    }
  }
}
