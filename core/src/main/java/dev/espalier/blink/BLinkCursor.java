// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getLong;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.support.Latches;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A cursor on a copy of a leaf, which it has made at one moment. It looks at every step whether the
 * leaf is still the same, by its version, and if not, finds the place of its key again. While it
 * stays, its key and value are those of the copy, unless its own thread has changed something.
 * Between calls it holds nothing: no pin, no latch, and no page back from being used again.
 */
final class BLinkCursor implements LongCursor {
  private enum State {
    /** On no entry; {@code next} goes to the first, {@code previous} to the last. */
    NOWHERE,
    /** On the entry in {@code slot}. */
    ON_ENTRY,
    /** Between the entries in {@code slot - 1} and {@code slot}: the current key has no entry. */
    BETWEEN
  }

  private final BLinkStructure tree;
  private final BLinkWriter writer;
  private final PageStore store;
  private final BLinkPage layout;
  private final Latches latches;

  /** The keys of the leaf, then its values. */
  private final MemorySegment copy;

  private final MemorySegment readOnlyCopy;
  private final long valuesOffset;

  /** The leaf, which version was copied, and what its header said. */
  private int leaf;

  private long version;
  private int generation = -1;
  private long ownChangesSeen;
  private int entries;
  private int right;
  private int left;
  private long high;
  private boolean hasLeft;

  private int slot;
  private State state = State.NOWHERE;
  private long currentKey;

  /** Whether the entry was removed through this cursor, which is then on none until it moves. */
  private boolean removed;

  BLinkCursor(BLinkStructure tree) {
    this.tree = tree;
    this.writer = new BLinkWriter(tree);
    this.store = tree.store;
    this.layout = tree.layout;
    this.latches = tree.latches;
    this.valuesOffset = (long) layout.leafCapacity * Long.BYTES;
    this.copy = Arena.ofAuto().allocate(2 * valuesOffset, Long.BYTES);
    this.readOnlyCopy = copy.asReadOnly();
  }

  // ---------------------------------------------------------------- leaves

  private long keyAt(int i) {
    return getLong(copy, (long) i << 3);
  }

  /** Returns how many keys of the copy are smaller. */
  private int lowerBound(long key) {
    return Keys.lowerBoundBinary(copy, 0, entries, key);
  }

  /** Returns how many keys of the copy are not larger. */
  private int upperBound(long key) {
    return key == Long.MAX_VALUE ? entries : lowerBound(key + 1);
  }

  /** Tells whether the leaf is what was copied. */
  private boolean isCurrent() {
    return generation == tree.generation && latches.isStill(leaf, version);
  }

  /** Copies a leaf as it is at one moment; within an operation. */
  private void copyLeaf(int page) {
    long at = store.pin(page);
    MemorySegment pages = tree.pages;
    do {
      version = latches.version(page);
      entries = layout.count(pages, at);
      hasLeft = BLinkPage.hasLeft(pages, at);
      right = BLinkPage.right(pages, at);
      left = BLinkPage.left(pages, at);
      high = BLinkPage.high(pages, at);
      copy(pages, at + BLinkPage.HEADER_BYTES, copy, 0, (long) entries << 3);
      copy(pages, at + layout.valuesOffset, copy, valuesOffset, (long) entries << 3);
    } while (!latches.isStill(page, version));
    store.unpin(at, false);
    leaf = page;
    generation = tree.generation;
    ownChangesSeen = tree.ownChanges();
  }

  /** Copies the leaf that covers a key; within an operation. */
  private void copyLeafOf(long key) {
    int page = tree.find(0, key);
    for (int hops = 0; ; hops++) {
      BLinkStructure.checkHops(hops, page);
      copyLeaf(page);
      if (!hasLeft && key <= high) {
        return;
      }
      page = hasLeft ? tree.find(0, key) : right;
    }
  }

  private void enterLeafOf(long key) {
    tree.checkOpen();
    int operation = tree.epochs.enter();
    try {
      copyLeafOf(key);
    } finally {
      tree.epochs.exit(operation);
    }
    slot = lowerBound(key);
  }

  /** Goes to the first entry after the leaf. */
  private boolean nextLeaf() {
    while (high != Long.MAX_VALUE) {
      long key = high + 1;
      tree.checkOpen();
      int operation = tree.epochs.enter();
      try {
        // What a leaf that is still the same links to is in the tree, and stays for this operation.
        if (isCurrent()) {
          copyLeaf(right);
        }
        if (hasLeft || key > high) {
          copyLeafOf(key);
        }
      } finally {
        tree.epochs.exit(operation);
      }
      slot = lowerBound(key);
      if (slot < entries) {
        return true;
      }
    }
    return false;
  }

