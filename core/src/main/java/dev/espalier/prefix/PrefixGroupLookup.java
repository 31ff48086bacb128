// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Looks groups of keys up level by level. Each wave asks for what all keys of the group need next
 * before the first of it is read: pages, if they are on a device, and then lines of them: headers,
 * heads, slots, records.
 */
final class PrefixGroupLookup {
  private static final int GROUP = 64;

  private final PrefixStructure tree;

  PrefixGroupLookup(PrefixStructure tree) {
    this.tree = tree;
  }

  /** Shows the values of the keys that are there; returns how many are. */
  int getAll(PackedBytes keys, BatchReader reader) {
    int most = Math.min(GROUP, tree.store.mostPins() - 1); // A value may have pages of its own.
    MemorySegment[] group = new MemorySegment[Math.min(most, keys.count())];
    long[] pages = new long[group.length];
    int found = 0;
    for (int done = 0; done < keys.count(); done += most) {
      int count = Math.min(most, keys.count() - done);
      for (int i = 0; i < count; i++) {
        group[i] = keys.get(done + i);
        PrefixBPlusTree.checkKey(group[i]);
      }
      found += lookUp(group, pages, count, done, reader);
    }
    return found;
  }

  private int lookUp(MemorySegment[] group, long[] pages, int count, int done, BatchReader reader) {
    Arrays.fill(pages, 0, count, tree.root());
    tree.store.pinAll(pages, 0, count);
    int pinned = 0; // pages before it are released
    try {
      for (int level = tree.height() - 1; level > 0; level--) {
        for (pinned = 0; pinned < count; ) {
          int i = pinned++;
          pages[i] = tree.childBelow(pages[i], group[i]);
        }
        tree.store.pinAll(pages, 0, count);
        pinned = 0;
        for (int i = 0; i < count; i++) {
          prefetch(pages[i], 1);
        }
        prefetchHeads(pages, count);
      }
      prefetchRecords(group, pages, count);
      int found = 0;
      while (pinned < count) {
        int i = pinned++;
        found += read(pages[i], group[i], done + i, reader);
      }
      return found;
    } finally {
      for (; pinned < count; pinned++) {
        tree.store.unpin(pages[pinned], false);
      }
    }
  }

  private int read(long page, MemorySegment key, int index, BatchReader reader) {
    try {
      int slot = tree.search(page, key);
      if (slot < 0) {
        return 0;
      }
      tree.readValue(
          page,
          slot,
          (piece, from, bytes, position, total) ->
              reader.read(index, piece, from, bytes, position, total));
      return 1;
    } finally {
      tree.store.unpin(page, false);
    }
  }

  private void prefetch(long offset, int lines) {
    Words.prefetch(tree.pages.address() + offset, lines, Locality.T0);
  }

  /** Asks for the heads of pages, of which the headers are on their way. */
  private void prefetchHeads(long[] pages, int count) {
    for (int i = 0; i < count; i++) {
      int lines = PageLayout.cap(PageLayout.count(tree.pages, pages[i])) / CacheLine.LONGS;
      prefetch(pages[i] + PageLayout.HEADS, lines);
    }
  }

  /**
   * Asks for the slots of the entries of leaves that have the heads of the keys, and then for those
   * of their records that a search looks at first.
   */
  private void prefetchRecords(MemorySegment[] group, long[] pages, int count) {
    int[] from = new int[count];
    int[] to = new int[count];
    for (int i = 0; i < count; i++) {
      from[i] = tree.firstOfHead(pages[i], group[i]);
      to[i] = tree.endOfHead(pages[i], from[i]);
      if (from[i] < to[i]) {
        long first = PageLayout.slot(tree.pages, pages[i], from[i]);
        long last = PageLayout.slot(tree.pages, pages[i], to[i] - 1);
        prefetch(first, (int) ((last >>> CacheLine.SHIFT) - (first >>> CacheLine.SHIFT)) + 1);
      }
    }
    for (int i = 0; i < count; i++) {
      tree.prefetchParts(pages[i], from[i], to[i]);
    }
  }
}
