// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.node.Bits;
import dev.espalier.support.Message;
import dev.espalier.tree.OneStoreLevel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tree as batched lookups see it: one level, from which the keys that the queue does not answer
 * go down by a {@link MultiPathSearch}.
 */
final class PioLevels extends OneStoreLevel {
  private final PioStructure tree;
  private final PageStore store;
  private final long missingValue;

  PioLevels(PioStructure tree, long missingValue) {
    super(tree);
    this.tree = tree;
    this.store = tree.store;
    this.missingValue = missingValue;
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
    if (count == 0) {
      return;
    }
    Probes probes = new Probes(Arrays.copyOfRange(keys, keysFrom, keysFrom + count));
    int operation = tree.epochs.enter();
    try {
      probes.searchQueue();
      probes.searchLeaves();
    } finally {
      tree.epochs.exit(operation);
    }
    for (int i = 0; i < count; i++) {
      int probe = Arrays.binarySearch(probes.keys, 0, probes.count, keys[keysFrom + i]);
      boolean isThere = probes.kinds[probe] == Message.PUT;
      values[valuesFrom + i] = isThere ? probes.values[probe] : missingValue;
      if (isThere && found != null) {
        Bits.add(found, foundFrom + i);
      }
    }
  }

  /** Keys that are looked up together, each once, and the newest operation of each. */
  private final class Probes {
    final long[] keys;
    final int count;
    final long[] values;
    final byte[] kinds;

    /** The probes that the queue has not answered, and their keys. */
    private final int[] open;

    private final long[] openKeys;
    private int openCount;

    Probes(long[] batch) {
      Arrays.sort(batch);
      int distinct = 1;
      for (int i = 1; i < batch.length; i++) {
        if (batch[i] != batch[distinct - 1]) {
          batch[distinct++] = batch[i];
        }
      }
      keys = batch;
      count = distinct;
      values = new long[count];
      kinds = new byte[count];
      open = new int[count];
      openKeys = new long[count];
    }

    void searchQueue() {
      for (int i = 0; i < count; i++) {
        long place = tree.queue.find(keys[i]);
        if (place == OperationQueue.NOWHERE) {
          openKeys[openCount] = keys[i];
          open[openCount++] = i;
        } else {
          long at = place & -store.pageBytes();
          try {
            search(i, OperationQueue.VERSION, at);
          } finally {
            store.unpin(at, false);
          }
        }
      }
    }

    /**
     * Takes what a page says of a probe's key, if it has an operation of it.
     *
     * @param versioned whose version tells that the page has changed
     */
    private void search(int probe, int versioned, long at) {
      int slot;
      byte kind = 0;
      long value = 0;
      long version;
      do {
        version = tree.versions.version(versioned);
        slot = tree.entries.find(tree.pages, at, keys[probe]);
        if (slot >= 0) {
          kind = (byte) tree.entries.kind(tree.pages, at, slot);
          value = tree.entries.value(tree.pages, at, slot);
        }
      } while (!tree.versions.isStill(versioned, version));
      if (slot >= 0) {
        kinds[probe] = kind;
        values[probe] = value;
      }
    }

    void searchLeaves() {
      if (openCount == 0) {
        return;
      }
      MultiPathSearch search = new MultiPathSearch(tree);
      search.find(openKeys, 0, openCount);
      int next = 0;
      while (search.nextLeaves(openKeys)) {
        searchLeaves(search, next);
        next = search.ends[search.leaves - 1];
      }
    }

    /** Takes what the leaves say that were found last, beginning with a key. */
    private void searchLeaves(MultiPathSearch search, int firstKey) {
      PageWave wave = new PageWave(tree);
      int columns = tree.inner.leafSegments;
      int pages = search.leaves * columns;
      int begin = 0;
      while (begin < pages) {
        int end = begin;
        for (; end < pages && !wave.isFull(); end++) {
          if (search.segments[end] != 0) {
            wave.add(search.segments[end]);
          }
        }
        wave.pin();
        int searched = 0;
        try {
          for (int i = begin; i < end; i++) {
            int leaf = i / columns;
            int first = leaf == 0 ? firstKey : search.ends[leaf - 1];
            if (search.segments[i] != 0) {
              searchSegment(search.segments[i], wave.at(searched++), first, search.ends[leaf]);
            }
          }
        } finally {
          wave.unpin();
        }
        begin = end;
      }
    }

    /** Takes what a segment says, which is newer than what those before it said. */
    private void searchSegment(int segment, long at, int from, int to) {
      for (int i = from; i < to; i++) {
        search(open[i], segment, at);
      }
    }
  }
}
