// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.KeyOrder;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.memory.CacheLine;
import dev.espalier.prefix.PrefixStructure.Guard;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keys that are searched together, each in a page of its own. Lines that the searches need next are
 * read for all of them before the first is searched.
 */
final class PrefixGroup {
  /** The page of each key: its number, or where it is while it is pinned. */
  final long[] pages;

  private final PrefixStructure tree;
  private final PackedBytes keys;
  private final MemorySegment bytes;

  /** Where each key begins and how long it is. */
  private final long[] starts;

  private final int[] lengths;
  private int count;

  /** The header of each key's page. */
  private final long[] headers;

  /** The entries among which each key may be are from {@code low} to {@code high - 1}. */
  private final int[] low;

  private final int[] high;

  /** The entry that has each key, or {@code ~} of where it belongs. */
  private final int[] entries;

  /** The keys whose heads are in their pages. */
  private final int[] tied;

  /** Offsets of what is to be read. */
  private final long[] lines;

  private int lineCount;

  /** The key whose page is searched, and what knows whether others have changed that. */
  private int searched;

  private final @Nullable Guard guard;

  PrefixGroup(PrefixStructure tree, PackedBytes keys, int most) {
    this(tree, keys, most, null);
  }

  /**
   * Makes a group in whose pages others may write.
   *
   * @param check makes sure, for the key of an index, that its page is what it was
   */
  PrefixGroup(PrefixStructure tree, PackedBytes keys, int most, @Nullable IntConsumer check) {
    this.guard = check == null ? null : () -> check.accept(searched);
    this.tree = tree;
    this.keys = keys;
    this.bytes = keys.bytes();
    pages = new long[most];
    starts = new long[most];
    lengths = new int[most];
    headers = new long[most];
    low = new int[most];
    high = new int[most];
    entries = new int[most];
    tied = new int[most];
    lines = new long[most * PrefixStructure.PARTS];
  }

  /** Takes keys of the batch. */
  void begin(int from, int count) {
    this.count = count;
    lineCount = 0; // What was noted is nonsense if the search of the keys before has failed.
    for (int i = 0; i < count; i++) {
      lengths[i] = (int) keys.get(from + i).byteSize(); // One that is too long is absent.
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
    int ties = 0;
    for (int i = 0; i < count; i++) {
      if (searchHeads(i)) {
        tied[ties++] = i;
        addSlots(i);
      }
    }
    touch();
    for (int k = 0; k < ties; k++) {
      addRecords(tied[k]);
    }
    touch();
    for (int k = 0; k < ties; k++) {
      int i = tied[k];
      searched = i;
      entries[i] =
          tree.searchTies(
              pages[i], headers[i], bytes, starts[i], lengths[i], low[i], high[i], guard);
    }
  }

  /** Searches the heads of a page; tells whether records have to be compared as well. */
  private boolean searchHeads(int i) {
    MemorySegment memory = tree.pages;
    long page = pages[i];
    long header = PageLayout.header(memory, page);
    headers[i] = header;
    int all = PageLayout.countOf(header);
    int prefix = PageLayout.prefixOf(header);
    if (prefix > 0 && PageLayout.flagsOf(header) != 0) {
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

  private long slotOf(int i, int entry) {
    return PageLayout.slots(headers[i], pages[i]) + (long) PageLayout.SLOT_BYTES * entry;
  }

  // ---------------------------------------------------------------- read ahead

  /** Notes the slots of the entries that the search among those of the same head begins with. */
  private void addSlots(int i) {
    int step = PrefixStructure.step(low[i], high[i]);
    long last = -1;
    for (int entry = low[i] + step - 1; entry < high[i]; entry += step) {
      long line = slotOf(i, entry) >>> CacheLine.SHIFT;
      if (line != last) {
        lines[lineCount++] = line << CacheLine.SHIFT;
        last = line;
      }
    }
  }

  /** Notes the records of the same entries. */
  private void addRecords(int i) {
    int step = PrefixStructure.step(low[i], high[i]);
    for (int entry = low[i] + step - 1; entry < high[i]; entry += step) {
      lines[lineCount++] = PageLayout.record(tree.pages, pages[i], slotOf(i, entry));
    }
  }

  /** Returns where the slot of the entry is that has key {@code i}. */
  long slotOf(int i) {
    return slotOf(i, entries[i]);
  }

  /** Reads the beginnings of the values that were found. */
  void touchValues() {
    MemorySegment memory = tree.pages;
    for (int i = 0; i < count; i++) {
      if (entries[i] >= 0) {
        long slot = slotOf(i, entries[i]);
        if (PageLayout.valueBytes(memory, slot) > 0) { // Else it may be behind all pages.
          lines[lineCount++] = PageLayout.valueAt(memory, pages[i], slot);
        }
      }
    }
    touch();
  }

  private void touch() {
    PageKeys.touch(tree.pages, lines, lineCount, 1);
    lineCount = 0;
  }
}
