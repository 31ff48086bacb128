// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.shuttle.ShuttleTree.Geometry;
import dev.espalier.support.Message;
import dev.espalier.support.MessageColumns;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The bytes of the elements of the array: inner nodes, leaves and the chunks that buffers are.
 *
 * <pre>
 *  header   0 height (0: chunk) | 4 count | 8 lines | 12 next | 16 previous | 20 parent
 *          24 weight            | 32 forward | 36 list | 40 slot
 *  inner   64 separators (keySlots, padded) | children (maxChildren) | buffers, list by list
 *  leaf    64 keys (leafEntries) | values
 *  chunk   64 messages (capacity), as MessageColumns has them
 * </pre>
 *
 * References are 32-bit line numbers, 0 for none. {@code next} and {@code previous} are the
 * neighbours in memory; {@code parent} is the node above, of a chunk the node that its edge leaves.
 * {@code forward} is where an element is about to be moved, and 0 at other times; {@code slot} is
 * which reference of the parent leads to it, and valid then only.
 */
final class ShuttleLayout {
  static final int HEADER_BYTES = CacheLine.BYTES;
  private static final int HEIGHT = 0;
  private static final int COUNT = 4;
  private static final int LINES = 8;
  private static final int NEXT = 12;
  private static final int PREVIOUS = 16;
  private static final int PARENT = 20;
  private static final int WEIGHT = 24;
  private static final int FORWARD = 32;
  private static final int LIST = 36;
  private static final int SLOT = 40;

  /** Larger buffers, below nodes higher than any tree gets, would have more lines than an int. */
  private static final long MOST_CAPACITY = 1 << 26;

  /** Offset of the first key of an element of any kind. */
  static final int KEYS = HEADER_BYTES;

  final BufferSchedule schedule;
  final int fanout;
  final int leafEntries;

  /** Slots for children, one more than a node keeps: it has that many while it is split. */
  final int maxChildren;

  /** Slots for separators, whole lines. */
  final int keySlots;

  final int leafValues;
  final int leafLines;
  private final int childrenOffset;

  /** By the height of the node and the place in its lists: the messages of a buffer. */
  private final int[][] capacities = new int[BufferSchedule.MAX_HEIGHT + 1][];

  ShuttleLayout(Geometry geometry) {
    schedule = new BufferSchedule(geometry.schedule());
    fanout = geometry.fanout();
    leafEntries = geometry.leafEntries();
    // Weights allow 2 c^2 / (c - 1) children; nodes that a bulkload made may have a few more.
    maxChildren = 2 * fanout + 6;
    keySlots = (maxChildren - 1 + CacheLine.LONGS - 1) & -CacheLine.LONGS;
    childrenOffset = KEYS + keySlots * Long.BYTES;
    leafValues = KEYS + leafEntries * Long.BYTES;
    leafLines = lines(leafValues + (long) leafEntries * Long.BYTES);
    Arrays.setAll(capacities, this::chunkCapacities);
  }

  private static int lines(long bytes) {
    return Math.toIntExact((bytes + CacheLine.BYTES - 1) >>> CacheLine.SHIFT);
  }

  /** Returns the lines of a node of a height. */
  int nodeLines(int height) {
    return height == 1 ? leafLines : lines(childrenOffset + 4L * maxChildren * (1 + lists(height)));
  }

  /** Returns the number of buffers on each edge below a node. */
  int lists(int height) {
    return capacities[height].length;
  }

  /** Returns the most messages of the buffer in a place of the lists below a node. */
  int chunkCapacity(int height, int list) {
    return capacities[height][list];
  }

  private int[] chunkCapacities(int height) {
    int[] found = new int[schedule.lists(height)];
    for (int list = 0; list < found.length; list++) {
      found[list] =
          (int) Math.min(MOST_CAPACITY, power(schedule.bufferHeight(height, list)) * leafEntries);
    }
    return found;
  }

  int chunkLines(int height, int list) {
    return lines(KEYS + 18L * chunkCapacity(height, list));
  }

  /** Returns the most messages of all buffers on a path down from a node. */
  long pathCapacity(int height) {
    long sum = 0;
    for (int at = height; at > 1; at--) {
      for (int capacity : capacities[at]) {
        sum += capacity;
      }
    }
    return sum;
  }

