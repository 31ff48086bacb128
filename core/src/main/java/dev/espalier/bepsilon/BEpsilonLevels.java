// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.LongIndex;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Bits;
import dev.espalier.node.GroupSearch;
import dev.espalier.support.GroupPins;
import dev.espalier.support.Message;
import dev.espalier.tree.OneStoreLevel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A tree whose pages have buffers, as batched lookups see it: one level, the root's, from which
 * probes go all the way in groups.
 *
 * <p>Probes can't wait at pages further down, as they do in other trees: what becomes of a key is
 * decided by the messages above it, too, which change without a page's place changing. So a place
 * on the way is no place from which a probe can be answered.
 */
final class BEpsilonLevels extends OneStoreLevel {
  /** Probes that go down together: as many as a long has bits, and reads an SSD answers at once. */
  private static final int GROUP = Long.SIZE;

  private final BEpsilonStructure tree;
  private final LongIndex index;
  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;
  private final long missingValue;

  /** Takes an offset within a page to the page's place. */
  private final long pageMask;

  BEpsilonLevels(BEpsilonStructure tree, LongIndex index) {
    super(tree);
    this.tree = tree;
    this.index = index;
    this.store = tree.store;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.missingValue = index.missingValue();
    this.pageMask = -store.pageBytes();
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
    int most = Math.min(GROUP, store.mostPins());
    long[] places = new long[Math.min(most, count)];
    GroupPins pins = new GroupPins(store, places.length);
    try {
      for (int done = 0; done < count; done += most) {
        int some = Math.min(most, count - done);
        long there =
            answerGroup(keys, keysFrom + done, values, valuesFrom + done, some, places, pins);
        Bits.addGroup(found, foundFrom + done, there);
      }
    } finally {
      pins.unpinAll();
    }
  }

  /**
   * Looks up keys together. Until a probe is answered, {@code values} holds where it is: the number
   * of its page, then its {@link GroupSearch} in there. A put or a delete that it meets on its way
   * answers it.
   *
   * <p>A probe that meets something to be added is looked up again by itself: there are few, and
   * there is no array to keep their sums in.
   *
   * @param places room for the pages of as many probes
   * @param pins no pins; those that are left are given back
   * @return the keys that are there, as a bit set
   */
  private long answerGroup(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long[] places,
      GroupPins pins) {
    MemorySegment pages = tree.pages;
    long open = -1L >>> (GROUP - count);
    long there = 0;
    Arrays.fill(values, valuesFrom, valuesFrom + count, tree.root());
    for (int level = tree.height() - 1; level > 0 && open != 0; level--) {
      pin(open, values, valuesFrom, places, pins);
      searchBuffers(pages, open, keys, keysFrom, values, valuesFrom);
      long met = found(pages, open, keys, keysFrom, values, valuesFrom);
      long added = added(pages, met, values, valuesFrom);
      there |= added | answerByMessages(pages, met & ~added, values, valuesFrom);
      open &= ~met;
      goDown(pages, open, keys, keysFrom, values, valuesFrom);
      pins.unpinAll();
      lookUp(added, keys, keysFrom, values, valuesFrom);
    }
    pin(open, values, valuesFrom, places, pins);
    there |= answerInLeaves(pages, open, keys, keysFrom, values, valuesFrom);
    pins.unpinAll();
    return there;
  }

  /** Makes the numbers of the probes' pages their places, by one wave of reads if need be. */
  private static void pin(
      long probes, long[] values, int valuesFrom, long[] places, GroupPins pins) {
    int count = 0;
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      places[count++] = values[valuesFrom + Long.numberOfTrailingZeros(rest)];
    }
    pins.pinAll(places, 0, count);
    count = 0;
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      values[valuesFrom + Long.numberOfTrailingZeros(rest)] = places[count++];
    }
  }

  private void searchBuffers(
      MemorySegment pages, long probes, long[] keys, int keysFrom, long[] values, int valuesFrom) {
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      int at = valuesFrom + Long.numberOfTrailingZeros(rest);
      long page = values[at];
      values[at] =
          GroupSearch.begin(page + inner.messagesOffset, inner.checkedMessages(pages, page));
    }
    GroupSearch.finish(pages, probes, keys, keysFrom, values, valuesFrom);
  }

  /** Returns the probes whose searches have found their keys. */
  private static long found(
      MemorySegment pages, long probes, long[] keys, int keysFrom, long[] values, int valuesFrom) {
    long found = 0;
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      boolean isFound = GroupSearch.isAt(pages, values[valuesFrom + i], keys[keysFrom + i]);
      found |= isFound ? Long.lowestOneBit(rest) : 0;
    }
    return found;
  }

  /** Returns the probes whose messages say that something is to be added. */
  private long added(MemorySegment pages, long probes, long[] values, int valuesFrom) {
    long added = 0;
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      long offset = GroupSearch.offset(values[valuesFrom + Long.numberOfTrailingZeros(rest)]);
      long page = offset & pageMask;
      boolean isAdd = inner.messageKind(pages, page, slotOf(offset, page)) == Message.ADD;
      added |= isAdd ? Long.lowestOneBit(rest) : 0;
    }
    return added;
  }

  private int slotOf(long offset, long page) {
    return (int) (offset - page - inner.messagesOffset) >>> 3;
  }

  /** Answers probes by the puts and deletes they have found; returns those whose keys are there. */
  private long answerByMessages(MemorySegment pages, long probes, long[] values, int valuesFrom) {
    long there = 0;
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      int at = valuesFrom + i;
      long offset = GroupSearch.offset(values[at]);
      long page = offset & pageMask;
      int slot = slotOf(offset, page);
      boolean isPut = inner.messageKind(pages, page, slot) == Message.PUT;
      values[at] = isPut ? inner.messageValue(pages, page, slot) : missingValue;
      there |= isPut ? 1L << i : 0;
    }
    return there;
  }

  /** Answers probes one by one. */
  private void lookUp(long probes, long[] keys, int keysFrom, long[] values, int valuesFrom) {
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      values[valuesFrom + i] = index.get(keys[keysFrom + i]);
    }
  }

  /** Takes probes from their pages to the numbers of the children. */
  private void goDown(
      MemorySegment pages, long probes, long[] keys, int keysFrom, long[] values, int valuesFrom) {
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      long page = GroupSearch.offset(values[valuesFrom + i]) & pageMask;
      int slot = inner.childSlot(pages, page, keys[keysFrom + i]);
      values[valuesFrom + i] = inner.child(pages, page, slot);
    }
  }

  /** Answers the last probes; returns those whose keys are there. */
  private long answerInLeaves(
      MemorySegment pages, long probes, long[] keys, int keysFrom, long[] values, int valuesFrom) {
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      int at = valuesFrom + Long.numberOfTrailingZeros(rest);
      long page = values[at];
      values[at] = GroupSearch.begin(page + LeafPage.KEYS_OFFSET, leaf.checkedCount(pages, page));
    }
    GroupSearch.finish(pages, probes, keys, keysFrom, values, valuesFrom);
    long found = found(pages, probes, keys, keysFrom, values, valuesFrom);
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      int at = valuesFrom + Long.numberOfTrailingZeros(rest);
      long offset = GroupSearch.offset(values[at]);
      long page = offset & pageMask;
      boolean isFound = (found & Long.lowestOneBit(rest)) != 0;
      int slot = (int) (offset - page - LeafPage.KEYS_OFFSET) >>> 3;
      values[at] = isFound ? leaf.value(pages, page, slot) : missingValue;
    }
    return found;
  }
}
