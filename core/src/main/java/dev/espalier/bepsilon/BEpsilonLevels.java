// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.LongIndex;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.support.OneLevel;
import java.lang.foreign.MemorySegment;

/**
 * A tree whose pages have buffers, as batched lookups see it: one level, the root's, from which
 * probes go all the way in groups.
 *
 * <p>Probes can't wait at pages further down, as they do in other trees: what becomes of a key is
 * decided by the messages above it, too, which change without a page's place changing. So a place
 * on the way is no place from which a probe can be answered.
 */
final class BEpsilonLevels extends OneLevel {
  /** Probes that go down together: as many as a long has bits, and reads an SSD answers at once. */
  private static final int GROUP = Long.SIZE;

  private final BEpsilonStructure tree;
  private final LongIndex index;
  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;

  BEpsilonLevels(BEpsilonStructure tree, LongIndex index) {
    this.tree = tree;
    this.index = index;
    this.store = tree.store;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  @Override
  protected long replacements() {
    return tree.replacements;
  }

  @Override
  public boolean readsPages() {
    return !store.keepsPlaces();
  }

  @Override
  public void answer(
      int level, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    int most = Math.min(GROUP, store.mostPins());
    for (int done = 0; done < count; done += most) {
      int some = Math.min(most, count - done);
      answerGroup(keys, keysFrom + done, values, valuesFrom + done, some);
    }
  }

  /**
   * Looks up keys together. Until the answers are known, {@code values} holds where each probe is:
   * the number of its page, then the page's place.
   *
   * <p>A probe that meets a message on its way is found again one by one when the group is done:
   * there are few, the pages are near then, and there is no array to keep their sums in. Until then
   * it goes where the probe before it goes, which needs no page of its own.
   */
  private void answerGroup(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    MemorySegment pages = tree.pages;
    long met = 0;
    for (int i = 0; i < count; i++) {
      values[valuesFrom + i] = tree.root();
    }
    for (int level = tree.height() - 1; level > 0; level--) {
      store.pinAll(values, valuesFrom, count);
      for (int i = 0; i < count; i++) {
        long page = values[valuesFrom + i];
        long key = keys[keysFrom + i];
        met |= meetsMessage(pages, page, key) ? 1L << i : 0;
        values[valuesFrom + i] =
            i > 0 && (met >>> i & 1) != 0
                ? values[valuesFrom + i - 1]
                : inner.child(pages, page, inner.childSlot(pages, page, key));
        store.unpin(page, false);
      }
    }
    store.pinAll(values, valuesFrom, count);
    for (int i = 0; i < count; i++) {
      long page = values[valuesFrom + i];
      values[valuesFrom + i] = inLeaf(pages, page, keys[keysFrom + i]);
      store.unpin(page, false);
    }
    for (long left = met; left != 0; left &= left - 1) {
      int i = Long.numberOfTrailingZeros(left);
      values[valuesFrom + i] = index.get(keys[keysFrom + i]);
    }
  }

  private boolean meetsMessage(MemorySegment pages, long page, long key) {
    int messages = NodePage.messages(pages, page);
    int slot = inner.messageSlot(pages, page, messages, key);
    return slot < messages && inner.messageKey(pages, page, slot) == key;
  }

  private long inLeaf(MemorySegment pages, long page, long key) {
    int count = NodePage.count(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + LeafPage.KEYS_OFFSET, count, key);
    return slot < count && getLong(pages, page + LeafPage.KEYS_OFFSET + ((long) slot << 3)) == key
        ? leaf.value(pages, page, slot)
        : tree.options.missingValue();
  }
}
