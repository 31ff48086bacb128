// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.shuttle.ShuttleLayout.KEYS;
import static dev.espalier.support.Message.DELETE;
import static dev.espalier.support.Message.PUT;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryUse;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.DeadRanges;
import dev.espalier.tree.IndexStructure;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.IntToLongFunction;

/** The nodes and buffers of one shuttle tree, and how messages go down through them. */
final class ShuttleStructure extends IndexStructure {
  /* Overview
   *
   *   height h+1        [ v ]                     each edge v -> u has a list of buffers, small and
   *                    /  |  \                    new ones first; how many and how large they are
   *    lists:         b1  b1  b1                  depends on h alone (BufferSchedule)
   *                   b2  b2  b2
   *                    |   |   |
   *   height h       [ u ] ..  ..
   *   height 1       leaves of up to leafEntries settled entries
   *
   * A message is a PUT or DELETE of a key. It goes into the smallest buffer of the first edge on its
   * path that has buffers, and takes the place of an older message of its key there. A buffer that is
   * full is drained: all its messages go to the next larger one of the edge, or from the last one
   * down to the child; so each is written a few times, many together. In a leaf a PUT becomes an
   * entry, and a DELETE removes one or is dropped. A full leaf is split, then every node above whose
   * weight, the number of its leaves, is above 2 c^(h-1).
   *
   * Search: down the path, in the buffers of each edge from small to large; the first message of
   * the key decides, else the leaf does. What has searched first changes what it has found in place:
   * only new keys, and blind writes, become messages. A range of keys leaves leaves and buffers in
   * place (ShuttleCut).
   *
   * A drain takes its batch out of the buffer before it delivers (DrainStack). It goes down from the
   * root anew for every message, because the one before may have split or moved any node. Where
   * memory is full, what was not delivered goes back into the buffer it came from: the map is then
   * what it was.
   *
   * Invariants, checked by ShuttleVerifier; T1 .. are those of the algorithm's description in
   * docs/papers/shuttle-tree.md:
   *   I1  All leaves are at one depth, and a child is one lower than its parent (T1).
   *   I2  A node's weight is the number of its leaves, at most 2 c^(h-1), and but for the root at
   *       least c^(h-1) / 4 (T2).
   *   I3  Separators ascend; keys of entries and messages lie within their edges' bounds, and ascend
   *       in their leaf or buffer (T3).
   *   I4  Each edge has the buffers that the schedule gives it, and no others (T4).
   *   I5  Counts are within capacities, and inner nodes have a child at least (T5).
   *   I6  A message is PUT or DELETE (T6).
   *   I7  The settled entries and the messages are as many as counted; where the size is known, it is
   *       the number of keys whose newest message, or entry, is not a DELETE (T7, T13).
   *   I8  Elements lie in the order of LayoutOrder, linked in both directions, and do not overlap; they
   *       are within the array and have the lines that their kind has (T9, T10).
   *   I9  A node or buffer refers to the node whose child or buffer it is (T11).
   *   I10 The elements and their lines are as many as counted, and the memory is as accounted for,
   *       at most the limit (T12).
   *   I11 No key has an entry that is in a range which readers have found dead.
   *
   * Deviations from Bender et al., SPAA 2007, section 2:
   *   D1  By default heights of buffers follow a shifted H'. By the paper's H no tree below height 90
   *       has a buffer; that one is the schedule LITERAL.
   *   D2  A buffer is a sorted array, not a shuttle tree. Up to height 3 that costs a constant. Those
   *       of height 5, with 256 leaves' entries, are below nodes of height 14, which have 2^32 entries
   *       in the default geometry: inserting there moves many bytes, and the bound is lost.
   *   D3  Leaves are buckets, and weights count leaves. They never shrink: entries that are removed
   *       leave room. When one entry in 8 slots is left, all is built anew.
   *   D4  Searching writes change in place.
   *   D5  Rebalancing spreads the smallest aligned window of the array that is not too dense, instead
   *       of regions chosen by the recursive subtrees around the split. A new node and its new buffers
   *       are inserted one by one, each in its place in the order. Then the largest piece of which
   *       the split node was the root is put into order by itself, with memory for a copy of it.
   *   D6  A chunk has no gaps inside but at its end.
   */

