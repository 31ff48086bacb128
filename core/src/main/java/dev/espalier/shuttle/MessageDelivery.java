// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.putLong;
import static dev.espalier.support.Message.DELETE;
import static dev.espalier.support.Message.PUT;

import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;

/**
 * Takes messages from the root down, from buffer to buffer: one that is full is drained first, and
 * what reaches a leaf becomes an entry (streaming 2).
 */
final class MessageDelivery {
  /** Messages that find no memory, after which the rest of a batch is not tried. */
  private static final int MOST_REFUSALS = 64;

  private final ShuttleStructure tree;
  private final ShuttleLayout layout;
  private final ShuttleSplit split;

  /** How often memory was full during one insert, and the last time. */
  private int refusals;

  private MemoryLimitException refusal = new MemoryLimitException("");

  MessageDelivery(ShuttleStructure tree) {
    this.tree = tree;
    this.layout = tree.layout;
    this.split = new ShuttleSplit(tree);
  }

  /**
   * Inserts a message at the root.
   *
   * @throws MemoryLimitException if the index has no room for what that makes necessary; the map is
   *     then what it was
   */
  void insert(long key, long value, int kind) {
    tree.modifications.changes++;
    refusals = 0;
    try {
      deliver(tree.height, key, value, kind);
    } finally {
      tree.stack.top = 0;
    }
  }

  /** Puts an entry that is new into any buffer on its path, or the leaf, that is not full. */
  boolean fitsSomewhere(long key, long value) {
    for (int at = tree.height; at > 1; at--) {
      for (int list = 0; list < layout.lists(at); list++) {
        if (fitsIntoBuffer(at, list, key, value, PUT)) {
          return true;
        }
      }
    }
    long leaf = tree.nodeAt(1, key);
    if (layout.count(tree.array.nodes, leaf) >= layout.leafEntries) {
      return false;
    }
    tree.insertEntry(leaf, -1 - tree.findEntry(tree.array.nodes, leaf, key), key, value);
    return true;
  }

  /**
   * Takes a message down from the node of some height on its path. Nodes are counted from the
   * leaves, so it makes no difference if the root is split meanwhile.
   */
  private void deliver(int from, long key, long value, int kind) {
    int buffered = from;
    while (buffered > 1 && layout.lists(buffered) == 0) {
      buffered--;
    }
    if (buffered > 1) {
      intoBuffer(buffered, 0, key, value, kind);
    } else {
      intoLeaf(key, value, kind);
    }
  }

  private void intoBuffer(int at, int list, long key, long value, int kind) {
    if (!fitsIntoBuffer(at, list, key, value, kind)) {
      if (refusals >= MOST_REFUSALS) {
        throw refusal;
      }
      drain(at, list, key);
      if (!fitsIntoBuffer(at, list, key, value, kind)) {
        throw PackedArray.torn();
      }
    }
  }

  /** Puts a message into a buffer, unless that is full. */
  private boolean fitsIntoBuffer(int at, int list, long key, long value, int kind) {
    MemorySegment nodes = tree.array.nodes;
    long node = tree.nodeAt(at, key);
    long chunk = layout.buffer(nodes, node, list, layout.childFor(nodes, node, key));
    int capacity = layout.chunkCapacity(at, list);
    int slot = tree.findMessage(nodes, chunk, capacity, key);
    if (slot < 0) {
      int count = layout.count(nodes, chunk);
      if (count >= capacity) {
        return false;
      }
      slot = -1 - slot;
      ShuttleLayout.openMessage(nodes, chunk, capacity, slot, count);
      layout.count(nodes, chunk, count + 1);
      tree.messages++;
    }
    ShuttleLayout.message(nodes, chunk, capacity, slot, key, value, kind);
    return true;
  }

  /** Takes all messages out of a buffer and further down. */
  private void drain(int at, int list, long key) {
    long node = tree.nodeAt(at, key);
    long chunk =
        layout.buffer(tree.array.nodes, node, list, layout.childFor(tree.array.nodes, node, key));
    int capacity = layout.chunkCapacity(at, list);
    int count = tree.checkedCount(tree.array.nodes, chunk, capacity);
    long first = tree.stack.top;
    long end = first + count;
    tree.stack.reserve(end); // there is room already: it was made when the tree got so high
    tree.stack.push(tree.array.nodes, chunk, count, capacity);
    layout.count(tree.array.nodes, chunk, 0);
    tree.messages -= count;
    tree.drains++;
    tree.delivered += count;
    long refused = first;
    for (long next = first; next < end; next++) {
      if (!isDelivered(at, list, next)) {
        tree.stack.copy(next, refused++);
      }
    }
    for (long back = first; back < refused; back++) {
      fitsIntoBuffer(at, list, tree.stack.key(back), tree.stack.value(back), tree.stack.kind(back));
    }
    tree.stack.top = first;
    if (refused == end) {
      throw refusal;
    }
  }

  /** Takes a message from the stack further down, if memory allows. */
  private boolean isDelivered(int at, int list, long message) {
    if (refusals >= MOST_REFUSALS) {
      return false;
    }
    try {
      long key = tree.stack.key(message);
      if (list + 1 < layout.lists(at)) {
        intoBuffer(at, list + 1, key, tree.stack.value(message), tree.stack.kind(message));
      } else {
        deliver(at - 1, key, tree.stack.value(message), tree.stack.kind(message));
      }
      return true;
    } catch (MemoryLimitException full) {
      refusal = full;
      refusals++;
      return false;
    }
  }

  // ---------------------------------------------------------------- leaves

  private void intoLeaf(long key, long value, int kind) {
    long leaf = tree.nodeAt(1, key);
    int slot = tree.findEntry(tree.array.nodes, leaf, key);
    if (kind == DELETE) {
      if (slot >= 0) {
        tree.removeEntry(leaf, slot);
      }
    } else if (slot >= 0) {
      putLong(tree.array.nodes, leaf + layout.leafValues + ((long) slot << 3), value);
    } else {
      if (layout.count(tree.array.nodes, leaf) == layout.leafEntries) {
        split.splitLeaf(key);
        tree.splits++;
        leaf = tree.nodeAt(1, key);
        slot = tree.findEntry(tree.array.nodes, leaf, key);
      }
      tree.insertEntry(leaf, -1 - slot, key, value);
    }
  }
}
