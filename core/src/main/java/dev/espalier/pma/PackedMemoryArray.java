// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.batch.TreeLevels;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.pma.PmaStructure.Directory;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The packed memory array: all entries in key order in one array, in segments with gaps, so that a
 * scan reads memory sequentially, in whatever order the entries were inserted.
 *
 * <p>A lookup takes O(log n) time: it does a binary search over the first keys of the segments,
 * with a cache miss at each step, and another within a segment. {@link CacheObliviousBTree} uses an
 * index instead of the first of these searches. An insert or remove moves O(log n) entries
 * amortized if keys come in random order, and O(log^2 n) in the worst case, when all keys arrive at
 * one place. Occasionally an insert or remove takes O(n) time, when the array grows or shrinks.
 * {@link #getAll} overlaps the cache misses of many lookups.
 *
 * <p>The array has about 1.3 slots per entry just before it grows, up to 2.7 just after, and more
 * after many removes. While it grows, both arrays are in memory.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class PackedMemoryArray extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of PmaStructure.
   *
   *   Search: halving. Of the segments from `low` on, `length` are left; the first key of the one in
   *   the middle decides whether low moves there. Half of the length, rounded up, is left either way,
   *   so a level of the search is a length, and a place in it a segment.
   *
   *   Batched lookups. A group of probes goes down level by level, then within the segments by halving
   *   as well. On all but the first levels, which are taken to be cached, the keys that the group
   *   will compare with are fetched by one call, then the lines of the values.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "PackedMemoryArray",
          "De Leo, Boncz 2019",
          PackedMemoryArray::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Number of probes that descend together: their lines fit into the first-level cache. */
  private static final int GROUP = 64;

  /** Levels from the root whose first keys, a line each, stay in the second-level cache. */
  private static final int CACHED_LEVELS = 10;

  final PmaStructure tree;

  /**
   * The proportions of the array.
   *
   * @param segmentSlots number of slots of a segment, a power of two from 4 to 512
   * @param densities how full windows may be
   */
  public record Geometry(int segmentSlots, Densities densities) {
    /**
     * Segments of 128 slots and {@link Densities#UPDATE_ORIENTED}: for arrays that keep changing.
     */
    public static final Geometry DEFAULT = new Geometry(128, Densities.UPDATE_ORIENTED);

    /** More slots would not fit twice into the least memory limit. */
    private static final int MOST_SLOTS = 512;

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      Objects.requireNonNull(densities, "densities");
      if (segmentSlots < 4 || segmentSlots > MOST_SLOTS || Integer.bitCount(segmentSlots) != 1) {
        throw new IllegalArgumentException(
            "segmentSlots is "
                + segmentSlots
                + "; it must be a power of two from 4 to "
                + MOST_SLOTS);
      }
      int least = leastOfSegment(segmentSlots, densities);
      if (densities.lowerRoot() * segmentSlots < least
          || densities.upperRoot() * segmentSlots < 2 * least) {
        throw new IllegalArgumentException(
            "segmentSlots is "
                + segmentSlots
                + "; too few for a segment to hold at least "
                + least
                + " entries with "
                + densities);
      }
    }

    /** Returns the fewest entries that deletes leave in a segment: 1 at least. */
    int leastOfSegment() {
      return leastOfSegment(segmentSlots, densities);
    }

    private static int leastOfSegment(int segmentSlots, Densities densities) {
      return Math.max(1, (int) Math.ceil(densities.lowerSegment() * segmentSlots));
    }
  }

  private PackedMemoryArray(IndexOptions options, Geometry geometry) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(geometry, "geometry");
    PmaStructure tree = new PmaStructure(options, geometry, Directory.NONE);
    super(VARIANT, tree, options);
    this.tree = tree;
    probesGoThrough(new Levels());
  }

  /** Creates an empty array with the default geometry. */
  public static PackedMemoryArray create(IndexOptions options) {
    return create(options, Geometry.DEFAULT);
  }

  /** Creates an empty array. */
  public static PackedMemoryArray create(IndexOptions options, Geometry geometry) {
    return new PackedMemoryArray(options, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    SegmentColumns columns = tree.columns;
    long at = SegmentSearch.find(columns, findSegment(columns, key), key);
    return at < 0 ? defaultValue : getLong(columns.memory, columns.valuesOffset + at);
  }

  @Override
  public boolean containsKey(long key) {
    SegmentColumns columns = tree.columns;
    return SegmentSearch.find(columns, findSegment(columns, key), key) >= 0;
  }

  @Override
  public boolean find(long key, long[] value) {
    SegmentColumns columns = tree.columns;
    long at = SegmentSearch.find(columns, findSegment(columns, key), key);
    if (at >= 0) {
      value[0] = getLong(columns.memory, columns.valuesOffset + at);
    }
    return at >= 0;
  }

  /** Returns the offset of the last segment whose first key is at most {@code key}, or else 0. */
  private long findSegment(SegmentColumns columns, long key) {
    MemorySegment memory = columns.memory;
    int shift = columns.shift;
    long low = 0;
    for (int length = tree.segments; length > 1; ) {
      int half = length >>> 1;
      long middle = low + ((long) half << shift);
      low = getLong(memory, middle) <= key ? middle : low;
      length -= half;
    }
    return low;
  }

  /**
   * The levels of the calibrator tree, and lookups in groups that begin at any of them. A place is
   * the offset of a segment, from which on the search has the level's length left.
   */
  private final class Levels implements TreeLevels {

    @Override
    public int height() {
      return tree.calibrator.levels;
    }

    @Override
    public long root() {
      tree.checkOpen();
      return 0;
    }

    @Override
    public int maxChildren(int level) {
      return 2;
    }

    @Override
    public long changesAbove(int level) {
      return tree.levelChanges.above(level);
    }

    @Override
    public void descend(int level, long[] keys, long[] places, int[] slots, int count) {
      SegmentColumns columns = tree.columns;
      MemorySegment memory = columns.memory;
      long half = (long) half(level) << columns.shift;
      for (int i = 0; i < count; i++) {
        boolean goesRight = getLong(memory, places[i] + half) <= keys[i];
        places[i] += goesRight ? half : 0;
        slots[i] = 2 * slots[i] + (goesRight ? 1 : 0);
      }
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
        long there = answerGroup(level, keys, keysFrom + done, values, valuesFrom + done, group);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
  }

  /** Returns half of the length, in segments, that the search has left at a level above 0. */
  private int half(int level) {
    int depth = tree.calibrator.levels - 1 - level;
    return (int) ((tree.segments + (1L << depth) - 1) >> depth) >> 1;
  }

  /**
   * Looks up at most {@link #GROUP} keys together. Until the answers are known, {@code values}
   * holds where each probe is.
   *
   * @return which keys are present, as a bit set
   */
  private long answerGroup(
      int level, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    SegmentColumns columns = tree.columns;
    int cached = tree.calibrator.levels - CACHED_LEVELS;
    for (int at = level; at > 0; at--) {
      long half = (long) half(at) << columns.shift;
      if (at < cached) {
        Words.prefetchGroup(columns.memory.address() + half, values, valuesFrom, count, 1);
      }
      searchLevel(columns.memory, half, keys, keysFrom, values, valuesFrom, count);
    }
    return SegmentSearch.answer(columns, keys, keysFrom, values, valuesFrom, count, missingValue);
  }

  /** Takes every probe of a group {@code half} on if the key there is not above its own. */
  private static void searchLevel(
      MemorySegment memory,
      long half,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    for (int i = 0; i < count; i++) {
      long middle = places[placesFrom + i] + half;
      if (getLong(memory, middle) <= keys[keysFrom + i]) {
        places[placesFrom + i] = middle;
      }
    }
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    SegmentColumns columns = tree.columns;
    int segment = (int) (findSegment(columns, key) >> columns.shift);
    int slot = tree.lowerBound(segment, key);
    if (!tree.holds(segment, slot, key)) {
      tree.insertAt(segment, slot, key, value);
      return missingValue;
    }
    return tree.replace(segment, slot, value);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    SegmentColumns columns = tree.columns;
    int segment = (int) (findSegment(columns, key) >> columns.shift);
    int slot = tree.lowerBound(segment, key);
    if (!tree.holds(segment, slot, key)) {
      tree.insertAt(segment, slot, key, value);
      return missingValue;
    }
    return columns.value(columns.slot(segment) + slot);
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      put(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    SegmentColumns columns = tree.columns;
    int segment = (int) (findSegment(columns, key) >> columns.shift);
    int slot = tree.lowerBound(segment, key);
    if (!tree.holds(segment, slot, key)) {
      return missingValue;
    }
    long previous = columns.value(columns.slot(segment) + slot);
    tree.removeAt(segment, slot);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  // ---------------------------------------------------------------- inspect

  /** Returns how much work rebalancing has done since the array was created. */
  public RebalanceCounts rebalanceCounts() {
    tree.checkOpen();
    return RebalanceCounts.of(tree);
  }
}
