// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getLongAcquire;

import dev.espalier.memory.Words;
import dev.espalier.node.KeyLines;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Looks up keys in groups. A group goes down level by level, as in {@link
 * dev.espalier.bplus.PbPlusTree}, and the key lines of its nodes are prefetched by one call. Large
 * trees have the leaves' parents and the leaves searched line by line ({@link KeyLines}).
 *
 * <p>At first a group goes down without looking back, and looks at the count of changes of inner
 * nodes at the end. If there was one, the group goes down again, and what the probes have read of
 * their nodes is checked on each level for all of them together, after one fence. A probe that
 * fails is answered by itself at the end.
 */
final class ProbeGroups {
  /** Number of probes that descend together: their key lines fit into the first-level cache. */
  static final int SIZE = 64;

  /**
   * Lines of a leaf that are read first where it is searched line by line: the one with its word,
   * and the one in the middle.
   */
  private static final int FIRST_LINES = 2;

  private final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  private final LeafWriter writer;
  private final long missingValue;
  private final boolean ofCommonWidth;

  /** Whether nodes of the usual width are searched line by line even in small trees. */
  boolean alwaysByLines;

  ProbeGroups(ConcurrentStructure tree, long missingValue) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.writer = new LeafWriter(tree);
    this.missingValue = missingValue;
    this.ofCommonWidth = leaf.isOfCommonWidth() && inner.isOfCommonWidth();
  }

  /**
   * Looks up at most {@link #SIZE} keys together, and then looks up those whose nodes have changed
   * meanwhile one by one.
   *
   * @return which keys are present, as a bit set
   */
  long answer(long[] keys, int keysFrom, long[] values, int valuesFrom, int count, GroupRoom room) {
    long answered = tryGroup(keys, keysFrom, values, valuesFrom, count, room);
    long there = room.there & answered; // Of a group that was broken off, it knows nothing.
    for (long left = ~answered & -1L >>> (SIZE - count); left != 0; left &= left - 1) {
      int i = Long.numberOfTrailingZeros(left);
      if (answerOne(keys, keysFrom + i, values, valuesFrom + i, room)) {
        there |= 1L << i;
      }
    }
    return there;
  }

  private boolean answerOne(long[] keys, int keyAt, long[] values, int valueAt, GroupRoom room) {
    for (int tries = 0; tries < ConcurrentStructure.OPTIMISTIC_TRIES; tries++) {
      if (tryGroup(keys, keyAt, values, valueAt, 1, room) != 0) {
        return room.there != 0;
      }
      Versions.pause(tries);
    }
    return writer.get(keys[keyAt], values, valueAt, missingValue);
  }

  /**
   * Looks up keys together, and notes in {@code room} which are present.
   *
   * @return which probes are answered, as a bit set
   */
  private long tryGroup(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, GroupRoom room) {
    try {
      MemorySegment nodes = tree.nodes;
      boolean byLines = ofCommonWidth && (alwaysByLines || KeyLines.pays(tree.size()));
      long right = tryLeavesAtOnce(nodes, byLines, keys, keysFrom, values, valuesFrom, count, room);
      if (right == 0) {
        right = findLeaves(nodes, keys, keysFrom, values, valuesFrom, count, room);
      }
      if (byLines) {
        System.arraycopy(values, valuesFrom, room.nodes, 0, count);
        KeyLines.findSlotsBehindWord(
            nodes, tree.base, keys, keysFrom, values, valuesFrom, count, leaf.keyLines);
      } else {
        findSlots(nodes, keys, keysFrom, values, valuesFrom, count, room);
      }
      int toValue = leaf.valuesOffset - VersionedLeaf.KEYS_OFFSET;
      Words.prefetchGroup(tree.base + toValue, values, valuesFrom, count, 1);
      long there = 0;
      for (int i = 0; i < count; i++) {
        long place = values[valuesFrom + i];
        boolean isThere = leaf.holdsAt(nodes, room.nodes[i], place, keys[keysFrom + i]);
        room.read[i] = isThere ? getLong(nodes, place + toValue) : missingValue;
        there |= isThere ? 1L << i : 0;
      }
      right &= unchanged(nodes, count, room);
      for (long left = right; left != 0; left &= left - 1) {
        int i = Long.numberOfTrailingZeros(left);
        values[valuesFrom + i] = room.read[i];
      }
      room.there = there & right;
      return right;
    } catch (IllegalStateException | IndexOutOfBoundsException _) {
      tree.checkOpen(); // The memory has moved, or what was read of a node is nonsense.
      return 0;
    }
  }

  /** Returns which probes have read nodes that have not changed since, as a bit set. */
  private static long unchanged(MemorySegment nodes, int count, GroupRoom room) {
    Versions.endReads();
    long unchanged = 0;
    for (int i = 0; i < count; i++) {
      unchanged |= Versions.is(nodes, room.nodes[i], room.words[i]) ? 1L << i : 0;
    }
    return unchanged;
  }

  /** Replaces the leaves of a group of probes by the places of their keys. */
  private void findSlots(
      MemorySegment nodes,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      GroupRoom room) {
    for (int i = 0; i < count; i++) {
      long node = places[placesFrom + i];
      room.nodes[i] = node;
      places[placesFrom + i] = leaf.place(node, leaf.search(nodes, node, keys[keysFrom + i]));
    }
  }

  /**
   * Takes a group of probes down to their leaves without a look back, as {@link
   * ConcurrentPbPlusTree} does with one.
   *
   * @param byLines whether to search the leaves' parents line by line, and to prefetch of leaves
   *     only the lines that are read first
   * @param places receives the leaves
   * @return which probes have reached leaves that can be read, as a bit set; the words of their
   *     leaves are known. None if an inner node has changed meanwhile
   */
  private long tryLeavesAtOnce(
      MemorySegment nodes,
      boolean byLines,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      GroupRoom room) {
    long changes = getLongAcquire(nodes, ConcurrentStructure.CHANGES);
    long root = getLong(nodes, ConcurrentStructure.ROOT);
    Arrays.fill(places, placesFrom, placesFrom + count, ConcurrentStructure.nodeOf(root));
    for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
      if (byLines && level == 1) {
        findChildrenByLines(nodes, keys, keysFrom, places, placesFrom, count);
        Words.prefetchGroup(tree.base, places, placesFrom, count, FIRST_LINES);
        break;
      }
      for (int i = 0; i < count; i++) {
        places[placesFrom + i] = inner.childFor(nodes, places[placesFrom + i], keys[keysFrom + i]);
      }
      if (level == 1) {
        Words.prefetchGroup(tree.base, places, placesFrom, count, leaf.keyLines);
      } else if (level == 2 && !byLines) {
        Words.prefetchGroup(tree.base, places, placesFrom, count, inner.keyLines);
      }
    }
    long readable = 0;
    for (int i = 0; i < count; i++) {
      long word = getLong(nodes, places[placesFrom + i]);
      room.words[i] = word;
      readable |= Versions.isReadable(word) ? 1L << i : 0;
    }
    return Versions.noneSince(nodes, ConcurrentStructure.CHANGES, changes) ? readable : 0;
  }

  /** Replaces nodes by their children, whose places in them are prefetched by one call. */
  private void findChildrenByLines(
      MemorySegment nodes, long[] keys, int keysFrom, long[] places, int placesFrom, int count) {
    KeyLines.findBehindWord(
        nodes, tree.base, keys, keysFrom, places, placesFrom, count, inner.keyLines);
    for (int i = 0; i < count; i++) {
      long place = places[placesFrom + i];
      int slot = KeyLines.slotBehindWord(nodes, place, keys[keysFrom + i]);
      places[placesFrom + i] = inner.childPlace(KeyLines.node(place), slot);
    }
    Words.prefetchGroup(tree.base, places, placesFrom, count, 1);
    for (int i = 0; i < count; i++) {
      places[placesFrom + i] = VersionedInner.childAt(nodes, places[placesFrom + i]);
    }
  }

  /**
   * Takes a group of probes down to their leaves, whose key lines it prefetches. A probe that fails
   * goes on from the root, to wherever.
   *
   * @param places receives the leaves
   * @return which probes have reached their leaves, as a bit set; the words of their leaves are
   *     known
   */
  private long findLeaves(
      MemorySegment nodes,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      GroupRoom room) {
    long root = getLongAcquire(nodes, ConcurrentStructure.ROOT);
    long rootNode = ConcurrentStructure.nodeOf(root);
    long rootWord = getLong(nodes, rootNode);
    Arrays.fill(places, placesFrom, placesFrom + count, rootNode);
    Arrays.fill(room.words, 0, count, rootWord);
    long all = -1L >>> (SIZE - count);
    boolean isRoot =
        Versions.isReadable(rootWord) && Versions.isStill(nodes, ConcurrentStructure.ROOT, root);
    long right = isRoot ? all : 0;
    for (int level = ConcurrentStructure.levelOf(root); level > 0; level--) {
      for (int i = 0; i < count; i++) {
        long node = places[placesFrom + i];
        room.nodes[i] = node;
        places[placesFrom + i] =
            inner.child(nodes, node, inner.search(nodes, node, keys[keysFrom + i]));
      }
      if (level <= 2) {
        int lines = level == 1 ? leaf.keyLines : inner.keyLines;
        Words.prefetchGroup(tree.base, places, placesFrom, count, lines);
      }
      long readable = 0;
      for (int i = 0; i < count; i++) {
        long word = getLong(nodes, places[placesFrom + i]);
        room.read[i] = word;
        readable |= Versions.isReadable(word) ? 1L << i : 0;
      }
      right &= readable & unchanged(nodes, count, room);
      System.arraycopy(room.read, 0, room.words, 0, count);
      for (long failed = all & ~right; failed != 0; failed &= failed - 1) {
        places[placesFrom + Long.numberOfTrailingZeros(failed)] = rootNode;
      }
    }
    return right;
  }
}
