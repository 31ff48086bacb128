// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Looks groups of keys up level by level. Each wave asks for what all keys of the group need next
 * before the first of it is read: pages, if they are on a device, and then lines of them: headers
 * with heads, slots, records.
 */
final class PrefixGroupLookup {
  private static final int GROUP = 64;

  private final PrefixStructure tree;
  private final PageSearch search;

  PrefixGroupLookup(PrefixStructure tree) {
    this.tree = tree;
    this.search = tree.search;
  }

  /** Shows the values of the keys that are there; returns how many are. */
  int getAll(PackedBytes keys, BatchReader reader) {
    int most = Math.min(GROUP, tree.store.mostPins() - 1); // A value may have pages of its own.
    Group group = new Group(Math.min(most, keys.count()));
    int found = 0;
    for (int done = 0; done < keys.count(); done += most) {
      int count = Math.min(most, keys.count() - done);
      group.take(keys, done, count);
      found += lookUp(group, done, reader);
    }
    return found;
  }

  private int lookUp(Group group, int done, BatchReader reader) {
    int count = group.count;
    long[] pages = group.pages;
    Arrays.fill(pages, 0, count, tree.root());
    tree.store.pinAll(pages, 0, count);
    int pinned = 0; // pages before it are released
    try {
      for (int level = tree.height() - 1; level > 0; level--) {
        for (pinned = 0; pinned < count; ) {
          int i = pinned++;
          pages[i] = tree.childBelow(pages[i], group.keys, group.from[i], group.length[i]);
        }
        tree.store.pinAll(pages, 0, count);
        pinned = 0;
        Words.prefetchGroup(tree.pages.address(), pages, 0, count, PrefixStructure.FIRST_LINES);
      }
      findRuns(group);
      prefetchRecords(group);
      int found = 0;
      while (pinned < count) {
        int i = pinned++;
        found += read(group, i, done + i, reader);
      }
      return found;
    } finally {
      for (; pinned < count; pinned++) {
        tree.store.unpin(pages[pinned], false);
      }
    }
  }

  private int read(Group group, int i, int index, BatchReader reader) {
    MemorySegment memory = tree.pages;
    long page = group.pages[i];
    long run = group.runs[i];
    try {
      int slot =
          search.searchRun(
              memory,
              page,
              group.keys,
              group.from[i],
              group.length[i],
              PageSearch.first(run),
              PageSearch.end(run));
      if (slot < 0) {
        return 0;
      }
      tree.readValue(page, slot, index, reader);
      return 1;
    } finally {
      tree.store.unpin(page, false);
    }
  }

  /**
   * Searches the heads of leaves, and asks for the slots of entries that have those of the keys.
   */
  private void findRuns(Group group) {
    MemorySegment memory = tree.pages;
    int lines = 0;
    for (int i = 0; i < group.count; i++) {
      long page = group.pages[i];
      long run = search.run(memory, page, group.keys, group.from[i], group.length[i]);
      group.runs[i] = run;
      int first = PageSearch.first(run);
      int end = PageSearch.end(run);
      if (first < end) {
        long slot = PageLayout.slot(memory, page, first);
        long last = slot + (long) PageLayout.SLOT_BYTES * (end - first) - 1;
        for (long line = slot & -CacheLine.BYTES; line <= last; line += CacheLine.BYTES) {
          lines = group.ask(lines, line);
        }
      }
    }
    prefetch(group, lines);
  }

  /** Asks for the records that a search looks at first. */
  private void prefetchRecords(Group group) {
    MemorySegment memory = tree.pages;
    int lines = 0;
    for (int i = 0; i < group.count; i++) {
      long page = group.pages[i];
      int first = PageSearch.first(group.runs[i]);
      int end = PageSearch.end(group.runs[i]);
      if (first == end) {
        continue;
      }
      long slots = PageLayout.slot(memory, page, 0);
      if (end - first <= PageSearch.PARTS) {
        for (int entry = first; entry < end; entry++) {
          lines = askRecord(group, lines, page, slots, entry);
        }
      } else {
        for (int part = 1; part < PageSearch.PARTS; part++) {
          lines = askRecord(group, lines, page, slots, PageSearch.part(first, end, part));
        }
      }
    }
    prefetch(group, lines);
  }

  private int askRecord(Group group, int lines, long page, long slots, int entry) {
    MemorySegment memory = tree.pages;
    long slot = slots + (long) PageLayout.SLOT_BYTES * entry;
    long record = PageLayout.record(memory, page, slot);
    int asked = group.ask(lines, record);
    long end = record + PageLayout.recordBytes(memory, slot) - 1;
    return end >>> CacheLine.SHIFT == record >>> CacheLine.SHIFT ? asked : group.ask(asked, end);
  }

  private void prefetch(Group group, int lines) {
    Words.prefetchGroup(tree.pages.address(), group.lines, 0, lines, 1);
  }

  /** Keys that are looked up together, and what is known of each. */
  private static final class Group {
    MemorySegment keys = MemorySegment.NULL;
    int count;
    final long[] from;
    final int[] length;
    final long[] pages;

    /** Entries of the leaf with the head of the key. */
    final long[] runs;

    /** Offsets of lines that are asked for at once. */
    long[] lines;

    Group(int most) {
      this.from = new long[most];
      this.length = new int[most];
      this.pages = new long[most];
      this.runs = new long[most];
      this.lines = new long[4 * most];
    }

    void take(PackedBytes packed, int first, int newCount) {
      keys = packed.bytes();
      count = newCount;
      for (int i = 0; i < newCount; i++) {
        from[i] = packed.from(first + i);
        length[i] = PrefixBPlusTree.checkKey(packed.length(first + i));
      }
    }

    /** Notes a line, and returns how many there are then. */
    int ask(int asked, long offset) {
      if (asked == lines.length) {
        lines = Arrays.copyOf(lines, 2 * asked);
      }
      lines[asked] = offset;
      return asked + 1;
    }
  }
}