  /** Returns the lines of all buffers of one edge below a node. */
  long edgeLines(int height) {
    long sum = 0;
    for (int list = 0; list < lists(height); list++) {
      sum += chunkLines(height, list);
    }
    return sum;
  }

  /** Returns the weight, in leaves, above which a node of a height is split. */
  long mostWeight(int height) {
    return 2 * power(height);
  }

  /** Returns {@code fanout} to the power of {@code height - 1}. */
  long power(int height) {
    long power = 1;
    for (int i = 1; i < height; i++) {
      power *= fanout;
    }
    return power;
  }

  // ---------------------------------------------------------------- header

  int height(MemorySegment nodes, long element) {
    return getInt(nodes, element + HEIGHT);
  }

  int count(MemorySegment nodes, long element) {
    return getInt(nodes, element + COUNT);
  }

  void count(MemorySegment nodes, long element, int count) {
    putInt(nodes, element + COUNT, count);
  }

  int lines(MemorySegment nodes, long element) {
    return getInt(nodes, element + LINES);
  }

  long next(MemorySegment nodes, long element) {
    return reference(nodes, element + NEXT);
  }

  void next(MemorySegment nodes, long element, long next) {
    reference(nodes, element + NEXT, next);
  }

  long previous(MemorySegment nodes, long element) {
    return reference(nodes, element + PREVIOUS);
  }

  void previous(MemorySegment nodes, long element, long previous) {
    reference(nodes, element + PREVIOUS, previous);
  }

  long parent(MemorySegment nodes, long element) {
    return reference(nodes, element + PARENT);
  }

  void parent(MemorySegment nodes, long element, long parent) {
    reference(nodes, element + PARENT, parent);
  }

  long forward(MemorySegment nodes, long element) {
    return reference(nodes, element + FORWARD);
  }

  void forward(MemorySegment nodes, long element, long forward) {
    reference(nodes, element + FORWARD, forward);
  }

  /** Returns the number of leaves at or below a node. */
  long weight(MemorySegment nodes, long node) {
    return getLong(nodes, node + WEIGHT);
  }

  void weight(MemorySegment nodes, long node, long weight) {
    putLong(nodes, node + WEIGHT, weight);
  }

  /** Returns a chunk's place in the list of its edge. */
  int list(MemorySegment nodes, long chunk) {
    return getInt(nodes, chunk + LIST);
  }

  /** Looks for the reference to an element in its parent, and notes which one it is. */
  void slotOfReference(MemorySegment nodes, long element, long parent) {
    int references = references(height(nodes, parent));
    for (int i = 0; i < references; i++) {
      if (child(nodes, parent, i) == element) {
        putInt(nodes, element + SLOT, i);
        return;
      }
    }
    throw PackedArray.torn();
  }

  /** Returns what {@link #slotOfReference} has noted. */
  int slot(MemorySegment nodes, long element) {
    return getInt(nodes, element + SLOT);
  }

  private static long reference(MemorySegment nodes, long offset) {
    return Integer.toUnsignedLong(getInt(nodes, offset)) << CacheLine.SHIFT;
  }

  private static void reference(MemorySegment nodes, long offset, long element) {
    putInt(nodes, offset, (int) (element >>> CacheLine.SHIFT));
  }

  /** Writes the header of a node without children or entries. */
  void initializeNode(MemorySegment nodes, long node, int height, long parent) {
    initialize(nodes, node, height, nodeLines(height), parent, 0);
    weight(nodes, node, height == 1 ? 1 : 0);
    if (height > 1) {
      Slots.fill(nodes, node + KEYS, 0, keySlots, Keys.PADDING);
      for (int i = 0; i < maxChildren * (1 + lists(height)); i++) {
        putInt(nodes, node + childrenOffset + 4L * i, 0);
      }
    }
  }

  /** Writes the header of an empty buffer on an edge below a node of a height. */
  void initializeChunk(MemorySegment nodes, long chunk, int height, int list, long parent) {
    initialize(nodes, chunk, 0, chunkLines(height, list), parent, list);
  }

