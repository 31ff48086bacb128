// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.KeyOrder;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;

/**
 * Keys that are searched together, each in a page of its own. Where several entries have the head
 * of a key, the binary searches among them take each step together: the records of all of them are
 * asked for by one call, then compared.
 */
final class PrefixGroup {
  /** Most lines of slots that are asked for at once for one key. */
  private static final int SLOT_LINES = 8;

  /** The page of each key: its number, or where it is while it is pinned. */
  final long[] pages;

  private final PrefixStructure tree;
  private final PackedBytes keys;
  private final MemorySegment bytes;

  /** Where each key begins and how long it is. */
  private final long[] starts;

  private final int[] lengths;
  private int count;

  /** Where the slots of each key's page begin. */
  private final long[] slots;

  /** The entries among which each key may be are from {@code low} to {@code high - 1}. */
  private final int[] low;

  private final int[] high;

  /** The entry that has each key, or {@code ~} of where it belongs. */
  private final int[] entries;

  /** The keys that are not at the end of their search. */
  private final int[] open;

  /** Offsets of lines to ask for. */
  private final long[] lines;

  private int lineCount;

  PrefixGroup(PrefixStructure tree, PackedBytes keys, int most) {
    this.tree = tree;
    this.keys = keys;
    this.bytes = keys.bytes();
    pages = new long[most];
    starts = new long[most];
    lengths = new int[most];
    slots = new long[most];
    low = new int[most];
    high = new int[most];
    entries = new int[most];
    open = new int[most];
    lines = new long[most * SLOT_LINES];
  }

  /** Takes keys of the batch. */
  void begin(int from, int count) {
    this.count = count;
    for (int i = 0; i < count; i++) {
      lengths[i] = PrefixBPlusTree.checkKey(keys.get(from + i));
      starts[i] = keys.start(from + i);
    }
  }

  /** Returns the entry that has key {@code i}, or {@code ~} of where it belongs. */
  int entry(int i) {
    return entries[i];
  }

  /** Returns the child of its inner page that leads to key {@code i}. */
  int child(int i) {
    int found = entries[i];
    return PageLayout.child(tree.pages, pages[i], found >= 0 ? found : Math.max(0, ~found - 1));
  }

  /** Searches the page of each key. */
  void search() {
    int left = 0;
    lineCount = 0;
    for (int i = 0; i < count; i++) {
      if (searchHeads(i)) {
        open[left++] = i;
        addSlots(i);
      }
    }
    prefetch();
    while (left > 0) {
      for (int k = 0; k < left; k++) {
        addRecord(open[k]);
      }
      prefetch();
      int stay = 0;
      for (int k = 0; k < left; k++) {
        int i = open[k];
        open[stay] = i;
        stay += step(i) ? 1 : 0;
      }
      left = stay;
    }
  }

  /** Searches the heads of a page; tells whether records have to be compared as well. */
  private boolean searchHeads(int i) {
    MemorySegment memory = tree.pages;
    long page = pages[i];
    int all = PageLayout.count(memory, page);
    int prefix = PageLayout.prefix(memory, page);
    if (prefix > 0 && PageLayout.flags(memory, page) != 0) {
      int order = tree.build.prefixOrder(memory, page, bytes, starts[i], lengths[i]);
      if (order != 0) {
        entries[i] = order < 0 ? ~0 : ~all;
        return false;
      }
    }
    long head = KeyOrder.head(bytes, starts[i] + prefix, lengths[i] - prefix);
    int first = PageKeys.lowerBound(memory, page, all, head);
    int end = PageKeys.endOfHead(memory, page, all, first, head);
    entries[i] = ~first;
    low[i] = first;
    high[i] = end;
    return first < end;
  }

  /** Takes one step of a binary search; tells whether more are to come. */
  private boolean step(int i) {
    int middle = (low[i] + high[i]) >>> 1;
    int order = tree.compare(bytes, starts[i], lengths[i], pages[i], slotOf(i, middle));
    if (order == 0) {
      entries[i] = middle;
      return false;
    }
    if (order < 0) {
      high[i] = middle;
    } else {
      low[i] = middle + 1;
    }
    entries[i] = ~low[i];
    return low[i] < high[i];
  }

  private long slotOf(int i, int entry) {
    return slots[i] + (long) PageLayout.SLOT_BYTES * entry;
  }

  // ---------------------------------------------------------------- prefetch

  /** Notes the slots of the entries among which a key may be. */
  private void addSlots(int i) {
    slots[i] = PageLayout.slot(tree.pages, pages[i], 0);
    long first = slotOf(i, low[i]) >>> CacheLine.SHIFT;
    long last = slotOf(i, high[i] - 1) >>> CacheLine.SHIFT;
    if (last - first >= SLOT_LINES) {
      first = slotOf(i, (low[i] + high[i]) >>> 1) >>> CacheLine.SHIFT;
      last = first;
    }
    for (long line = first; line <= last; line++) {
      lines[lineCount++] = line << CacheLine.SHIFT;
    }
  }

  /** Notes the part of a record that is compared next. */
  private void addRecord(int i) {
    MemorySegment memory = tree.pages;
    long slot = slotOf(i, (low[i] + high[i]) >>> 1);
    long record = PageLayout.record(memory, pages[i], slot);
    int tail = PageLayout.tailBytes(PageLayout.remainder(memory, slot));
    lines[lineCount++] = record;
    if (((record + tail) >>> CacheLine.SHIFT) != (record >>> CacheLine.SHIFT)) {
      lines[lineCount++] = record + CacheLine.BYTES;
    }
  }

  /** Asks for the beginnings of the values that were found. */
  void prefetchValues() {
    MemorySegment memory = tree.pages;
    lineCount = 0;
    for (int i = 0; i < count; i++) {
      if (entries[i] >= 0) {
        lines[lineCount++] = PageLayout.valueAt(memory, pages[i], slotOf(i, entries[i]));
      }
    }
    prefetch();
  }

  private void prefetch() {
    if (lineCount > 0) {
      Words.prefetchGroup(tree.pages.address(), lines, 0, lineCount, 1);
      lineCount = 0;
    }
  }
}