  /** Goes to the last entry with a key that is not larger, from the leaf that covers the key. */
  private boolean lastUpTo(long key) {
    long bound = key;
    slot = upperBound(bound) - 1;
    while (slot < 0) {
      bound = Math.min(bound, high);
      tree.checkOpen();
      int operation = tree.epochs.enter();
      try {
        if (left == 0 && isCurrent()) {
          return false;
        }
        if (!copyLeftNeighbour(bound)) {
          copyLeafOf(bound);
        }
      } finally {
        tree.epochs.exit(operation);
      }
      slot = upperBound(bound) - 1;
    }
    return true;
  }

  /**
   * Copies the leaf to the left of the current one, or one that covers the bound now. Returns false
   * if the current one has changed, and so may have got another neighbour.
   */
  private boolean copyLeftNeighbour(long bound) {
    if (left == 0 || !isCurrent()) {
      return false;
    }
    int origin = leaf;
    long originVersion = version;
    // A left link may lag behind a split: what came out of the leaf is on the way back.
    int page = left;
    for (int hops = 0; page != 0; hops++) {
      BLinkStructure.checkHops(hops, page);
      copyLeaf(page);
      if (hasLeft) {
        return false;
      }
      if (right == origin) {
        return latches.isStill(origin, originVersion);
      }
      if (bound <= high) {
        return true; // The current leaf is about to leave the tree, and its keys are here.
      }
      page = right;
    }
    return false;
  }

  // ---------------------------------------------------------------- seek

  @Override
  public boolean first() {
    return ceiling(Long.MIN_VALUE);
  }

  @Override
  public boolean last() {
    return floor(Long.MAX_VALUE);
  }

  @Override
  public boolean ceiling(long key) {
    enterLeafOf(key);
    return settle(slot < entries || nextLeaf());
  }

  @Override
  public boolean floor(long key) {
    enterLeafOf(key);
    return settle(lastUpTo(key));
  }

  @Override
  public boolean higher(long key) {
    return key == Long.MAX_VALUE ? settle(false) : ceiling(key + 1);
  }

  @Override
  public boolean lower(long key) {
    return key == Long.MIN_VALUE ? settle(false) : floor(key - 1);
  }

  /** Ends a move: on the entry in {@code slot}, or nowhere. */
  private boolean settle(boolean onEntry) {
    if (!onEntry) {
      tree.checkOpen();
      state = State.NOWHERE;
      return false;
    }
    state = State.ON_ENTRY;
    removed = false;
    currentKey = keyAt(slot);
    return true;
  }

  /** Finds the place of the current key again if its leaf has changed. */
  private void catchUp() {
    tree.checkOpen();
    if (isCurrent()) {
      return;
    }
    enterLeafOf(currentKey);
    boolean found = slot < entries && keyAt(slot) == currentKey;
    state = found ? State.ON_ENTRY : State.BETWEEN;
  }

  // ---------------------------------------------------------------- range scan

  /** Changes nothing: leaves are read when it is their turn. */
  @Override
  public void scanTo(long key) {
    tree.checkOpen();
  }

  @Override
  public boolean next() {
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
  public boolean previous() {
    if (state == State.NOWHERE) {
      return last();
    }
    catchUp();
    if (slot > 0) {
      slot--;
      return settle(true);
    }
    return settle(currentKey != Long.MIN_VALUE && lastUpTo(currentKey - 1));
  }

  @Override
  public boolean nextRun(LongRun run) {
    Objects.requireNonNull(run, "run");
    if (!next()) {
      return false;
    }
    long from = (long) slot << 3;
    run.set(readOnlyCopy, from, valuesOffset + from, Long.BYTES, entries - slot);
    slot = entries - 1;
    currentKey = keyAt(slot);
    return true;
  }

  // ---------------------------------------------------------------- entry

  @Override
  public long key() {
    checkOnEntry();
    return currentKey;
  }

  @Override
  public long value() {
    checkOnEntry();
    return getLong(copy, valuesOffset + ((long) slot << 3));
  }

  @Override
  public void setValue(long value) {
    checkOnEntry();
    if (!writer.replace(currentKey, value)) {
      throw onNoEntry();
    }
  }

  @Override
  public void remove() {
    checkOnEntry();
    writer.remove(currentKey, 0);
    removed = true;
  }

  /**
   * Checks that there is an entry. What this thread has done to it since it was copied is seen,
   * what others have done is not: they could do it right after this check as well.
   */
  private void checkOnEntry() {
    tree.checkOpen();
    if (state != State.NOWHERE && ownChangesSeen != tree.ownChanges()) {
      catchUp();
      ownChangesSeen = tree.ownChanges();
    }
    if (state != State.ON_ENTRY || removed) {
      throw onNoEntry();
    }
  }

  private static IllegalStateException onNoEntry() {
    return new IllegalStateException("the cursor is on no entry");
  }
}
