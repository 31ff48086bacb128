// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getLongAcquire;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.node.Keys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A cursor on a copy of a leaf, which it has made at one moment. It looks at every step whether the
 * leaf is still the same, by its word, and if not, finds the place of its key again. While it
 * stays, its key and value are those of the copy, unless its own thread has changed something.
 *
 * <p>A leaf may have entries that another has as well, while they are on the way from one to the
 * other. So the cursor knows, from the way down, which keys are the leaf's, and copies only these.
 */
final class ConcurrentCursor implements LongCursor {
  private enum State {
    /** On no entry; {@code next} goes to the first, {@code previous} to the last. */
    NOWHERE,
    /** On the entry in {@code slot}. */
    ON_ENTRY,
    /** Between the entries in {@code slot - 1} and {@code slot}: the current key has no entry. */
    BETWEEN
  }

  private final ConcurrentStructure tree;
  private final LeafWriter writer;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;

  /** The keys of the leaf, then its values. */
  private final MemorySegment copy;

  private final MemorySegment readOnlyCopy;
  private final long valuesOffset;

  /** The memory in which the leaf is, the leaf, and its word when it was copied. */
  private MemorySegment nodes = MemorySegment.NULL;

  private long node;
  private long word;
  private long ownChangesSeen;

  /** The keys that are the leaf's, from the lowest to the highest. */
  private long lowest;

  private long highest;

  /** Entries in the copy that have such keys, and those before them in the leaf. */
  private int entries;

  private int skipped;
  private int slot;
  private State state = State.NOWHERE;
  private long currentKey;

  /** Whether the entry was removed through this cursor, which is then on none until it moves. */
  private boolean removed;

  ConcurrentCursor(ConcurrentStructure tree) {
    this.tree = tree;
    this.writer = new LeafWriter(tree);
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.valuesOffset = (long) leaf.capacity * Long.BYTES;
    this.copy = Arena.ofAuto().allocate(2 * valuesOffset, Long.BYTES);
    this.readOnlyCopy = copy.asReadOnly();
  }

  // ---------------------------------------------------------------- leaves

  private long keyAt(int i) {
    return getLong(copy, (long) (skipped + i) << 3);
  }

  /** Returns how many keys are smaller. */
  private int lowerBound(long key) {
    return Keys.lowerBoundBinary(copy, (long) skipped << 3, entries, key);
  }

  /** Returns how many keys are not larger. */
  private int upperBound(long key) {
    return key == Long.MAX_VALUE ? entries : lowerBound(key + 1);
  }

  /** Tells whether the leaf is what was copied. */
  @SuppressWarnings({
    "MemorySegmentReferenceEquality",
    "ReferenceEquality"
  }) // asks whether the memory has moved
  private boolean isCurrent() {
    if (nodes != tree.nodes) {
      return false;
    }
    try {
      return Versions.isStill(nodes, node, word);
    } catch (IllegalStateException _) {
      return false; // The memory has moved just now, or was closed, which others find out.
    }
  }

  /** Copies the leaf that covers a key, as it is at one moment. */
  private void copyLeafOf(long key) {
    tree.checkOpen();
    for (int tries = 0; ; tries++) {
      long ownChanges = tree.ownChanges();
      try {
        if (tries < ConcurrentStructure.OPTIMISTIC_TRIES ? tryCopy(key) : copyLatched(key)) {
          ownChangesSeen = ownChanges;
          return;
        }
      } catch (IllegalStateException _) {
        tree.checkOpen(); // The memory has moved.
      }
      Versions.pause(tries);
    }
  }

  /** Goes down without latches, and copies the leaf; returns false if something has changed. */
  private boolean tryCopy(long key) {
    nodes = tree.nodes;
    long root = getLongAcquire(nodes, ConcurrentStructure.ROOT);
    node = ConcurrentStructure.nodeOf(root);
    word = Versions.read(nodes, node);
    if (!Versions.isReadable(word) || getLong(nodes, ConcurrentStructure.ROOT) != root) {
      return false;
    }
    lowest = Long.MIN_VALUE;
    highest = Long.MAX_VALUE;
    for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
      long child = enterChild(key);
      if (!Versions.isStill(nodes, node, word)) {
        return false;
      }
      long childWord = Versions.read(nodes, child);
      if (!Versions.isStill(nodes, node, word) || !Versions.isReadable(childWord)) {
        return false;
      }
      node = child;
      word = childWord;
    }
    int count = copyEntries();
    if (!Versions.isStill(nodes, node, word)) {
      return false;
    }
    clip(count);
    return true;
  }

  /** Returns the child that covers a key, and notes its bounds. */
  private long enterChild(long key) {
    int at = inner.search(nodes, node, key);
    if (at > 0) {
      lowest = inner.key(nodes, node, at - 1) + 1;
    }
    if (at < inner.count(nodes, node)) {
      highest = inner.key(nodes, node, at);
    }
    return inner.child(nodes, node, at);
  }

  /** Goes down with a latch on the way, and copies the leaf; returns false if the root changes. */
  private boolean copyLatched(long key) {
    int operation = tree.gate.enter();
    try {
      nodes = tree.nodes;
      long root = getLongAcquire(nodes, ConcurrentStructure.ROOT);
      node = ConcurrentStructure.nodeOf(root);
      if (!Versions.latch(nodes, node)) {
        return false;
      }
      if (getLong(nodes, ConcurrentStructure.ROOT) != root) {
        Versions.unlatch(nodes, node);
        return false;
      }
      lowest = Long.MIN_VALUE;
      highest = Long.MAX_VALUE;
      for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
        long child = enterChild(key);
        Versions.latch(nodes, child);
        Versions.unlatch(nodes, node);
        node = child;
      }
      int count = copyEntries();
      Versions.unlatch(nodes, node);
      clip(count);
      word = 0; // Not known: the leaf has to be copied again for the next step.
      return true;
    } finally {
      tree.gate.exit(operation);
    }
  }

  private int copyEntries() {
    int count = Math.clamp(leaf.count(nodes, node), 0, leaf.capacity);
    copy(nodes, node + VersionedLeaf.KEYS_OFFSET, copy, 0, (long) count << 3);
    copy(nodes, node + leaf.valuesOffset, copy, valuesOffset, (long) count << 3);
    return count;
  }

  /** Leaves out what is another leaf's. */
  private void clip(int count) {
    skipped = 0;
    entries = count;
    int below = lowerBound(lowest);
    entries = upperBound(highest) - below;
    skipped = below;
  }

  private void enterLeafOf(long key) {
    copyLeafOf(key);
    slot = lowerBound(key);
  }

  /** Goes to the first entry after the leaf. */
  private boolean nextLeaf() {
    while (highest != Long.MAX_VALUE) {
      enterLeafOf(highest + 1);
      if (slot < entries) {
        return true;
      }
    }
    return false;
  }

  /** Goes to the last entry with a key that is not larger, from the leaf that covers the key. */
  private boolean lastUpTo(long key) {
    slot = upperBound(key) - 1;
    while (slot < 0) {
      if (lowest == Long.MIN_VALUE) {
        return false;
      }
      long bound = lowest - 1;
      copyLeafOf(bound);
      slot = upperBound(bound) - 1;
    }
    return true;
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
    copyLeafOf(key);
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
    long from = (long) (skipped + slot) << 3;
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
    return getLong(copy, valuesOffset + ((long) (skipped + slot) << 3));
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
