// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.LongEntry;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;

/** Writes entries: one leaf is latched and changed; what follows for other nodes comes later. */
final class LeafWriter {
  private final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final WriterGate gate;

  LeafWriter(ConcurrentStructure tree) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.gate = tree.gate;
  }

  /** Latches the leaf that covers a key, and asks for the lines that will change. */
  private long latch(long key) {
    long node = tree.latch(0, key);
    Words.prefetch(tree.base + node + leaf.valuesOffset, leaf.valueLines, Locality.T0);
    return node;
  }

  /** Begins a change of a latched leaf; gives the latch back if that is refused. */
  private void beginChange(MemorySegment nodes, long node) {
    if (!tree.snapshots.keep(node, leaf.width)) {
      Versions.unlatch(nodes, node);
      throw tree.snapshots.refusal();
    }
    Versions.beginChange(nodes, node);
  }

  // ---------------------------------------------------------------- search

  /**
   * Looks up a key with the latch of its leaf, for a reader that has begun again too often. Stores
   * its value, or {@code missing}, in {@code values[at]}.
   *
   * @return whether the key is there
   */
  boolean get(long key, long[] values, int at, long missing) {
    int operation = gate.enter();
    try {
      long node = latch(key);
      MemorySegment nodes = tree.nodes;
      int slot = leaf.search(nodes, node, key);
      boolean isThere = leaf.holds(nodes, node, slot, key);
      values[at] = isThere ? leaf.value(nodes, node, slot) : missing;
      Versions.unlatch(nodes, node);
      return isThere;
    } finally {
      gate.exit(operation);
    }
  }

  // ---------------------------------------------------------------- insert

  /** Searches a leaf for an insert: where the key is above all others, one look is enough. */
  private int searchFromEnd(MemorySegment nodes, long node, long key) {
    int count = leaf.count(nodes, node);
    return count > 0 && leaf.key(nodes, node, count - 1) < key
        ? count
        : leaf.search(nodes, node, key);
  }

  /**
   * Inserts an entry, or replaces its value if that is asked for.
   *
   * @return the value before, or {@code missing}
   */
  long put(long key, long value, boolean replaces, long missing) {
    while (true) {
      int need;
      int operation = gate.enter();
      try {
        long node = latch(key);
        MemorySegment nodes = tree.nodes;
        int slot = searchFromEnd(nodes, node, key);
        if (leaf.holds(nodes, node, slot, key)) {
          long previous = leaf.value(nodes, node, slot);
          if (replaces) {
            beginChange(nodes, node);
            leaf.value(nodes, node, slot, value);
            tree.noteOwnChange();
          }
          Versions.unlatch(nodes, node);
          return previous;
        }
        need = insertInto(node, slot, key, value);
        if (need == NodeSplit.INSERTED) {
          return missing;
        }
      } finally {
        gate.exit(operation);
      }
      tree.makeRoom(need);
    }
  }

  /**
   * Inserts an entry, unless the key is there.
   *
   * @return whether it was inserted
   */
  boolean insert(long key, long value) {
    while (true) {
      int need;
      int operation = gate.enter();
      try {
        long node = latch(key);
        MemorySegment nodes = tree.nodes;
        int slot = searchFromEnd(nodes, node, key);
        if (leaf.holds(nodes, node, slot, key)) {
          Versions.unlatch(nodes, node);
          return false;
        }
        need = insertInto(node, slot, key, value);
        if (need == NodeSplit.INSERTED) {
          return true;
        }
      } finally {
        gate.exit(operation);
      }
      tree.makeRoom(need);
    }
  }

  /**
   * Inserts an entry into a leaf that is latched, and gives the latch back; or splits the leaf,
   * without the entry.
   *
   * @return as {@link NodeSplit#splitLeaf}
   */
  private int insertInto(long node, int slot, long key, long value) {
    MemorySegment nodes = tree.nodes;
    int count = leaf.count(nodes, node);
    int done = NodeSplit.INSERTED;
    if (count < leaf.capacity) {
      beginChange(nodes, node);
      leaf.insert(nodes, node, slot, count, key, value);
      Versions.unlatch(nodes, node);
    } else {
      Versions.unlatch(nodes, node);
      done = tree.splits.splitLeaf(key, value);
      if (done == NodeSplit.REFUSED) {
        throw tree.snapshots.refusal();
      }
    }
    if (done == NodeSplit.INSERTED) {
      tree.size.increment();
      tree.noteOwnChange();
    }
    return done;
  }

  /** Replaces the value of a key, if that is there. */
  boolean replace(long key, long value) {
    int operation = gate.enter();
    try {
      long node = latch(key);
      MemorySegment nodes = tree.nodes;
      int slot = leaf.search(nodes, node, key);
      boolean isThere = leaf.holds(nodes, node, slot, key);
      if (isThere) {
        beginChange(nodes, node);
        leaf.value(nodes, node, slot, value);
        tree.noteOwnChange();
      }
      Versions.unlatch(nodes, node);
      return isThere;
    } finally {
      gate.exit(operation);
    }
  }

  /** Replaces the value of a key, if that is there and has the expected value. */
  boolean replace(long key, long expected, long value) {
    int operation = gate.enter();
    try {
      long node = latch(key);
      MemorySegment nodes = tree.nodes;
      int slot = leaf.search(nodes, node, key);
      boolean isAsExpected =
          leaf.holds(nodes, node, slot, key) && leaf.value(nodes, node, slot) == expected;
      if (isAsExpected) {
        beginChange(nodes, node);
        leaf.value(nodes, node, slot, value);
        tree.noteOwnChange();
      }
      Versions.unlatch(nodes, node);
      return isAsExpected;
    } finally {
      gate.exit(operation);
    }
  }

  // ---------------------------------------------------------------- delete

  /**
   * Removes an entry.
   *
   * @return its value, or {@code missing}
   */
  long remove(long key, long missing) {
    int operation = gate.enter();
    try {
      long node = latch(key);
      MemorySegment nodes = tree.nodes;
      int slot = leaf.search(nodes, node, key);
      if (!leaf.holds(nodes, node, slot, key)) {
        Versions.unlatch(nodes, node);
        return missing;
      }
      long previous = leaf.value(nodes, node, slot);
      removeFrom(node, slot, key);
      return previous;
    } finally {
      gate.exit(operation);
    }
  }

  /** Removes an entry, if it is there and has the expected value. */
  boolean removeIf(long key, long expected) {
    int operation = gate.enter();
    try {
      long node = latch(key);
      MemorySegment nodes = tree.nodes;
      int slot = leaf.search(nodes, node, key);
      if (!leaf.holds(nodes, node, slot, key) || leaf.value(nodes, node, slot) != expected) {
        Versions.unlatch(nodes, node);
        return false;
      }
      removeFrom(node, slot, key);
      return true;
    } finally {
      gate.exit(operation);
    }
  }

  /**
   * Removes the first entry of the first leaf, or the last of the last one. That leaf is empty only
   * if the tree is, or for lack of memory.
   *
   * @param entry receives the entry
   * @return whether there was one
   */
  boolean poll(boolean first, LongEntry entry) {
    int operation = gate.enter();
    try {
      long node = latch(first ? Long.MIN_VALUE : Long.MAX_VALUE);
      MemorySegment nodes = tree.nodes;
      int count = leaf.count(nodes, node);
      if (count == 0) {
        Versions.unlatch(nodes, node);
        return false;
      }
      int slot = first ? 0 : count - 1;
      long key = leaf.key(nodes, node, slot);
      long value = leaf.value(nodes, node, slot);
      removeFrom(node, slot, key);
      entry.set(key, value);
      return true;
    } finally {
      gate.exit(operation);
    }
  }

  /** Removes an entry from a leaf that is latched, and gives the latch back. */
  private void removeFrom(long node, int slot, long key) {
    MemorySegment nodes = tree.nodes;
    int count = leaf.count(nodes, node);
    if (!tree.snapshots.keepForRemoval(node, leaf.width)) {
      Versions.unlatch(nodes, node);
      throw tree.snapshots.refusal();
    }
    Versions.beginChange(nodes, node);
    leaf.remove(nodes, node, slot, count);
    Versions.unlatch(nodes, node);
    tree.size.decrement();
    tree.noteOwnChange();
    if (count - 1 < leaf.minimum) {
      tree.refills.refill(0, key);
    }
  }
}