  /** Slots of leaves for each live entry, beyond which a rebuild makes the tree smaller. */
  private static final int REBUILD_SLOTS = 8;

  final ShuttleLayout layout;
  final IndexOptions options;
  final MemoryBudget budget;

  PackedArray array;
  final DrainStack stack;

  int height;

  /** The number of keys, or -1 after writes that did not search. */
  long size;

  /** Entries in leaves, and messages in buffers. */
  long settled;

  long messages;

  /** Counts the changes after which a cursor's place may no longer be where it was. */
  final ChangeCount modifications = new ChangeCount();

  /** Where cursors have found nothing but what was removed. */
  final DeadRanges dead = new DeadRanges();

  /** How often all of the tree was replaced. */
  long replacements;

  // Counted since the index was made, for tests.
  long drains;
  long delivered;
  long splits;
  long rebuilds;

  /** A rebuild is not tried while there are as many live entries. */
  private long leastLive = Long.MAX_VALUE;

  private final MessageDelivery delivery;

  ShuttleStructure(IndexOptions options, ShuttleLayout layout) {
    this.options = Objects.requireNonNull(options, "options");
    this.layout = layout;
    this.budget = new MemoryBudget(options.memoryLimit());
    this.stack = new DrainStack(budget);
    this.delivery = new MessageDelivery(this);
    this.array = newArray();
    plantEmptyRoot();
  }

  PackedArray newArray() {
    return new PackedArray(layout, options, budget);
  }

  private void plantEmptyRoot() {
    long leaf = array.insertAfter(0, layout.leafLines);
    layout.initializeNode(array.nodes, leaf, 1, 0);
    array.linkInserted(leaf);
    array.root = leaf;
    height = 1;
    size = 0;
    settled = 0;
    messages = 0;
  }

  @Override
  public void clear() {
    checkOpen();
    modifications.changes++;
    replacements++;
    dead.clear();
    stack.clear();
    budget.clear();
    array = array.replacedBy(newArray());
    leastLive = Long.MAX_VALUE;
    plantEmptyRoot();
  }

  /** As every rebuild: the new array is built beside the old one. */
  @Override
  public long shrink(ProgressListener listener) {
    checkOpen();
    long before = budget.taken();
    new ShuttleBulkload(this).shrink(listener);
    stack.trim(layout.pathCapacity(height));
    return before - budget.taken();
  }

  @Override
  public void expectTornReads() {
    array.expectReaders();
    stack.expectReaders();
  }

  @Override
  public boolean isClosed() {
    return array.isClosed();
  }

  @Override
  public void close() {
    stack.close();
    array.close();
    modifications.countClose(); // so that cursors no longer read what they have copied
  }

  /** Tells whether no edge of the tree has a buffer. */
  boolean isUnbuffered() {
    for (int at = Math.min(height, BufferSchedule.MAX_HEIGHT); at > 1; at--) {
      if (layout.lists(at) > 0) {
        return false;
      }
    }
    return true;
  }

  // ---------------------------------------------------------------- search

  /** Where the newest message or the entry of a key is; reused by all writes. */
  static final class Place {
    /** The leaf where the key is or belongs, unless a message was found. */
    long leaf;

    /** The entry's slot in the leaf, or -1 - the slot where it belongs. */
    int slot;

    /** The chunk of the newest message, 0 for none. */
    long chunk;

    int capacity;
  }

  private final Place place = new Place();

  /** Finds the newest message of a key, or its entry. */
  Place find(long key) {
    MemorySegment nodes = array.nodes;
    long node = array.root;
    place.chunk = 0;
    for (int at = height; at > 1; at--) {
      int child = layout.childFor(nodes, node, key);
      int lists = layout.lists(at);
      for (int list = 0; list < lists; list++) {
        long chunk = layout.buffer(nodes, node, list, child);
        int capacity = layout.chunkCapacity(at, list);
        int slot = findMessage(nodes, chunk, capacity, key);
        if (slot >= 0) {
          place.chunk = chunk;
          place.slot = slot;
          place.capacity = capacity;
          return place;
        }
      }
      node = layout.child(nodes, node, child);
    }
    place.leaf = node;
    place.slot = findEntry(nodes, node, key);
    return place;
  }

