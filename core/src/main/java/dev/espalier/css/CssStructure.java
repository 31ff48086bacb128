// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.css.EntryArray.Arrangement;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.MemoryUse;
import dev.espalier.node.Keys;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.LevelChanges;
import dev.espalier.tree.IndexStructure;
import org.jspecify.annotations.Nullable;

/** The parts of one CSS-tree, with digest leaves or without, and what changes them. */
final class CssStructure extends IndexStructure {
  /* Overview
   *
   *   array      all entries as of the last rebuild, in key order. Either keys and values are in
   *              columns of their own, and each stretch of keySlots keys is a leaf. Or each key is
   *              beside its value, and every stretch of 28 lines, 112 entries, has a leaf of digests.
   *   directory  the inner nodes over the array's keys, without pointers (thesis 3.4), and the
   *              digest leaves
   *   removed    one bit per slot of the array: its entry was removed since the rebuild
   *   delta      entries inserted since the rebuild, in key order; none of their keys is in the array
   *
   * A value of the array is overwritten in place; a key that was removed from the array and comes
   * back gets its old slot. When the delta is full, or a quarter of the array's entries is removed,
   * array and delta are merged in place and the directory is built anew: O(n). The delta holds 4
   * to 8 sqrt(n) entries, so that moving its entries and rebuilding cost an insert O(sqrt(n)) each.
   *
   * Invariants, checked by CssVerifier:
   *   I1  Keys in the array ascend strictly, and padding follows the last.
   *   I2  Keys in the delta ascend strictly, padding follows the last, and none is in the array.
   *   I3  The levels have the sizes that the number of entries in the array gives.
   *   I4  A separator is the largest key below its child; unused slots of inner nodes hold the padding.
   *   I5  The count of removed entries is the number of bits set, and no bit is set beyond the array.
   *   I6  The parts together take the memory that is accounted for, at most the limit.
   *   I7  A digest leaf has the first key below it as base, the smallest shift that makes the digests of
   *       all keys fit into 15 bits, and that of each line's last key; unused slots hold the padding.
   *
   * Deviations from thesis 3.4:
   *   D1  All leaves are at one depth. The full tree of the paper has its last leaves one level higher
   *       where that saves nodes, and the array's two ends swapped in memory.
   *   D2  Every level begins its own numbering, so that a node's place is one multiplication, and
   *       each is padded to whole nodes.
   *   D3  The delta. The thesis rebuilds for every batch of updates and sees none before.
   */

  /**
   * The delta's capacity is at least this: rebuilding a small array costs more than searching it.
   */
  private static final int LEAST_DELTA = 256;

  /** And at most this, where moving entries in the delta costs as much as a rebuild is worth. */
  private static final int MOST_DELTA = 1 << 16;

  /** Capacity of the delta when it has its first entries; it doubles from there. */
  private static final int FIRST_DELTA = 32;

  /** Removed entries up to this number are no reason to rebuild. */
  private static final int FEW_REMOVED = 64;

  final IndexOptions options;
  final CssShape shape;
  final ChangeCount modifications = new ChangeCount();

  /** Counts what voids the places of buffered probes: that the directory was built anew. */
  final LevelChanges levelChanges = new LevelChanges(CssDirectory.MAX_LEVELS + 1);

  MemoryBudget budget;
  EntryArray array;
  EntryArray delta;
  CssDirectory directory;
  RemovedSlots removed;

  CssStructure(IndexOptions options, CssShape shape) {
    this.options = options;
    this.shape = shape;
    this.budget = new MemoryBudget(options.memoryLimit());
    this.array = newArray();
    this.directory = newDirectory();
    this.delta = newDelta();
    this.removed = new RemovedSlots(budget);
  }

  private EntryArray newArray() {
    return new EntryArray(budget, options.hugePages(), shape.arrangement(), shape.padding());
  }

