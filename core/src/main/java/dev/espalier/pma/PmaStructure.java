// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static dev.espalier.node.Keys.lowerBoundBinary;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryUse;
import dev.espalier.node.Slots;
import dev.espalier.pma.PackedMemoryArray.Geometry;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.LevelChanges;
import dev.espalier.support.Torn;
import dev.espalier.tree.IndexStructure;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a packed memory array, with or without an index over them, and what changes them.
 */
final class PmaStructure extends IndexStructure {
  /* Overview
   *
   *    calibrator  level 3  [                            ]      density 0.30 to 0.75
   *                level 2  [             ][             ]              0.19 to 0.875
   *                level 1  [      ][     ][      ][     ]              0.08 to 1.0
   *    segments             |10 11 |14    |19 20  |21 22 |
   *    cards                  2      1      2       2
   *
   * An insert goes into the segment where its key belongs. If that is full, the smallest window
   * around it is taken that is within the upper threshold of its level with the new entry, and the
   * entries of the window, the new one among them, are spread evenly over its segments. If there is
   * none, not even the whole, the array grows to twice its segments. A delete that leaves too few
   * entries in a segment looks for the smallest window within its lower threshold, and spreads that;
   * if there is none, the array shrinks. So an update moves O(log^2 n) entries amortized.
   *
   * With an index (VebIndex), the separators of a window's segments are set anew when it was spread.
   * Other updates leave them: a separator may be less than the first key of its segment.
   *
   * Invariants, checked by PmaVerifier; the M are explained in
   * docs/papers/packed-memory-array.md:
   *   I1  Keys ascend strictly over all segments (M1).
   *   I2  The cards add up to the size (M2).
   *   I3  A card is at most the slots of a segment; unless the segment is the only one, it is at
   *       least the least of a segment, which is 1 or more (M3).
   *   I4  The segments are at least one and have room in memory; the calibrator is over as many, and
   *       its thresholds narrow towards the root (M10).
   *   I5  The memory is accounted for, and within the limit.
   *   I6  A separator is above the last key before its boundary and at most the first key after it;
   *       nodes with the same boundary have the same one, and for the first segment of all it is the
   *       least long (M7, M9).
   *   I7  The index is as high as the calibrator, and its nodes are where the recursive definition
   *       of the van Emde Boas order puts them (M8).
   * That windows are within their thresholds after they were spread (M4), the whole after it grew or
   * shrank (M5), and how many entries are moved (M11) are no properties of one state; tests see to
   * them.
   *
   * Deviations from the papers:
   *   D1  Segments have a fixed number of slots (De Leo and Boncz), not log n: with that the array
   *       is not oblivious of the cache within a segment.
   *   D2  All segments are packed to the left, where De Leo and Boncz pack every second one to the
   *       right: then two would make one run for a scan.
   *   D3  There may be any number of segments, not only powers of two, so that bulkload can keep the
   *       fill factor and the array can grow by less than twice where the limit is near.
   *   D4  A segment that is not alone holds at least one entry, so no search meets an empty one.
   *   D5  Spreading is in place: all entries of a window are pushed to its left end, then, from the
   *       right, to where they belong. That moves each at most twice and needs no other memory.
   *   D6  The index is written where a boundary's node is, instead of recomputing it in post-order.
   */

  /** More segments are not possible: products of two such numbers and of slots stay longs. */
  static final int MOST_SEGMENTS = 1 << 30;

  /** Where the limit is near, the array grows at least by this part, or not at all. */
  private static final int LEAST_GROWTH = 8;

  /** More levels than {@link #MOST_SEGMENTS} have. */
  private static final int MAX_LEVELS = 32;

  /** What is above the segments. */
  enum Directory {
    /** Nothing: the first keys of segments are searched. */
    NONE,
    /** A {@link VebIndex}. */
    VAN_EMDE_BOAS
  }

  final IndexOptions options;
  final Geometry geometry;
  final ChangeCount modifications = new ChangeCount();

  /** Counts what voids the places of buffered probes. */
  final LevelChanges levelChanges = new LevelChanges(MAX_LEVELS);

  private final Directory directory;

  final MemoryBudget budget;
  SegmentColumns columns;
  Calibrator calibrator;

  /** The index, if there is one. */
  @Nullable VebIndex index;

  int segments;
  long size;

  /** What was done so far, for {@link RebalanceCounts}. */
  long moved;

  long rebalances;
  long resizes;