  /** Returns the slot of a key's message in a chunk, or -1 - the slot where it belongs. */
  int findMessage(MemorySegment nodes, long chunk, int capacity, long key) {
    int count = checkedCount(nodes, chunk, capacity);
    int slot = Keys.lowerBoundBinary(nodes, chunk + KEYS, count, key);
    return slot < count && ShuttleLayout.key(nodes, chunk, slot) == key ? slot : -1 - slot;
  }

  /** Returns the slot of a key's entry in a leaf, or -1 - the slot where it belongs. */
  int findEntry(MemorySegment nodes, long leaf, long key) {
    return findMessage(nodes, leaf, layout.leafEntries, key);
  }

  /** Reads a count. Where threads have torn the tree, it may be anything. */
  int checkedCount(MemorySegment nodes, long element, int capacity) {
    int count = layout.count(nodes, element);
    if (count < 0 || count > capacity) {
      throw PackedArray.torn();
    }
    return count;
  }

  // ---------------------------------------------------------------- writes that search

  /** Stores a value; returns the one before, or {@code missing}. */
  long put(long key, long value, long missing, boolean onlyIfAbsent) {
    dead.revive(key);
    Place found = find(key);
    MemorySegment nodes = array.nodes;
    if (found.chunk != 0) {
      boolean isThere =
          ShuttleLayout.kind(nodes, found.chunk, found.capacity, found.slot) != DELETE;
      long previous = ShuttleLayout.chunkValue(nodes, found.chunk, found.capacity, found.slot);
      if (!isThere || !onlyIfAbsent) {
        modifications.changes++;
        ShuttleLayout.message(nodes, found.chunk, found.capacity, found.slot, key, value, PUT);
      }
      if (!isThere) {
        sized(1);
      }
      return isThere ? previous : missing;
    }
    if (found.slot >= 0) {
      long at = found.leaf + layout.leafValues + ((long) found.slot << 3);
      long previous = getLong(nodes, at);
      if (!onlyIfAbsent) {
        modifications.changes++;
        putLong(nodes, at, value);
      }
      return previous;
    }
    try {
      delivery.insert(key, value, PUT);
    } catch (MemoryLimitException full) {
      if (!delivery.fitsSomewhere(key, value)) {
        throw full;
      }
    }
    sized(1);
    return missing;
  }

  /** Removes a key; returns its value, or {@code missing}. Needs no memory. */
  long remove(long key, long missing) {
    Place found = find(key);
    MemorySegment nodes = array.nodes;
    long previous;
    if (found.chunk != 0) {
      if (ShuttleLayout.kind(nodes, found.chunk, found.capacity, found.slot) == DELETE) {
        return missing;
      }
      previous = ShuttleLayout.chunkValue(nodes, found.chunk, found.capacity, found.slot);
      modifications.changes++;
      ShuttleLayout.message(nodes, found.chunk, found.capacity, found.slot, key, 0, DELETE);
    } else if (found.slot < 0) {
      return missing;
    } else {
      previous = getLong(nodes, found.leaf + layout.leafValues + ((long) found.slot << 3));
      modifications.changes++;
      removeEntry(found.leaf, found.slot);
    }
    sized(-1);
    rebuildIfSparse();
    return previous;
  }

