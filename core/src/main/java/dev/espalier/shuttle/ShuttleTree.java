// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.Message;
import dev.espalier.tree.AbstractIndex;
import dev.espalier.tree.OneLevel;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The shuttle tree of Bender, Farach-Colton, Fineman, Fogel, Kuszmaul and Nelson: a search tree
 * with buffers on its edges, laid out in one array so that searches and flushes of buffers touch
 * few blocks, whatever the block size.
 *
 * <p>{@link #set}, {@link #putAll} and {@link #delete} do not look for the previous value: they
 * leave a message in the first buffer on the path. The message descends later, together with
 * others. {@link #put}, {@link #putIfAbsent} and {@link #remove} search, and change an existing
 * entry in place; only a new key becomes a message. Removals never need memory.
 *
 * <p>{@link #size} is exact, but the first call after {@code set}, {@code putAll} or {@code delete}
 * counts all entries, in O(n) time. {@link #sizeEstimate} does not count, and is too large by the
 * number of messages that replace or remove entries. {@link #isEmpty} looks for the first entry.
 *
 * <p>Lookups take O(log n) comparisons and search the buffers on the path; with blocks of {@code B}
 * entries, they take O(log n / log B) transfers. <b>With the constants of the paper ({@link
 * Schedule#LITERAL}), no tree with fewer than about 4^89 leaves has any buffers</b>, so no tree
 * that fits into a machine has any. By default, the heights of buffers are shifted so that nodes of
 * height 4, 6, 9, 12 and 14 have buffers; the bounds keep their form, with larger constants.
 * Buffers take about 8% of the space that the entries take.
 *
 * <p>Inserts move memory: the array is kept in order by spreading windows of it, which moves
 * O(log^2 n) lines per split amortized; a split near the root may copy most of the index.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class ShuttleTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of ShuttleStructure.
   *
   *   Single lookups go down, on each edge through its buffers from small to large.
   *
   *   Batched lookups. A group of probes goes down level by level; a probe that a buffer answers goes
   *   no further, which is one bit of a long. The separators of the next level's nodes are fetched by
   *   one call.
   *
   *   Levels. To buffered access the tree is one level with one place: a probe's way down ends in any
   *   of the buffers on it, so no place between root and leaf could stand for it.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "ShuttleTree",
          "streaming 2",
          ShuttleTree::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE,
          Capability.BLIND_WRITES);

  /** Number of probes that descend together: as many as a long has bits. */
  private static final int GROUP = Long.SIZE;

  /** Lines of a node that a probe is certain to read: the header is not, the first keys are. */
  private static final int FETCHED_LINES = 2;

  /** Which nodes have buffers, by height. */
  public enum Schedule {
    /** Heights shifted so that trees that fit into a machine have buffers. */
    SHIFTED,
    /** Heights as in the paper: no tree that fits into a machine has buffers. */
    LITERAL
  }

  /**
   * The proportions of the tree.
   *
   * @param schedule which heights buffers have
   * @param fanout about how many children nodes have, from 4 to 16; c in the paper
   * @param leafEntries capacity of a leaf, in entries, from 2 to 1024
   */
  public record Geometry(Schedule schedule, int fanout, int leafEntries) {
    /** The smallest fanout, for more and finer buffers, and leaves of 1 KiB (64 entries). */
    public static final Geometry DEFAULT = new Geometry(Schedule.SHIFTED, 4, 64);

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      Objects.requireNonNull(schedule, "schedule");
      check("fanout", fanout, 4, 16);
      check("leafEntries", leafEntries, 2, 1024);
    }

    private static void check(String name, int value, int least, int most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            name + " is " + value + "; it must be from " + least + " to " + most);
      }
    }
  }

  final ShuttleStructure tree;
  private final ShuttleLayout layout;

  private ShuttleTree(IndexOptions options, Geometry geometry) {
    Objects.requireNonNull(geometry, "geometry");
    ShuttleLayout layout = new ShuttleLayout(geometry);
    ShuttleStructure tree = new ShuttleStructure(options, layout);
    super(VARIANT, tree, options);
    this.layout = layout;
    this.tree = tree;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with the default geometry. */
  public static ShuttleTree create(IndexOptions options) {
    return create(options, Geometry.DEFAULT);
  }

  /** Creates an empty tree. */
  public static ShuttleTree create(IndexOptions options, Geometry geometry) {
    return new ShuttleTree(options, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    MemorySegment nodes = tree.array.nodes;
    long node = tree.array.root;
    for (int at = tree.height; at > 1; at--) {
      int child = layout.childFor(nodes, node, key);
      int lists = layout.lists(at);
      for (int list = 0; list < lists; list++) {
        long chunk = layout.buffer(nodes, node, list, child);
        int capacity = layout.chunkCapacity(at, list);
        int slot = tree.findMessage(nodes, chunk, capacity, key);
        if (slot >= 0) {
          return messageValue(nodes, chunk, capacity, slot, defaultValue);
        }
      }
      node = layout.child(nodes, node, child);
    }
    int slot = tree.findEntry(nodes, node, key);
    return slot >= 0 ? getLong(nodes, node + layout.leafValues + ((long) slot << 3)) : defaultValue;
  }

  private static long messageValue(
      MemorySegment nodes, long chunk, int capacity, int slot, long defaultValue) {
    return isPut(nodes, chunk, capacity, slot)
        ? ShuttleLayout.chunkValue(nodes, chunk, capacity, slot)
        : defaultValue;
  }

  private static boolean isPut(MemorySegment nodes, long chunk, int capacity, int slot) {
    return ShuttleLayout.kind(nodes, chunk, capacity, slot) == Message.PUT;
  }

  @Override
  public boolean containsKey(long key) {
    return look(key, null);
  }

  @Override
  public boolean find(long key, long[] value) {
    return look(key, value);
  }

  /** As {@link #getOrDefault}, but tells whether there is an entry, and its value if asked. */
  private boolean look(long key, long @Nullable [] value) {
    MemorySegment nodes = tree.array.nodes;
    long node = tree.array.root;
    for (int at = tree.height; at > 1; at--) {
      int child = layout.childFor(nodes, node, key);
      int lists = layout.lists(at);
      for (int list = 0; list < lists; list++) {
        long chunk = layout.buffer(nodes, node, list, child);
        int capacity = layout.chunkCapacity(at, list);
        int slot = tree.findMessage(nodes, chunk, capacity, key);
        if (slot >= 0) {
          if (value != null) {
            value[0] = ShuttleLayout.chunkValue(nodes, chunk, capacity, slot);
          }
          return isPut(nodes, chunk, capacity, slot);
        }
      }
      node = layout.child(nodes, node, child);
    }
    int slot = tree.findEntry(nodes, node, key);
    if (slot >= 0 && value != null) {
      value[0] = getLong(nodes, node + layout.leafValues + ((long) slot << 3));
    }
    return slot >= 0;
  }

  /** The tree as one level. */
  private final class Levels extends OneLevel {
    @Override
    protected void checkOpen() {
      tree.checkOpen();
    }

    @Override
    protected long replacements() {
      return tree.replacements;
    }

    @Override
    public void answer(
        int level,
        long[] keys,
        int keysFrom,
        long[] values,
        int valuesFrom,
        int count,
        long @Nullable [] found,
        int foundFrom) {
      for (int done = 0; done < count; done += GROUP) {
        int group = Math.min(GROUP, count - done);
        long there = answerGroup(keys, keysFrom + done, values, valuesFrom + done, group);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
  }

  /**
   * Looks up at most {@link #GROUP} keys together. Until a probe is answered, {@code values} holds
   * the node it is at.
   *
   * @return which keys are present, as a bit set
   */
  private long answerGroup(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    MemorySegment nodes = tree.array.nodes;
    long base = tree.array.base;
    long answered = 0;
    long there = 0;
    for (int i = valuesFrom; i < valuesFrom + count; i++) {
      values[i] = tree.array.root;
    }
    for (int at = tree.height; at > 1; at--) {
      for (int i = 0; i < count; i++) {
        if ((answered & 1L << i) == 0) {
          long key = keys[keysFrom + i];
          long node = values[valuesFrom + i];
          int child = layout.childFor(nodes, node, key);
          values[valuesFrom + i] = layout.child(nodes, node, child);
          int lists = layout.lists(at);
          for (int list = 0; list < lists; list++) {
            long chunk = layout.buffer(nodes, node, list, child);
            int capacity = layout.chunkCapacity(at, list);
            int slot = tree.findMessage(nodes, chunk, capacity, key);
            if (slot >= 0) {
              values[valuesFrom + i] = messageValue(nodes, chunk, capacity, slot, missingValue);
              there |= isPut(nodes, chunk, capacity, slot) ? 1L << i : 0;
              answered |= 1L << i;
              break;
            }
          }
        }
      }
      Words.prefetchGroup(base + CacheLine.BYTES, values, valuesFrom, count, FETCHED_LINES);
    }
    for (int i = 0; i < count; i++) {
      if ((answered & 1L << i) == 0) {
        long node = values[valuesFrom + i];
        int slot = tree.findEntry(nodes, node, keys[keysFrom + i]);
        long value = node + layout.leafValues + ((long) slot << 3);
        values[valuesFrom + i] = slot < 0 ? missingValue : getLong(nodes, value);
        there |= slot < 0 ? 0 : 1L << i;
      }
    }
    return there;
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    return tree.put(key, value, missingValue, false);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    return tree.put(key, value, missingValue, true);
  }

  /** Leaves a message; searches only if memory is full, or no edge has a buffer. */
  @Override
  public void set(long key, long value) {
    tree.set(key, value);
  }

  /** Leaves a message for each entry, as {@link #set} does. */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      tree.set(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    return tree.remove(key, missingValue);
  }

  /** Leaves a message; searches only if memory is full, or no edge has a buffer. */
  @Override
  public void delete(long key) {
    tree.delete(key);
  }

  /** Removes the entries of a range out of each leaf at once, and the messages for them. */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }
}
