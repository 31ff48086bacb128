// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getLongAcquire;
import static dev.espalier.memory.Words.getLongs;
import static dev.espalier.memory.Words.putLongs;

import dev.espalier.support.CursorMemory;
import java.lang.foreign.MemorySegment;

/**
 * A copy of the leaf that a cursor is at, made at one moment, and the ways to the next leaf.
 *
 * <p>A leaf may have entries that another has as well, while they are on the way from one to the
 * other. So it is known, from the way down, which keys are the leaf's, and only these are used.
 *
 * <p>The next leaf is found through their parent, as long as that has not changed, and otherwise
 * from the root. The leaves that come next are asked for ({@link LeavesAhead}).
 *
 * <p>For steps the copy is an array, which a step reads without looking at bounds and state of a
 * memory. For runs it is in native memory, as the runs of other trees are: loops over runs would
 * otherwise be compiled for both. A run has the entries of several leaves, each as it was at one
 * moment.
 */
abstract class CopiedLeaf {
  /** Most leaves of a run, and about the most bytes: a part of the first-level cache. */
  private static final int MAX_RUN_LEAVES = 8;

  private static final int MAX_RUN_BYTES = 8 << 10;

  final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  final LeavesAhead ahead;

  /** The leaf as it was, for steps. */
  final long[] copy;

  /**
   * Entries of leaves as they were, for runs, allocated for the first one: the keys, and behind
   * {@code runRoom} of them the values.
   */
  private MemorySegment runCopy = MemorySegment.NULL;

  final int mostRunLeaves;
  final int runRoom;

  /** Where in it the next leaf is copied to. */
  int runEnd;

  /** Whether the leaf was copied for runs, not for steps; and whether the next one is to be. */
  boolean isForRuns;

  boolean wantsRun;

  /** The memory in which the leaf is, the leaf, and its word when it was copied. */
  private MemorySegment nodes = MemorySegment.NULL;

  private long node;
  private long word;

  /** The thread that uses the cursor, its count of changes, and what that was at the copy. */
  private Thread thread = Thread.currentThread();

  private long[] ownChanges;
  long ownChangesSeen;

  /** The keys that are the leaf's, from the lowest to the highest. */
  long lowest;

  long highest;

  /** The leaf's parent and its word, or 0 if that is not known; and the leaf's place in it. */
  private long parent;

  private long parentWord;
  private int parentSlot;

  /** The keys that are the parent's. */
  private long parentLowest;

  private long parentHighest;

  /** Entries in the copy that have such keys; where in it their keys and their values begin. */
  int entries;

  int keysFrom;
  int valuesFrom;

