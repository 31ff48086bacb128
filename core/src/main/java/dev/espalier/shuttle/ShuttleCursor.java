// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.support.LeafCursor;
import dev.espalier.support.Message;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over the leaves, each merged with what the buffers on its path hold between its bounds.
 * Where they hold nothing, it reads the leaf itself; else a copy in memory of its own. A leaf that
 * has no entry then is passed by.
 */
final class ShuttleCursor extends LeafCursor {
  private final ShuttleStructure tree;
  private final ShuttleLayout layout;

  /** The keys that belong into the current leaf. */
  private long low;

  private long high;

  /** The buffers on the path, newest first, and which of their messages are within bounds. */
  private final long[] chunks;

  private final int[] capacities;
  private final int[] next;
  private final int[] end;
  private int sources;

  /** The merged entries, first all keys; taken when first needed. */
  private MemorySegment merged = MemorySegment.NULL;

  ShuttleCursor(ShuttleStructure tree) {
    super(tree.modifications);
    this.tree = tree;
    this.layout = tree.layout;
    int most = 0;
    for (int at = 2; at <= BufferSchedule.MAX_HEIGHT; at++) {
      most += layout.lists(at);
    }
    chunks = new long[most];
    capacities = new int[most];
    next = new int[most];
    end = new int[most];
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    enterLeafOf(key);
    slot = lowerBound(key);
    if (entries == 0 && enterNextLeaf()) {
      slot = 0;
    }
  }

  @Override
  protected void descendToLast() {
    enterLeafOf(Long.MAX_VALUE);
    if (entries == 0) {
      enterPreviousLeaf();
    }
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- range scan

  @Override
  protected boolean enterNextLeaf() {
    while (high != Long.MAX_VALUE) {
      long passed = high;
      enterLeafOf(passed + 1);
      if (high <= passed) {
        throw PackedArray.torn();
      }
      if (entries > 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  protected boolean enterPreviousLeaf() {
    while (low != Long.MIN_VALUE) {
      long passed = low;
      enterLeafOf(passed - 1);
      if (low >= passed) {
        throw PackedArray.torn();
      }
      if (entries > 0) {
        return true;
      }
    }
    return false;
  }

  /** Enters the leaf where a key belongs, which may have no entries. */
  private void enterLeafOf(long key) {
    MemorySegment nodes = tree.array.nodes;
    long node = tree.array.root;
    low = Long.MIN_VALUE;
    high = Long.MAX_VALUE;
    sources = 0;
    for (int at = tree.height; at > 1; at--) {
      int child = layout.childFor(nodes, node, key);
      if (child > 0) {
        low = Math.max(low, layout.separator(nodes, node, child - 1) + 1);
      }
      if (child < layout.keySlots) {
        high = Math.min(high, layout.separator(nodes, node, child));
      }
      for (int list = 0; list < layout.lists(at); list++) {
        chunks[sources] = layout.buffer(nodes, node, list, child);
        capacities[sources++] = layout.chunkCapacity(at, list);
      }
      node = layout.child(nodes, node, child);
    }
    long found = 0;
    for (int source = 0; source < sources; source++) {
      next[source] = firstFrom(nodes, source, low);
      end[source] =
          high == Long.MAX_VALUE ? count(nodes, source) : firstFrom(nodes, source, high + 1);
      found += Math.max(0, end[source] - next[source]);
    }
    int count = Math.clamp(layout.count(nodes, node), 0, layout.leafEntries);
    if (found == 0) {
      enter(nodes, node + ShuttleLayout.KEYS, node + layout.leafValues, count);
    } else {
      merge(nodes, node, count, found);
    }
  }

  private int count(MemorySegment nodes, int source) {
    return Math.clamp(layout.count(nodes, chunks[source]), 0, capacities[source]);
  }

  private int firstFrom(MemorySegment nodes, int source, long key) {
    int slot = tree.findMessage(nodes, chunks[source], capacities[source], key);
    return slot < 0 ? -1 - slot : slot;
  }

  /**
   * Merges a leaf with the messages; of several for one key the newest source has the last word.
   */
  private void merge(MemorySegment nodes, long leaf, int count, long messages) {
    long most = count + messages;
    if (merged.byteSize() < 2 * Long.BYTES * most) {
      merged = Arena.ofAuto().allocate(4 * Long.BYTES * most, Long.BYTES);
    }
    long values = merged.byteSize() / 2;
    int inLeaf = 0;
    int to = 0;
    while (true) {
      int newest = -1;
      long key = 0;
      for (int source = 0; source < sources; source++) {
        if (next[source] < end[source]) {
          long candidate = ShuttleLayout.key(nodes, chunks[source], next[source]);
          if (newest < 0 || candidate < key) {
            newest = source;
            key = candidate;
          }
        }
      }
      boolean fromLeaf = false;
      if (inLeaf < count) {
        long candidate = ShuttleLayout.key(nodes, leaf, inLeaf);
        if (newest < 0 || candidate < key) {
          fromLeaf = true;
          key = candidate;
        }
        if (candidate == key) {
          inLeaf++;
        }
      } else if (newest < 0) {
        break;
      }
      if (fromLeaf) {
        long from = leaf + layout.leafValues + ((long) (inLeaf - 1) << 3);
        to = add(values, to, key, getLong(nodes, from));
        continue;
      }
      int capacity = capacities[newest];
      if (ShuttleLayout.kind(nodes, chunks[newest], capacity, next[newest]) == Message.PUT) {
        long value = ShuttleLayout.chunkValue(nodes, chunks[newest], capacity, next[newest]);
        to = add(values, to, key, value);
      }
      next[newest]++; // for sure, whatever another thread has made of the key meanwhile
      pass(nodes, key);
    }
    enter(merged, 0, values, to);
  }

  /** Passes the messages of a key in all buffers. */
  private void pass(MemorySegment nodes, long key) {
    for (int source = 0; source < sources; source++) {
      if (next[source] < end[source]
          && ShuttleLayout.key(nodes, chunks[source], next[source]) == key) {
        next[source]++;
      }
    }
  }

  private int add(long values, int slot, long key, long value) {
    long at = (long) slot << 3;
    putLong(merged, at, key);
    putLong(merged, values + at, value);
    return slot + 1;
  }

  // ---------------------------------------------------------------- change

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    tree.put(key, value, 0, false); // finds the key, and so changes it in place
  }

  @Override
  protected void removeFromTree(long key) {
    tree.remove(key, 0);
  }
}
