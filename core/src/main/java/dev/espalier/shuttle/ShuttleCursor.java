// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.support.CursorMemory;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.LeafCursor;
import dev.espalier.support.Message;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over the leaves, each merged with what the buffers on its path hold between its bounds.
 * Where they hold nothing, it reads the leaf itself; else a copy of a part, in memory of its own: a
 * small part after a seek, then the rest. A part that has no entry is passed by.
 */
final class ShuttleCursor extends LeafCursor {
  /** Elements of a part, of the leaf and of each buffer, after a seek; then there is no limit. */
  private static final int FIRST_PART = 16;

  private static final int MOST_PART = Integer.MAX_VALUE;

  private final ShuttleStructure tree;
  private final ShuttleLayout layout;

  /** Most elements of the next part. */
  private int part = FIRST_PART;

  /** What was removed before the next entry. */
  private final DeadWalk walk;

  /** The keys that belong into the current leaf, or the part of it. */
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

  /** Makes a cursor that skips these ranges, and adds to them. */
  ShuttleCursor(ShuttleStructure tree, DeadRanges dead) {
    super(tree.modifications);
    this.tree = tree;
    this.walk = new DeadWalk(dead, tree.modifications);
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
    part = FIRST_PART;
    goForward(walk.begin(key, true), true);
  }

  @Override
  protected void descendToLast() {
    part = FIRST_PART;
    goBack(walk.begin(Long.MAX_VALUE, false));
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- range scan

  @Override
  protected boolean enterNextLeaf() {
    if (high == Long.MAX_VALUE) {
      return false;
    }
    long next = walk.begin(entries > 0 ? leafKey(entries - 1) + 1 : high + 1, true);
    return goForward(Math.max(next, high + 1), false);
  }

  @Override
  protected boolean enterPreviousLeaf() {
    if (low == Long.MIN_VALUE) {
      return false;
    }
    long next = walk.begin(entries > 0 ? leafKey(0) - 1 : low - 1, false);
    return goBack(Math.min(next, low - 1));
  }

  /** Enters the first part from a key on that has an entry, if there is one. */
  private boolean goForward(long from, boolean isSeek) {
    long key = from;
    int elements = enterPart(key, true, isSeek);
    while (entries == 0) {
      if (high == Long.MAX_VALUE) {
        walk.pass(key, high, elements);
        walk.end();
        slot = 0;
        return false;
      }
      long next = walk.pass(key, high, elements);
      key = next == high ? high + 1 : next;
      elements = enterPart(key, true, false);
    }
    slot = lowerBound(key);
    if (slot < entries) {
      walk.meet(leafKey(slot));
    }
    return true;
  }

  /** Enters the last part up to a key that has an entry, if there is one. */
  private boolean goBack(long from) {
    long key = from;
    int elements = enterPart(key, false, false);
    while (entries == 0) {
      if (low == Long.MIN_VALUE) {
        walk.pass(key, low, elements);
        walk.end();
        return false;
      }
      long next = walk.pass(key, low, elements);
      key = next == low ? low - 1 : next;
      elements = enterPart(key, false, false);
    }
    walk.meet(leafKey(entries - 1));
    return true;
  }

  /**
   * Enters what the leaf of a key has from it on, or up to it going back, or the next part of that.
   * A leaf without messages is entered from its beginning where one has sought a key in it.
   *
   * @return the number of entries and messages that were looked at, 1 at least
   */
  private int enterPart(long key, boolean forward, boolean isSeek) {
    MemorySegment nodes = tree.array.nodes;
    long node = goDown(nodes, key);
    int found = findMessages(nodes, true);
    int first = 0;
    int end = Math.clamp(layout.count(nodes, node), 0, layout.leafEntries);
    if (found > 0 || !isSeek) {
      if (key != (forward ? low : high)) {
        low = forward ? key : low;
        high = forward ? high : key;
        found = findMessages(nodes, false);
        first = firstEntryFrom(nodes, node, low);
        end = high == Long.MAX_VALUE ? end : firstEntryFrom(nodes, node, high + 1);
      }
      if (found > 0 && isCut(nodes, node, first, end, forward)) {
        found = findMessages(nodes, false);
        first = forward ? first : firstEntryFrom(nodes, node, low);
        end = forward ? Math.min(end, firstEntryFrom(nodes, node, high + 1)) : end;
      }
    }
    int count = Math.max(0, end - first);
    if (found == 0) {
      long from = node + ((long) first << 3);
      enter(nodes, from + ShuttleLayout.KEYS, from + layout.leafValues, count);
    } else {
      merge(nodes, node, first, end, count + found);
    }
    return Math.max(1, count + found);
  }

  /** Goes down to the leaf where a key belongs; notes the buffers on the way, and its bounds. */
  private long goDown(MemorySegment nodes, long key) {
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
    if (key < low || key > high) {
      throw PackedArray.torn(); // Scans end because each leaf's bounds are behind the one before.
    }
    return node;
  }

  /** Finds the messages within bounds: in all buffers, or those that had some before. */
  private int findMessages(MemorySegment nodes, boolean everywhere) {
    int found = 0;
    for (int source = 0; source < sources; source++) {
      if (everywhere || next[source] < end[source]) {
        next[source] = firstFrom(nodes, source, low);
        end[source] =
            high == Long.MAX_VALUE ? count(nodes, source) : firstFrom(nodes, source, high + 1);
        found += Math.max(0, end[source] - next[source]);
      }
    }
    return found;
  }

  /**
   * Has the bounds be so close that no more than a part's elements of any source are within, and
   * tells whether they were not.
   */
  private boolean isCut(
      MemorySegment nodes, long leaf, int firstEntry, int endEntry, boolean forward) {
    boolean isCut = endEntry - firstEntry > part;
    if (isCut) {
      int last = forward ? firstEntry + part - 1 : endEntry - part;
      cutAt(ShuttleLayout.key(nodes, leaf, last), forward);
    }
    for (int source = 0; source < sources; source++) {
      if (end[source] - next[source] > part) {
        int last = forward ? next[source] + part - 1 : end[source] - part;
        cutAt(ShuttleLayout.key(nodes, chunks[source], last), forward);
        isCut = true;
      }
    }
    part = MOST_PART;
    return isCut && (forward ? high < Long.MAX_VALUE : low > Long.MIN_VALUE);
  }

  private void cutAt(long key, boolean forward) {
    if (forward) {
      high = Math.min(high, key);
    } else {
      low = Math.max(low, key);
    }
  }

  private int firstEntryFrom(MemorySegment nodes, long leaf, long key) {
    int found = tree.findEntry(nodes, leaf, key);
    return found < 0 ? -1 - found : found;
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
  private void merge(MemorySegment nodes, long leaf, int first, int count, long most) {
    if (merged.byteSize() < 2 * Long.BYTES * most) {
      merged = CursorMemory.allocate(4 * Long.BYTES * most);
    }
    long values = merged.byteSize() / 2;
    int inLeaf = first;
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