  PmaStructure(IndexOptions options, Geometry geometry, Directory directory) {
    this.options = options;
    this.geometry = geometry;
    this.directory = directory;
    this.budget = new MemoryBudget(options.memoryLimit());
    this.columns = take(1);
    this.segments = 1;
    this.calibrator = new Calibrator(geometry, 1);
    this.index = newIndex(1);
  }

  private @Nullable VebIndex newIndex(int count) {
    return directory == Directory.NONE ? null : new VebIndex(count);
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public void expectTornReads() {
    columns.expectReaders();
  }

  @Override
  public boolean isClosed() {
    return columns.isClosed();
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public LongCursor cursor() {
    return new PmaCursor(this);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new PmaBulkload(this, fillFactor).load(entries, total, listener);
  }

  @Override
  public void verify(ProgressListener listener) {
    PmaVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return new CalibratorView(this).node(0, 0);
  }

  @Override
  public MemoryUse memory() {
    return MemoryUse.of(usedBytes(), budget.taken(), columns.hasHugePages());
  }

  /** Overwrites the value in a slot; returns the one that was there. */
  long replace(int segment, int slot, long value) {
    long place = columns.slot(segment) + slot;
    long previous = columns.value(place);
    columns.value(place, value);
    return previous;
  }

  // ---------------------------------------------------------------- memory

  private long indexBytes(int count) {
    return directory == Directory.NONE ? 0 : VebIndex.bytes(count);
  }

  private long bytes(int count) {
    return SegmentColumns.bytes(geometry.segmentSlots(), count) + indexBytes(count);
  }

  /** Returns the bytes of the segments in use, and of what belongs to them. */
  long usedBytes() {
    return bytes(segments);
  }

  /**
   * Takes memory for segments.
   *
   * @throws MemoryLimitException if there is none
   */
  SegmentColumns take(int count) {
    budget.check(bytes(count));
    SegmentColumns taken =
        new SegmentColumns(geometry.segmentSlots(), count, indexBytes(count), options.hugePages());
    budget.count(taken.bytes());
    return taken;
  }

  /** Makes other memory, which holds {@code count} segments, that of the array. */
  void replace(SegmentColumns other, int count) {
    long replaced = columns.bytes();
    columns = columns.replacedBy(other);
    use(count);
    budget.count(-replaced);
  }

  private void giveBack(SegmentColumns taken) {
    budget.count(-taken.bytes());
    taken.close();
  }

  /** Says how many segments of the memory are in use from now on; the index is to be refreshed. */
  private void use(int count) {
    if (count != segments) {
      calibrator = new Calibrator(geometry, count);
      index = newIndex(count);
      segments = count;
    }
  }

  /** Returns for how many segments there is surely room in so many bytes. */
  int fitting(long bytes) {
    // An index has fewer nodes than twice the segments; only the cards are rounded up, to a line.
    int perSegment = (2 * geometry.segmentSlots() + 2) * Long.BYTES + Short.BYTES;
    return Math.clamp((bytes - CacheLine.BYTES) / perSegment, 0, MOST_SEGMENTS);
  }

  // ---------------------------------------------------------------- search

  /** Returns the last segment whose first key is at most {@code key}, or else the first segment. */
  int segmentOf(long key) {
    SegmentColumns in = columns;
    int low = 0;
    for (int length = segments; length > 1; ) {
      int half = length >>> 1;
      low += in.key(in.slot(low + half)) <= key ? half : 0;
      length -= half;
    }
    return low;
  }

  /** Counts the keys of a segment smaller than {@code key}. */
  int lowerBound(int segment, long key) {
    return lowerBoundBinary(columns.memory, columns.slot(segment) << 3, columns.card(segment), key);
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts an entry whose key is not there.
   *
   * @param segment where the key belongs
   * @param slot in that segment
   * @throws MemoryLimitException if there is no room; nothing has changed then
   */
  void insertAt(int segment, int slot, long key, long value) {
    int card = columns.card(segment);
    if (card < calibrator.mostOfSegment) {
      long keys = columns.slot(segment) << 3;
      long values = columns.valuesOffset + keys;
      Slots.openGap(columns.memory, keys, slot, card);
      Slots.openGap(columns.memory, values, slot, card);
      columns.set(columns.slot(segment) + slot, key, value);
      columns.card(segment, card + 1);
      moved += card - slot;
    } else {
      insertAndSpread(segment, slot, key, value);
    }
    size++;
    modifications.changes++;
  }

  private void insertAndSpread(int segment, int slot, long key, long value) {
    int from = segment;
    int to = segment + 1;
    long entries = columns.card(segment) + 1L;
    for (int level = 2; level <= calibrator.levels; level++) {
      long part = calibrator.part(level, segment);
      int wider = calibrator.from(level, part);
      entries += cards(wider, from);
      from = wider;
      wider = calibrator.to(level, part);
      entries += cards(to, wider);
      to = wider;
      if (entries <= calibrator.most(level, to - from)) {
        long rank = cards(from, segment) + slot;
        moved += columns.pushLeft(from, to);
        moved += columns.spread(from, to, entries, rank, key, value);
        rebalanced(from, to);
        return;
      }
    }
    grow(entries, cards(0, segment) + slot, key, value);
  }

  /** Sets all separators, after all segments have changed. */
  void refreshIndex() {
    if (index != null) {
      index.refresh(columns, 0, segments);
    }
  }

  private void rebalanced(int from, int to) {
    if (index != null) {
      index.refresh(columns, from, to);
    }
    rebalances++;
    levelChanges.changedAll();
  }

  /** Returns the number of entries in segments. */
  private long cards(int from, int to) {
    long sum = 0;
    for (int segment = from; segment < to; segment++) {
      sum += columns.card(segment);
    }
    return sum;
  }

  // ---------------------------------------------------------------- delete

  /** Removes the entry in a slot of a segment. */
  void removeAt(int segment, int slot) {
    int card = columns.card(segment);
    long keys = columns.slot(segment) << 3;
    Slots.closeGap(columns.memory, keys, slot, card);
    Slots.closeGap(columns.memory, columns.valuesOffset + keys, slot, card);
    columns.card(segment, card - 1);
    moved += card - 1 - slot;
    size--;
    modifications.changes++;
    if (slot == 0 && segment > 0) {
      levelChanges.changedAll(); // keys up to the one that is first now belong further left
    }
    if (segments > 1 && card - 1 < calibrator.leastOfSegment) {
      spreadOrShrink(segment);
    }
  }

  private void spreadOrShrink(int segment) {
    int from = segment;
    int to = segment + 1;
    long entries = columns.card(segment);
    for (int level = 2; level <= calibrator.levels; level++) {
      long part = calibrator.part(level, segment);
      int wider = calibrator.from(level, part);
      entries += cards(wider, from);
      from = wider;
      wider = calibrator.to(level, part);
      entries += cards(to, wider);
      to = wider;
      if (entries >= calibrator.least(level, to - from)) {
        moved += columns.pushLeft(from, to);
        moved += columns.spread(from, to, entries, Long.MAX_VALUE, 0, 0);
        rebalanced(from, to);
        return;
      }
    }
    shrink(entries);
  }

  /** Removes {@code key} if it is there. */
  void remove(long key) {
    int segment = segmentOf(key);
    int slot = lowerBound(segment, key);
    if (holds(segment, slot, key)) {
      removeAt(segment, slot);
    }
  }

  /** Tells whether {@code slot}, found by a lowerBound for {@code key}, holds that key. */
  boolean holds(int segment, int slot, long key) {
    return slot < columns.card(segment) && columns.key(columns.slot(segment) + slot) == key;
  }

  /** Makes the array empty, with one segment. */
  @Override
  public void clear() {
    checkOpen();
    modifications.changes++;
    levelChanges.changedAll();
    budget.clear();
    columns = columns.replacedBy(take(1));
    segments = 0; // Threads without a lock may have torn the calibrator from it: all is made anew.
    use(1);
    size = 0;
  }

  @Override
  protected long memoryLimit() {
    return options.memoryLimit();
  }

  @Override
  protected @Nullable IndexStructure twin(long limit) {
    return limit < IndexOptions.MIN_MEMORY_LIMIT
        ? null
        : new PmaStructure(options.withMemoryLimit(limit), geometry, directory);
  }

  @Override
  protected void adopt(IndexStructure twin) {
    PmaStructure other = (PmaStructure) twin;
    columns = columns.replacedBy(other.columns);
    use(other.segments);
    size = other.size;
    budget.clear();
    budget.count(other.budget.taken());
    modifications.changes++;
    levelChanges.changedAll();
  }

  @Override
  public void close() {
    columns.close();
  }

  // ---------------------------------------------------------------- bulkload

  /** Returns how much room a load should take next: twice the room, or what fits. */
  int roomier() {
    checkGrowth(columns.room);
    int twice = 2 * columns.room;
    int fitting = fitting(budget.left());
    return bytes(twice) <= budget.left() || fitting - columns.room < columns.room / LEAST_GROWTH + 1
        ? twice
        : fitting;
  }

  /** Tells whether there is memory for so many segments beside those there are. */
  boolean fits(int count) {
    return bytes(count) <= budget.left();
  }

  /**
   * Moves the first segments, as they are, into memory with other room.
   *
   * @throws MemoryLimitException if there is none
   */
  void moveTo(int room, int filled) {
    SegmentColumns other = take(room);
    columns.copyTo(other, 0, 0, columns.slot(filled));
    for (int segment = 0; segment < filled; segment++) {
      other.card(segment, columns.card(segment));
    }
    replace(other, segments);
  }

  /** Makes the first segments, which were filled, the array. */
  void finishLoad(int filled, long loaded) {
    use(filled);
    size = loaded;
    if (filled > 1) {
      // The last segment has what was left; with half of the one before it has enough.
      long entries = cards(filled - 2, filled);
      moved += columns.pushLeft(filled - 2, filled);
      moved += columns.spread(filled - 2, filled, entries, Long.MAX_VALUE, 0, 0);
    }
    refreshIndex();
  }

  // ---------------------------------------------------------------- resize

  /** Grows, and inserts an entry that had no room before. */
  private void grow(long entries, long rank, long key, long value) {
    checkCards(entries, size + 1);
    int count = grown(entries);
    resize(count, count > columns.room ? take(count) : null, entries, rank, key, value);
  }

  /** Returns twice the segments, or, near the limit, as many as there is memory for. */
  private int grown(long entries) {
    checkGrowth(segments);
    int twice = 2 * segments;
    if (twice <= columns.room || bytes(twice) <= budget.left()) {
      return twice;
    }
    int less = Math.max(fitting(budget.left()), columns.room);
    if (less - segments < Math.max(segments / LEAST_GROWTH, 1)) {
      return twice;
    }
    Calibrator then = new Calibrator(geometry, less);
    return entries <= then.most(then.levels, less) ? less : twice;
  }

  private static void checkGrowth(int count) {
    if (count > MOST_SEGMENTS / 2) {
      throw new MemoryLimitException(
          "there are " + count + " segments; more than " + MOST_SEGMENTS + " are not possible");
    }
  }

  /** Shrinks until the whole is within its lower threshold; in place if there is no memory left. */
  private void shrink(long entries) {
    checkCards(entries, size);
    double leastPerSegment = geometry.densities().lowerRoot() * geometry.segmentSlots();
    int count = segments;
    while (count > 1 && entries < leastPerSegment * count) {
      count = (count + 1) / 2;
    }
    resize(count, takeIfThereIs(count), entries, Long.MAX_VALUE, 0, 0);
  }

  private @Nullable SegmentColumns takeIfThereIs(int count) {
    try {
      return take(count);
    } catch (MemoryLimitException _) {
      return null;
    }
  }

  /** Without this, an array that threads have torn could grow with every insert. */
  private static void checkCards(long entries, long expected) {
    if (entries != expected) {
      throw Torn.torn("there are " + entries + " entries instead of " + expected);
    }
  }

  /**
   * Spreads all over {@code count} segments.
   *
   * @param other their memory, or null for that of the array
   */
  private void resize(
      int count, @Nullable SegmentColumns other, long entries, long rank, long key, long value) {
    if (other == null) {
      moved += columns.pushLeft(0, segments);
      use(count);
      moved += columns.spread(0, count, entries, rank, key, value);
    } else {
      try {
        copyInto(other, count, entries, rank, key, value);
      } catch (RuntimeException torn) {
        giveBack(other);
        throw torn;
      }
      replace(other, count);
    }
    resizes++;
    levelChanges.changedAll();
    refreshIndex();
  }

  /** As {@link SegmentColumns#spread}, of the whole into other memory. */
  private void copyInto(
      SegmentColumns target, int count, long entries, long rank, long key, long value) {
    int segment = 0;
    long slot = 0;
    long next = 0;
    for (int i = 0; i < count; i++) {
      long end = SegmentColumns.share(entries, count, i + 1);
      long to = target.slot(i);
      target.card(i, (int) (end - next));
      while (next < end) {
        if (next == rank) {
          target.set(to++, key, value);
          next++;
          continue;
        }
        long some = Math.min(columns.card(segment) - slot, end - next);
        if (next < rank) {
          some = Math.min(some, rank - next);
        }
        if (some > 0) {
          columns.copyTo(target, columns.slot(segment) + slot, to, some);
          slot += some;
          to += some;
          next += some;
          moved += some;
        } else {
          segment++; // beyond the last, after misuse by threads, there is no card to read
          slot = 0;
        }
      }
    }
  }
}
