// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;

import dev.espalier.inpage.InPageSearch;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.node.KeyLines;
import dev.espalier.node.Keys;
import dev.espalier.support.GroupPins;
import java.lang.foreign.MemorySegment;

/**
 * The lookups in groups of a {@link DiskFirstFpbPlusTree}, which start at any of its levels. The
 * number of a child is made of its in-page leaf's place in the page and of its slot there.
 */
final class DiskFirstLevels extends PagedLevels {
  /* Overview
   *
   * A group of probes goes down together; on each level all its pages are pinned by one call, which
   * on files is one wave of reads. In the leaf pages, the group's in-page nodes of a level are
   * prefetched by one call before they are searched, and last the line of each value.
   *   D8  Inner pages are few, and taken to be cached.
   */

  /** Number of probes that descend together: as many reads as an SSD answers at once. */
  static final int GROUP = 64;

  private final DiskFirstFpbPlusTree owner;
  private final PagedStructure tree;
  private final InPageTreeFormat format;
  private final PageStore store;
  private final long missingValue;
  private final int levels;
  private final int leafSlots;
  private final int valuesOffset;
  private final int pageSlots;
  private final int pagesOffset;

  DiskFirstLevels(DiskFirstFpbPlusTree owner, InPageTreeFormat format) {
    super(owner.tree, GROUP);
    this.owner = owner;
    this.tree = owner.tree;
    this.format = format;
    this.store = tree.store;
    this.missingValue = owner.missingValue();
    this.levels = format.levels;
    this.leafSlots = format.valueLeaf.keySlots;
    this.valuesOffset = format.valueLeaf.payloadsOffset;
    this.pageSlots = format.childLeaf.keySlots;
    this.pagesOffset = format.childLeaf.payloadsOffset;
  }

  @Override
  public int maxChildren(int level) {
    return format.mostLeafPlaces * format.childLeaf.capacity;
  }

  @Override
  void divide(
      int level, long page, int number, long[] keys, long[] places, int[] slots, int from, int to) {
    MemorySegment pages = tree.pages;
    int maxChildren = maxChildren(level);
    int mostChildren = format.childLeaf.capacity;
    long root = page + owner.rootOffset(number);
    for (int i = from; i < to; i++) {
      long key = keys[i];
      long leaf = root;
      for (int inPage = levels - 1; inPage > 0; inPage--) {
        leaf = page + owner.childOffset(pages, leaf, key);
      }
      int slot = InPageSearch.children(pages, leaf, pageSlots, key);
      places[i] = getInt(pages, leaf + pagesOffset + ((long) slot << 2));
      slots[i] = slots[i] * maxChildren + format.leafPlace(leaf - page) * mostChildren + slot;
    }
  }

  /**
   * Until the answers are known, {@code values} holds where each probe is: the number of its page,
   * then the place of its in-page node, then of its slot.
   *
   * @return which keys are present, as a bit set
   */
  @Override
  long answerGroup(
      int level,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      GroupPins pins) {
    MemorySegment pages = tree.pages;
    findLeaves(pages, level, keys, keysFrom, values, valuesFrom, count, pins);
    int lines = format.valueLeaf.keyLines;
    boolean ofWholeLines = leafSlots == lines * CacheLine.LONGS;
    if (ofWholeLines && level == tree.height() - 1 && KeyLines.pays(tree.sizeEstimate())) {
      KeyLines.findSlots(pages, tree.base, keys, keysFrom, values, valuesFrom, count, lines);
    } else {
      findSlots(pages, keys, keysFrom, values, valuesFrom, count);
    }
    Words.prefetchGroup(tree.base + valuesOffset, values, valuesFrom, count, 1);
    long there = 0;
    long padding = 0;
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      long place = values[valuesFrom + i];
      boolean isThere = getLong(pages, place) == key;
      values[valuesFrom + i] = isThere ? getLong(pages, place + valuesOffset) : missingValue;
      there |= isThere ? 1L << i : 0;
      padding |= key == Keys.PADDING ? 1L << i : 0;
    }
    pins.unpinAll();
    return (there & padding) == 0 || owner.containsKey(Keys.PADDING)
        ? there
        : withoutPadding(there, padding, values, valuesFrom);
  }

  /** Takes back what was found of keys that are but padding; returns the rest. */
  private long withoutPadding(long there, long padding, long[] values, int valuesFrom) {
    for (long rest = there & padding; rest != 0; rest &= rest - 1) {
      values[valuesFrom + Long.numberOfTrailingZeros(rest)] = missingValue;
    }
    return there & ~padding;
  }

  /**
   * Takes a group of probes from pages of {@code level} down to their in-page leaves. The leaf
   * pages are pinned then.
   */
  void findLeaves(
      MemorySegment pages,
      int level,
      long[] keys,
      int keysFrom,
      long[] nodes,
      int nodesFrom,
      int count,
      GroupPins pins) {
    long inPage = ~(store.pageBytes() - 1L);
    for (int at = level; at > 0; at--) {
      pinRoots(pages, nodes, nodesFrom, count, pins);
      for (int i = 0; i < count; i++) {
        long root = nodes[nodesFrom + i];
        nodes[nodesFrom + i] = owner.findChild(pages, root & inPage, root, keys[keysFrom + i]);
      }
      pins.unpinAll();
    }
    pinRoots(pages, nodes, nodesFrom, count, pins);
    for (int at = levels - 1; at > 0; at--) {
      Words.prefetchGroup(tree.base, nodes, nodesFrom, count, format.inner.width);
      for (int i = 0; i < count; i++) {
        long node = nodes[nodesFrom + i];
        nodes[nodesFrom + i] = (node & inPage) + owner.childOffset(pages, node, keys[keysFrom + i]);
      }
    }
  }

  /**
   * Finds the slots of a group of probes in their in-page leaves, whose key lines it prefetches.
   */
  private void findSlots(
      MemorySegment pages, long[] keys, int keysFrom, long[] places, int placesFrom, int count) {
    Words.prefetchGroup(tree.base, places, placesFrom, count, format.valueLeaf.keyLines);
    int lastSlot = leafSlots - 1;
    for (int i = 0; i < count; i++) {
      long leaf = places[placesFrom + i];
      int slot = InPageSearch.values(pages, leaf, leafSlots, keys[keysFrom + i]);
      places[placesFrom + i] = leaf + ((long) Math.min(slot, lastSlot) << 3);
    }
  }

  /**
   * Pins the pages of a group: their numbers become the places of their in-page roots. Where a pin
   * may wait for a read, all are pinned by one call, which leaves only the headers to ask.
   */
  private void pinRoots(MemorySegment pages, long[] numbers, int from, int count, GroupPins pins) {
    if (store.pagesStay()) {
      for (int i = from; i < from + count; i++) {
        int number = (int) numbers[i];
        numbers[i] = store.pin(number) + owner.rootOffset(number);
      }
    } else {
      pins.pinAll(numbers, from, count);
      for (int i = from; i < from + count; i++) {
        long line = InPageTreeFormat.HEADER.root(pages, numbers[i]);
        numbers[i] += line << CacheLine.SHIFT;
      }
    }
  }
}