  /** For an array that is empty. */
  private CssDirectory newDirectory() {
    return new CssDirectory(budget, options.hugePages(), shape, array);
  }

  private EntryArray newDelta() {
    return new EntryArray(budget, options.hugePages(), Arrangement.COLUMNS, 1);
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public long size() {
    return array.count - removed.count + delta.count;
  }

  long usedBytes() {
    return array.usedBytes() + delta.usedBytes() + directory.usedBytes() + removed.usedBytes();
  }

  long committedBytes() {
    return array.committedBytes()
        + delta.committedBytes()
        + directory.committedBytes()
        + removed.committedBytes();
  }

  @Override
  public boolean isClosed() {
    return array.isClosed();
  }

  @Override
  public LongCursor cursor() {
    return new CssCursor(this);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    BulkloadInput.checkStart(fillFactor, size());
    clear();
    try {
      BulkloadInput input = new BulkloadInput(entries, total, listener);
      while (input.next()) {
        array.ensure(array.count + 1);
        array.set(array.count, input.key(), input.value());
        array.count++;
      }
      ensureArray(array.count);
      finishArray();
      input.finish();
    } catch (RuntimeException | Error failed) {
      clear();
      throw failed;
    }
  }

  @Override
  public void verify(ProgressListener listener) {
    CssVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return view(0, 0);
  }

  /**
   * Returns node {@code number} of those {@code depth} below the root: of the directory, or of the
   * array as a leaf. The delta is not shown; entries that were removed since the last rebuild are.
   */
  NodeView view(int depth, long number) {
    int level = directory.levels - depth;
    long bytes = (long) directory.keySlots * Long.BYTES;
    if (level == 0) {
      int slots = directory.leafEntries;
      long first = number * slots;
      return NodeView.leaf(
          shape.hasDigests() ? directory.digestLeaf(number) : number * bytes,
          bytes,
          Math.clamp(array.count - first, 0, slots),
          slots,
          i -> array.key(first + i),
          i -> array.value(first + i));
    }
    return NodeView.inner(
        directory.levelOffset[depth] + number * bytes,
        bytes,
        level,
        directory.children(depth, number) - 1,
        directory.fanOut - 1,
        i -> directory.separator(depth, number, i),
        i -> view(depth + 1, number * directory.fanOut + i));
  }

  @Override
  public MemoryUse memory() {
    return MemoryUse.of(usedBytes(), budget.taken(), array.hasHugePages());
  }

  // ---------------------------------------------------------------- search

  /**
   * Counts the keys of the array smaller than {@code key}: the slot where it is or belongs. For
   * calls that need not be the fastest. O(log n).
   */
  long lowerBound(long key) {
    int slots = directory.keySlots;
    long node = 0;
    for (int level = 0; level < directory.levels; level++) {
      long offset = directory.levelOffset[level] + ((node * slots) << 3);
      node = node * directory.fanOut + Keys.lowerBound(directory.nodes, offset, slots, key);
    }
    return shape.hasDigests()
        ? lowerBoundByDigests(node, key)
        : node * slots + Keys.lowerBound(array.memory, (node * slots) << 3, slots, key);
  }

  private long lowerBoundByDigests(long leafNumber, long key) {
    long leaf = directory.digestLeaf(leafNumber);
    long slot = leafNumber * DigestLeaf.CAPACITY;
    if (key > DigestLeaf.base(directory.nodes, leaf)) {
      slot += (long) DigestLeaf.line(directory.nodes, leaf, key) * EntryArray.PAIRS_PER_LINE;
      while (slot < array.count && array.key(slot) < key) {
        slot++;
      }
    }
    return slot;
  }

  /** Tells whether {@code slot}, found by a lowerBound for {@code key}, holds that key. */
  boolean arrayHolds(long slot, long key) {
    return slot < array.count && array.key(slot) == key;
  }

  boolean deltaHolds(long slot, long key) {
    return slot < delta.count && delta.key(slot) == key;
  }

  /** Tells whether there is an entry for {@code key}. */
  boolean contains(long key) {
    long slot = lowerBound(key);
    return arrayHolds(slot, key) ? !removed.contains(slot) : deltaHolds(delta.lowerBound(key), key);
  }

  /** As {@link #contains}, and stores the value of an entry in {@code value[0]}. */
  boolean find(long key, long[] value) {
    long slot = lowerBound(key);
    if (arrayHolds(slot, key)) {
      value[0] = array.value(slot);
      return !removed.contains(slot);
    }
    long inDelta = delta.lowerBound(key);
    if (!deltaHolds(inDelta, key)) {
      return false;
    }
    value[0] = delta.value(inDelta);
    return true;
  }

  /** Returns what the delta has for {@code key}, or {@code missing}. O(log of the delta). */
  long getFromDelta(long key, long missing) {
    long slot = delta.lowerBound(key);
    return deltaHolds(slot, key) ? delta.value(slot) : missing;
  }

  /**
   * Answers the probes of a group that the array has no key for, together.
   *
   * @param probes the probes, as a bit set
   * @return those whose keys are there
   */
  long readDelta(
      long probes, long[] keys, int keysFrom, long[] values, int valuesFrom, long missing) {
    boolean isEmpty = delta.count == 0;
    if (!isEmpty) {
      delta.searchGroup(probes, keys, keysFrom, values, valuesFrom);
    }
    long there = 0;
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      long slot = values[valuesFrom + i];
      boolean isThere = !isEmpty && delta.key(slot) == keys[keysFrom + i];
      values[valuesFrom + i] = isThere ? delta.value(slot) : missing;
      there |= isThere ? Long.lowestOneBit(rest) : 0;
    }
    return there;
  }