  /**
   * Removes the entries between two keys, out of each leaf at once. Returns how many there were.
   */
  long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    checkOpen();
    if (range.isEmpty()) {
      return 0;
    }
    long removed = new ShuttleCut(this).remove(range.first(), range.last());
    rebuildIfSparse();
    return removed;
  }

  private void sized(int more) {
    if (size >= 0) {
      size += more;
    }
  }

  void removeEntry(long leaf, int slot) {
    MemorySegment nodes = array.nodes;
    int count = checkedCount(nodes, leaf, layout.leafEntries);
    Slots.closeGap(nodes, leaf + KEYS, slot, count);
    Slots.closeGap(nodes, leaf + layout.leafValues, slot, count);
    layout.count(nodes, leaf, count - 1);
    settled--;
  }

  // ---------------------------------------------------------------- blind writes

  /** Stores a value without a search, unless no edge has a buffer to make that worth while. */
  void set(long key, long value) {
    if (isUnbuffered()) {
      put(key, value, 0, false);
      return;
    }
    dead.revive(key);
    try {
      delivery.insert(key, value, PUT);
    } catch (MemoryLimitException _) {
      put(key, value, 0, false); // in place, unless the key is new
      return;
    }
    size = -1;
  }

  /** Removes a key without a search, as {@link #set}. */
  void delete(long key) {
    if (isUnbuffered()) {
      remove(key, 0);
      return;
    }
    try {
      delivery.insert(key, 0, DELETE);
    } catch (MemoryLimitException _) {
      remove(key, 0); // in place
      return;
    }
    size = -1;
    rebuildIfSparse();
  }

  /** Returns the node of some height on the path of a key. */
  long nodeAt(int wanted, long key) {
    MemorySegment nodes = array.nodes;
    long node = array.root;
    for (int at = height; at > wanted; at--) {
      node = layout.child(nodes, node, layout.childFor(nodes, node, key));
    }
    return node;
  }

  // ---------------------------------------------------------------- leaves

  void insertEntry(long leaf, int slot, long key, long value) {
    MemorySegment nodes = array.nodes;
    int count = layout.count(nodes, leaf);
    if (slot < 0 || count >= layout.leafEntries) {
      throw PackedArray.torn();
    }
    Slots.openGap(nodes, leaf + KEYS, slot, count);
    Slots.openGap(nodes, leaf + layout.leafValues, slot, count);
    putLong(nodes, leaf + KEYS + ((long) slot << 3), key);
    putLong(nodes, leaf + layout.leafValues + ((long) slot << 3), value);
    layout.count(nodes, leaf, count + 1);
    settled++;
  }

  // ---------------------------------------------------------------- rebuild

  /** Builds the tree anew if few slots of its leaves are in use, and memory allows. */
  private void rebuildIfSparse() {
    long live = settled + messages;
    long slots = layout.weight(array.nodes, array.root) * layout.leafEntries;
    if (height == 1 || live * REBUILD_SLOTS >= slots || live >= leastLive) {
      return;
    }
    leastLive = live / 2; // not soon again if there is no memory
    if (new ShuttleBulkload(this).rebuild()) {
      leastLive = Long.MAX_VALUE;
      rebuilds++;
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public long size() {
    if (size < 0) {
      size = countEntries();
    }
    return size;
  }

  @Override
  public long sizeEstimate() {
    return size >= 0 ? size : settled + messages;
  }

  @Override
  public boolean isEmpty() {
    return size >= 0 ? size == 0 : !cursor().first();
  }

  @Override
  public LongCursor cursor() {
    return new ShuttleCursor(this, dead);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    BulkloadInput.checkStart(fillFactor, isEmpty() ? 0 : size());
    new ShuttleBulkload(this).load(entries, fillFactor, total, listener);
  }

  @Override
  public void verify(ProgressListener listener) {
    ShuttleVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return view(array.root, height - 1);
  }

  /** Buffers are not shown. */
  private NodeView view(long node, int level) {
    MemorySegment nodes = array.nodes;
    int most = level == 0 ? layout.leafEntries : layout.maxChildren;
    int count =
        NodeView.checkedCount(
            "I5", node, level, layout.count(nodes, node), Math.min(level, 1), most);
    long bytes = (long) layout.nodeLines(level + 1) << 6;
    IntToLongFunction keys = i -> ShuttleLayout.key(nodes, node, i);
    return level == 0
        ? NodeView.leaf(
            node,
            bytes,
            count,
            most,
            keys,
            i -> getLong(nodes, node + layout.leafValues + ((long) i << 3)))
        : NodeView.inner(
            node, bytes, level, count - 1, most - 1, keys, i -> viewChild(node, level, i));
  }

  /**
   * A walk ends on any damage: a child that has another parent, is not one level lower or was a
   * child before is refused.
   */
  private NodeView viewChild(long node, int level, int number) {
    MemorySegment nodes = array.nodes;
    long child = layout.child(nodes, node, number);
    boolean isRepeated = false;
    for (int before = 0; before < number; before++) {
      isRepeated |= layout.child(nodes, node, before) == child;
    }
    if (isRepeated || layout.parent(nodes, child) != node || layout.height(nodes, child) != level) {
      throw new InvariantViolationException(
          "I9", "the node @%d is not a child of @%d alone".formatted(child, node));
    }
    return view(child, level - 1);
  }

  @Override
  public MemoryUse memory() {
    return MemoryUse.of(array.used << CacheLine.SHIFT, budget.taken(), array.hasHugePages());
  }
}
