// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import dev.espalier.LongCursor;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.MessageColumns;
import dev.espalier.support.NewestMessages;
import java.lang.foreign.MemorySegment;

/**
 * One removal of a range of keys: out of each leaf and each buffer at once. First the entries are
 * counted, then what is in the range goes; leaves stay, as after any removal.
 */
final class ShuttleCut {
  private final ShuttleStructure tree;
  private final ShuttleLayout layout;
  private final MemorySegment nodes;

  ShuttleCut(ShuttleStructure tree) {
    this.tree = tree;
    this.layout = tree.layout;
    this.nodes = tree.array.nodes;
  }

  /**
   * Removes the entries with keys from {@code first} to {@code last}, both included. Takes no
   * memory. O(log n) for the ends, and O(1) for each node, buffer and message of the range.
   *
   * @return how many there were
   */
  long remove(long first, long last) {
    LongCursor cursor = tree.cursor();
    if (!cursor.lower(first) && !cursor.higher(last)) {
      long all = tree.size();
      tree.clear();
      return all;
    }
    long removed = count(tree.array.root, tree.height, first, last, NewestMessages.NONE);
    tree.modifications.changes++;
    cut(tree.array.root, tree.height, first, last);
    if (tree.size >= 0) {
      tree.size -= removed;
    }
    if (removed >= DeadWalk.WORTH) {
      tree.dead.add(first, last);
    }
    return removed;
  }

  /**
   * Counts the entries of a range at or below a node.
   *
   * @param newer messages for the range in the buffers above
   */
  private long count(long node, int height, long first, long last, NewestMessages newer) {
    if (height == 1) {
      int from = countBelow(node, layout.leafEntries, first);
      int to = Math.max(from, countUpTo(node, layout.leafEntries, last));
      return newer.entriesOver(nodes, node + ShuttleLayout.KEYS + ((long) from << 3), to - from);
    }
    long entries = 0;
    int end = childFor(node, last);
    long low = first;
    for (int child = childFor(node, first); child <= end; child++) {
      long high = child == end ? last : layout.separator(nodes, node, child);
      NewestMessages messages = newer.within(low, high);
      for (int list = 0; list < layout.lists(height); list++) {
        long chunk = layout.buffer(nodes, node, list, child);
        int capacity = layout.chunkCapacity(height, list);
        int from = countBelow(chunk, capacity, low);
        int to = countUpTo(chunk, capacity, high);
        messages = messages.over(nodes, chunk + ShuttleLayout.KEYS, capacity, from, to);
      }
      entries += count(layout.child(nodes, node, child), height - 1, low, high, messages);
      low = high + 1;
    }
    return entries;
  }

  /** Removes the entries and messages of a range at or below a node. */
  private void cut(long node, int height, long first, long last) {
    if (height == 1) {
      cutLeaf(node, first, last);
      return;
    }
    int end = childFor(node, last);
    long low = first;
    for (int child = childFor(node, first); child <= end; child++) {
      long high = child == end ? last : layout.separator(nodes, node, child);
      for (int list = 0; list < layout.lists(height); list++) {
        long chunk = layout.buffer(nodes, node, list, child);
        cutBuffer(chunk, layout.chunkCapacity(height, list), low, high);
      }
      cut(layout.child(nodes, node, child), height - 1, low, high);
      low = high + 1;
    }
  }

  private void cutLeaf(long leaf, long first, long last) {
    int from = countBelow(leaf, layout.leafEntries, first);
    int to = countUpTo(leaf, layout.leafEntries, last);
    if (from < to) {
      int count = layout.count(nodes, leaf);
      long source = leaf + ((long) to << 3);
      long target = leaf + ((long) from << 3);
      long bytes = (long) (count - to) << 3;
      Words.copy(nodes, source + ShuttleLayout.KEYS, target + ShuttleLayout.KEYS, bytes);
      Words.copy(nodes, source + layout.leafValues, target + layout.leafValues, bytes);
      layout.count(nodes, leaf, count - (to - from));
      tree.settled -= to - from;
    }
  }

  private void cutBuffer(long chunk, int capacity, long first, long last) {
    int from = countBelow(chunk, capacity, first);
    int to = countUpTo(chunk, capacity, last);
    if (from < to) {
      int count = layout.count(nodes, chunk);
      long columns = chunk + ShuttleLayout.KEYS;
      MessageColumns.copy(nodes, columns, to, columns, from, capacity, count - to);
      layout.count(nodes, chunk, count - (to - from));
      tree.messages -= to - from;
    }
  }

  /** Returns the number of the child where a key belongs. */
  private int childFor(long node, long key) {
    int child = layout.childFor(nodes, node, key);
    if (child >= tree.checkedCount(nodes, node, layout.maxChildren)) {
      throw PackedArray.torn();
    }
    return child;
  }

  /** Returns how many keys of a leaf or a buffer are below one; most of the time, none are. */
  private int countBelow(long element, int capacity, long key) {
    int count = tree.checkedCount(nodes, element, capacity);
    return count == 0 || ShuttleLayout.key(nodes, element, 0) >= key
        ? 0
        : Keys.lowerBoundBinary(nodes, element + ShuttleLayout.KEYS, count, key);
  }

  /** Returns how many keys of a leaf or a buffer are not above one; most of the time, all are. */
  private int countUpTo(long element, int capacity, long key) {
    int count = tree.checkedCount(nodes, element, capacity);
    return count == 0 || ShuttleLayout.key(nodes, element, count - 1) <= key
        ? count
        : Keys.lowerBoundBinary(nodes, element + ShuttleLayout.KEYS, count, key + 1);
  }
}
