// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Looks groups of keys up level by level. Each wave asks for what all keys of the group need next
 * before the first of it is read: pages, if they are on a device, and then lines of them: headers
 * and heads, slots, records, values.
 */
final class PrefixGroupLookup {
  private static final int GROUP = 64;

  /** Lines at the beginning of a page that are read ahead: no more than the smallest page has. */
  private static final int FIRST_LINES = 8;

  private final PrefixStructure tree;

  PrefixGroupLookup(PrefixStructure tree) {
    this.tree = tree;
  }

  /** Shows the values of the keys that are there; returns how many are. */
  int getAll(PackedBytes keys, BatchReader reader) {
    int most = Math.min(GROUP, tree.store.mostPins() - 1); // A value may have pages of its own.
    PrefixGroup group = new PrefixGroup(tree, keys, Math.min(most, keys.count()));
    int found = 0;
    for (int done = 0; done < keys.count(); done += most) {
      int count = Math.min(most, keys.count() - done);
      group.begin(done, count);
      found += lookUp(group, count, done, reader);
    }
    return found;
  }

  private int lookUp(PrefixGroup group, int count, int done, BatchReader reader) {
    long[] pages = group.pages;
    Arrays.fill(pages, 0, count, tree.root());
    tree.store.pinAll(pages, 0, count);
    int pinned = 0; // pages before it are released
    try {
      for (int level = tree.height() - 1; level > 0; level--) {
        group.search();
        for (pinned = 0; pinned < count; ) {
          int i = pinned++;
          long page = pages[i];
          pages[i] = group.child(i);
          tree.store.unpin(page, false);
        }
        tree.store.pinAll(pages, 0, count);
        pinned = 0;
        PageKeys.touch(tree.pages, pages, count, FIRST_LINES);
      }
      group.search();
      group.touchValues();
      int found = 0;
      while (pinned < count) {
        int i = pinned++;
        found += read(pages[i], group.entry(i), done + i, reader);
      }
      return found;
    } finally {
      for (; pinned < count; pinned++) {
        tree.store.unpin(pages[pinned], false);
      }
    }
  }

  private int read(long page, int entry, int index, BatchReader reader) {
    try {
      if (entry < 0) {
        return 0;
      }
      MemorySegment pages = tree.pages;
      long slot = PageLayout.slot(pages, page, entry);
      if (PageLayout.isValueInChain(pages, slot)) {
        tree.readValue(
            page,
            entry,
            (piece, from, bytes, position, total) ->
                reader.read(index, piece, from, bytes, position, total));
      } else {
        int bytes = PageLayout.valueBytes(pages, slot);
        reader.read(index, tree.readable, PageLayout.valueAt(pages, page, slot), bytes, 0, bytes);
      }
      return 1;
    } finally {
      tree.store.unpin(page, false);
    }
  }
}