  private void initialize(
      MemorySegment nodes, long element, int height, int lines, long parent, int list) {
    for (int word = 0; word < CacheLine.LONGS; word++) {
      putLong(nodes, element + 8L * word, 0);
    }
    putInt(nodes, element + HEIGHT, height);
    putInt(nodes, element + LINES, lines);
    putInt(nodes, element + LIST, list);
    parent(nodes, element, parent);
  }

  // ---------------------------------------------------------------- inner node

  /** Returns the number of the child where a key belongs. */
  int childFor(MemorySegment nodes, long node, long key) {
    return Keys.lowerBound(nodes, node + KEYS, keySlots, key);
  }

  /** Returns the largest key that belongs to child {@code i}, which is not the last. */
  long separator(MemorySegment nodes, long node, int i) {
    return getLong(nodes, node + KEYS + ((long) i << 3));
  }

  void separator(MemorySegment nodes, long node, int i, long key) {
    putLong(nodes, node + KEYS + ((long) i << 3), key);
  }

  long child(MemorySegment nodes, long node, int i) {
    return reference(nodes, node + childrenOffset + 4L * i);
  }

  void child(MemorySegment nodes, long node, int i, long child) {
    reference(nodes, node + childrenOffset + 4L * i, child);
  }

  /** Returns a buffer of the edge to child {@code i}. */
  long buffer(MemorySegment nodes, long node, int list, int i) {
    return child(nodes, node, (1 + list) * maxChildren + i);
  }

  void buffer(MemorySegment nodes, long node, int list, int i, long chunk) {
    child(nodes, node, (1 + list) * maxChildren + i, chunk);
  }

  /** Returns how many references to children and buffers a node has room for. */
  int references(int height) {
    return maxChildren * (1 + lists(height));
  }

  /** Makes room for a child after child {@code i}, with no buffers and a separator to be set. */
  void openChild(MemorySegment nodes, long node, int height, int i) {
    int count = count(nodes, node);
    Slots.openGap(nodes, node + KEYS, i, count - 1);
    for (int list = 0; list <= lists(height); list++) {
      for (int to = count; to > i + 1; to--) {
        long moved = child(nodes, node, list * maxChildren + to - 1);
        child(nodes, node, list * maxChildren + to, moved);
      }
      child(nodes, node, list * maxChildren + i + 1, 0);
    }
    count(nodes, node, count + 1);
  }

  /** Moves the children from {@code from} on, with their buffers, to an empty node. */
  void moveChildren(MemorySegment nodes, long node, int height, int from, long to) {
    int count = count(nodes, node);
    for (int i = from; i < count; i++) {
      if (i + 1 < count) {
        separator(nodes, to, i - from, separator(nodes, node, i));
      }
      for (int list = 0; list <= lists(height); list++) {
        long moved = child(nodes, node, list * maxChildren + i);
        child(nodes, to, list * maxChildren + i - from, moved);
        child(nodes, node, list * maxChildren + i, 0);
        parent(nodes, moved, to);
      }
    }
    Slots.fill(nodes, node + KEYS, from - 1, keySlots, Keys.PADDING);
    count(nodes, node, from);
    count(nodes, to, count - from);
  }

  // ---------------------------------------------------------------- entries

  static long key(MemorySegment nodes, long element, int slot) {
    return getLong(nodes, element + KEYS + ((long) slot << 3));
  }

  /** Returns the value of a chunk's message. */
  static long chunkValue(MemorySegment nodes, long chunk, int capacity, int slot) {
    return MessageColumns.value(nodes, chunk + KEYS, capacity, slot);
  }

  /** Returns {@link Message#PUT} or {@link Message#DELETE}. */
  static int kind(MemorySegment nodes, long chunk, int capacity, int slot) {
    return MessageColumns.kind(nodes, chunk + KEYS, capacity, slot);
  }

  static void message(
      MemorySegment nodes, long chunk, int capacity, int slot, long key, long value, int kind) {
    MessageColumns.set(nodes, chunk + KEYS, capacity, slot, key, value, kind);
  }

  /** Opens a gap before a slot of a chunk that is not full. */
  static void openMessage(MemorySegment nodes, long chunk, int capacity, int slot, int count) {
    MessageColumns.openGap(nodes, chunk + KEYS, capacity, slot, count);
  }
}