  // ---------------------------------------------------------------- insert

  /**
   * Puts an entry, whose value replaces the one that is there only if {@code overwrite}.
   *
   * @return the previous value, or {@code missing}
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; nothing has changed then
   */
  long put(long key, long value, boolean overwrite, long missing) {
    long slot = lowerBound(key);
    if (arrayHolds(slot, key)) {
      if (removed.contains(slot)) {
        revive(slot, value);
        return missing;
      }
      long previous = array.value(slot);
      if (overwrite) {
        overwrite(slot, value);
      }
      return previous;
    }
    long inDelta = delta.lowerBound(key);
    if (deltaHolds(inDelta, key)) {
      long previous = delta.value(inDelta);
      if (overwrite) {
        delta.value(inDelta, value);
      }
      return previous;
    }
    insert(inDelta, key, value);
    return missing;
  }

  /** Replaces a value of the array. Cursors have copies of pairs, which it voids. */
  void overwrite(long slot, long value) {
    array.value(slot, value);
    if (array.hasPairs()) {
      modifications.changes++;
    }
  }

  /** Puts an entry back whose key is in {@code slot} of the array, but was removed. */
  private void revive(long slot, long value) {
    removed.remove(slot);
    array.value(slot, value);
    modifications.changes++;
  }

  /**
   * Inserts an entry whose key is neither in the array nor in the delta.
   *
   * @param slot where the key belongs in the delta
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; nothing has changed then
   */
  private void insert(long slot, long key, long value) {
    long at = slot;
    if (delta.count >= deltaCapacity()) {
      rebuild();
      at = 0;
    }
    if (delta.count == delta.capacity()) {
      delta.ensure(Math.min(Math.max(2 * delta.count, FIRST_DELTA), deltaCapacity()));
    }
    delta.insert(at, key, value);
    modifications.changes++;
  }

  private long deltaCapacity() {
    long most = 8 * (long) Math.sqrt((double) array.count);
    return Math.clamp(Long.highestOneBit(Math.max(most, 1)), LEAST_DELTA, MOST_DELTA);
  }

  // ---------------------------------------------------------------- delete