  CopiedLeaf(ConcurrentStructure tree) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.ahead = new LeavesAhead(tree);
    this.copy = new long[leaf.bytes / Long.BYTES];
    this.mostRunLeaves = Math.clamp(MAX_RUN_BYTES / leaf.bytes, 1, MAX_RUN_LEAVES);
    this.runRoom = leaf.capacity * mostRunLeaves;
    this.ownChanges = tree.ownChanges();
  }

  /** Returns how many changes this thread has made since there was a cursor. */
  @SuppressWarnings("ReferenceEquality") // A thread is only ever itself.
  final long countOwnChanges() {
    Thread current = Thread.currentThread();
    if (current != thread) {
      thread = current;
      ownChanges = tree.ownChanges();
    }
    return ownChanges[0];
  }

  // ---------------------------------------------------------------- leaves

  final long longAt(int at) {
    return isForRuns ? getLong(runCopy, (long) at << 3) : copy[at];
  }

  final long keyAt(int i) {
    return longAt(keysFrom + i);
  }

  /** Returns how many keys are smaller. */
  final int lowerBound(long key) {
    int low = 0;
    int high = entries;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (keyAt(middle) < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns how many keys are not larger. */
  final int upperBound(long key) {
    return key == Long.MAX_VALUE ? entries : lowerBound(key + 1);
  }

  /** Tells whether the leaf is what was copied. */
  final boolean isCurrent() {
    try {
      return isSameMemory() && Versions.is(nodes, node, word);
    } catch (IllegalStateException _) {
      return false; // The memory has moved just now, or was closed, which others find out.
    }
  }

  @SuppressWarnings({
    "MemorySegmentReferenceEquality",
    "ReferenceEquality"
  }) // asks whether the memory has moved
  private boolean isSameMemory() {
    return nodes == tree.nodes;
  }

  /** Copies the leaf that covers a key, as it is at one moment. */
  final void copyLeafOf(long key) {
    tree.checkOpen();
    for (int tries = 0; ; tries++) {
      long ownChanges = countOwnChanges();
      try {
        if (tryCopy(key, tries)) {
          ownChangesSeen = ownChanges;
          return;
        }
      } catch (IllegalStateException | IndexOutOfBoundsException _) {
        tree.checkOpen(); // The memory has moved, or what was read of a node is nonsense.
      }
      Versions.pause(tries);
    }
  }

  private boolean tryCopy(long key, int tries) {
    nodes = tree.nodes;
    parent = 0;
    lowest = Long.MIN_VALUE;
    highest = Long.MAX_VALUE;
    if (tries == 0) {
      return tryCopyAtOnce(key);
    }
    return tries < ConcurrentStructure.OPTIMISTIC_TRIES ? tryCopyByLevel(key) : copyLatched(key);
  }

  /** Goes down without a look back, as {@link ConcurrentPbPlusTree} does, and copies the leaf. */
  private boolean tryCopyAtOnce(long key) {
    long changes = getLongAcquire(nodes, ConcurrentStructure.CHANGES);
    long root = getLong(nodes, ConcurrentStructure.ROOT);
    node = ConcurrentStructure.nodeOf(root);
    for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
      enterChild(key);
    }
    if (parent != 0) {
      parentWord = getLong(nodes, parent);
    }
    word = getLong(nodes, node);
    return Versions.noneSince(nodes, ConcurrentStructure.CHANGES, changes)
        && Versions.isReadable(word)
        && tryCopyLeaf();
  }

  /** Goes down without latches, and copies the leaf; returns false if something has changed. */
  private boolean tryCopyByLevel(long key) {
    long root = getLongAcquire(nodes, ConcurrentStructure.ROOT);
    node = ConcurrentStructure.nodeOf(root);
    word = Versions.read(nodes, node);
    if (!Versions.isReadable(word) || getLong(nodes, ConcurrentStructure.ROOT) != root) {
      return false;
    }
    for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
      parentWord = word;
      enterChild(key);
      if (!enterWord()) {
        return false;
      }
    }
    return tryCopyLeaf();
  }

  /** Goes to the child that covers a key, and notes its bounds. */
  private void enterChild(long key) {
    parent = node;
    parentLowest = lowest;
    parentHighest = highest;
    enterChild(inner.search(nodes, node, key), inner.count(nodes, node));
  }

  private void enterChild(int at, int count) {
    parentSlot = at;
    lowest = at > 0 ? inner.key(nodes, parent, at - 1) + 1 : parentLowest;
    highest = at < count ? inner.key(nodes, parent, at) : parentHighest;
    node = inner.child(nodes, parent, at);
  }

  /** Reads the word of the node; returns false if that or its parent has changed. */
  private boolean enterWord() {
    if (!Versions.isStill(nodes, parent, parentWord)) {
      return false;
    }
    word = Versions.read(nodes, node);
    return Versions.isStill(nodes, parent, parentWord) && Versions.isReadable(word);
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
      for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
        enterChild(key);
        Versions.latch(nodes, node);
        Versions.unlatch(nodes, parent);
      }
      copyLeaf();
      Versions.unlatch(nodes, node);
      useOwnEntries();
      parent = 0; // Not known: its word may have changed since.
      word = 0; // Not known: the leaf has to be copied again for the next step.
      return true;
    } finally {
      tree.gate.exit(operation);
    }
  }

  /** Copies the leaf, unless it has changed. */
  private boolean tryCopyLeaf() {
    copyLeaf();
    if (!Versions.isStill(nodes, node, word)) {
      return false;
    }
    useOwnEntries();
    return true;
  }

  private void copyLeaf() {
    isForRuns = wantsRun;
    entries = Math.clamp(leaf.count(nodes, node), 0, leaf.capacity);
    if (isForRuns) {
      long bytes = (long) entries << 3;
      copy(nodes, node + VersionedLeaf.KEYS_OFFSET, runCopy, (long) runEnd << 3, bytes);
      copy(nodes, node + leaf.valuesOffset, runCopy, (long) (runRoom + runEnd) << 3, bytes);
    } else {
      getLongs(nodes, node, copy, 0, copy.length);
    }
  }

  /** Leaves out what is another leaf's. */
  private void useOwnEntries() {
    keysFrom = isForRuns ? runEnd : VersionedLeaf.KEYS_OFFSET / Long.BYTES;
    valuesFrom = isForRuns ? runRoom + runEnd : leaf.valuesOffset / Long.BYTES;
    if (entries > 0 && (keyAt(0) < lowest || keyAt(entries - 1) > highest)) {
      int below = lowerBound(lowest);
      entries = upperBound(highest) - below;
      keysFrom += below;
      valuesFrom += below;
    }
  }

  /**
   * Copies the leaf beside this one, if they have a parent in common that has not changed. If not,
   * what is known of this leaf is lost.
   */
  final boolean step(int direction) {
    if (parent == 0 || !isSameMemory()) {
      return false;
    }
    long ownChanges = countOwnChanges();
    try {
      // A parent may have children that are another parent's as well, behind those of its own.
      boolean isLast =
          direction == LeavesAhead.FORWARD ? highest == parentHighest : lowest == parentLowest;
      ahead.look(nodes, parent, parentSlot, parentLowest, parentHighest, direction);
      int at = parentSlot + direction;
      int count = inner.count(nodes, parent);
      if (isLast || at < 0 || at > count) {
        return false;
      }
      enterChild(at, count);
      if (enterWord() && tryCopyLeaf()) {
        ownChangesSeen = ownChanges;
        return true;
      }
    } catch (IllegalStateException | IndexOutOfBoundsException _) {
      tree.checkOpen(); // The memory has moved, or what was read of a node is nonsense.
    }
    return false;
  }

  /** Tells whether the next leaf has another parent, or that is not known, or there is none. */
  private boolean isLastOfParent() {
    return parent == 0 || highest == parentHighest;
  }

  // ---------------------------------------------------------------- runs

  /**
   * Tells whether the next leaf can be copied behind the end of the run: the run may have begun
   * behind the start, if the cursor went back in the copy of the run before.
   */
  final boolean canCopyOn() {
    return !isLastOfParent() && runEnd + leaf.capacity <= runRoom;
  }

  /** Allocates the copy for runs; returns it for reading only. */
  final MemorySegment allocateRunCopy() {
    runCopy = CursorMemory.allocate(2L * Long.BYTES * runRoom);
    return runCopy.asReadOnly();
  }

  /** Brings the copy that was made for steps to where those for runs are. */
  final void turnToRuns() {
    putLongs(runCopy, 0, copy, keysFrom, entries);
    putLongs(runCopy, (long) runRoom << 3, copy, valuesFrom, entries);
    isForRuns = true;
    keysFrom = 0;
    valuesFrom = runRoom;
  }

  /** Keeps what was copied for a run, but nothing of the leaf: it is not current then. */
  final void forgetLeafOf(int first, int end) {
    parent = 0;
    node = ConcurrentStructure.ROOT; // What has no word of 0; the child of a node may be nonsense.
    word = 0;
    keysFrom = first;
    valuesFrom = runRoom + first;
    entries = end - first;
  }
}