  /** Removes the entry in a slot of the array. */
  private void removeFromArray(long slot) {
    removed.add(slot);
    modifications.changes++;
    if (removed.count > Math.max(array.count / 4, FEW_REMOVED)) {
      closeGaps();
      finishArray();
    }
  }

  private void removeFromDelta(long slot) {
    delta.remove(slot);
    modifications.changes++;
  }

  /** Removes {@code key}, and returns its value, or {@code missing} if it is not there. */
  long remove(long key, long missing) {
    long slot = lowerBound(key);
    if (arrayHolds(slot, key)) {
      if (removed.contains(slot)) {
        return missing;
      }
      long previous = array.value(slot);
      removeFromArray(slot);
      return previous;
    }
    long inDelta = delta.lowerBound(key);
    if (!deltaHolds(inDelta, key)) {
      return missing;
    }
    long previous = delta.value(inDelta);
    removeFromDelta(inDelta);
    return previous;
  }

  @Override
  public void clear() {
    checkOpen();
    modifications.changes++;
    levelChanges.changedAll();
    budget = new MemoryBudget(options.memoryLimit());
    array = array.replacedBy(newArray());
    directory = directory.replacedBy(newDirectory());
    delta = delta.replacedBy(newDelta());
    removed = removed.replacedBy(new RemovedSlots(budget));
  }

  @Override
  protected long memoryLimit() {
    return options.memoryLimit();
  }

  @Override
  protected @Nullable IndexStructure twin(long limit) {
    return limit < IndexOptions.MIN_MEMORY_LIMIT
        ? null
        : new CssStructure(options.withMemoryLimit(limit), shape);
  }

  @Override
  protected void adopt(IndexStructure twin) {
    CssStructure other = (CssStructure) twin;
    array = array.replacedBy(other.array);
    directory = directory.replacedBy(other.directory);
    delta = delta.replacedBy(other.delta);
    removed = removed.replacedBy(other.removed);
    budget = other.budget;
    budget.limit(options.memoryLimit());
    modifications.changes++;
    levelChanges.changedAll();
  }

  @Override
  public void expectTornReads() {
    array.expectReaders();
    directory.expectReaders();
    delta.expectReaders();
    removed.expectReaders();
  }

  @Override
  public void close() {
    modifications.changes++; // for cursors that stand in copies
    array.close();
    delta.close();
    directory.close();
    removed.close();
  }

  // ---------------------------------------------------------------- rebuild

  /**
   * Merges the delta into the array, in place.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; nothing has changed then
   */
  void rebuild() {
    long total = size();
    ensureArray(total);
    closeGaps();
    long source = array.count;
    long target = total;
    array.count = total;
    // From the largest entry down: everything above `target` is in its place.
    for (long i = delta.count - 1; i >= 0; i--) {
      long key = delta.key(i);
      long from = array.lowerBound(key, source);
      target -= source - from;
      array.move(from, target, source - from);
      source = from;
      target--;
      array.set(target, key, delta.value(i));
    }
    delta.count = 0;
    delta.pad();
    finishArray();
  }

  /** Makes room for an array of {@code entries} entries and all that goes with it. */
  void ensureArray(long entries) {
    directory.ensure(entries);
    removed.ensure(entries);
    array.ensure(entries);
  }

  /** Moves the entries that are left together. */
  private void closeGaps() {
    long end = array.count;
    long kept = removed.next(0, end, true);
    for (long from = kept; from < end; ) {
      long first = removed.next(from, end, false);
      long after = removed.next(first, end, true);
      array.move(first, kept, after - first);
      kept += after - first;
      from = after;
    }
    array.count = kept;
    removed.reset(kept);
  }

  /** Builds what goes with the array, after its entries have changed; there is room for it. */
  void finishArray() {
    array.pad();
    removed.reset(array.count);
    directory.build(array);
    modifications.changes++;
    levelChanges.changedAll();
  }
}
