// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.KeyOrder;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Fills a tree from the left, with one page open on each level. A page is closed where its entries
 * fit exactly, with the prefix that its fences then have in common.
 */
final class PrefixBulkload {
  private static final int REPORT_EVERY = 1 << 12;

  private final PrefixStructure tree;
  private final PageLayout layout;
  private final PageBuild build;

  /** How many bytes of a page to fill. */
  private final int target;

  private PrefixBulkload(PrefixStructure tree, double fillFactor) {
    this.tree = tree;
    this.layout = tree.layout;
    this.build = tree.build;
    this.target = (int) (layout.pageBytes * fillFactor);
  }

  /** Loads all entries into a tree without pages. */
  static void load(
      PrefixStructure tree,
      BytesEntrySource entries,
      double fillFactor,
      long total,
      ProgressListener listener) {
    PrefixBulkload load = new PrefixBulkload(tree, fillFactor);
    Level leaves = load.new Level(0);
    NewEntry entry = new NewEntry();
    byte[] value = new byte[64];
    byte[] before = new byte[64];
    MemorySegment last = MemorySegment.ofArray(before).asSlice(0, 0);
    long loaded = 0;
    while (entries.next()) {
      MemorySegment key = entries.key();
      PrefixBPlusTree.checkKey(key);
      if (loaded > 0 && KeyOrder.compare(key, last) <= 0) {
        throw new IllegalArgumentException(
            "entries are not in ascending key order: the key of entry "
                + loaded
                + " (counted from 0) is not above the one before");
      }
      int bytes = PrefixBPlusTree.checkValue(entries.valueBytes());
      value = bytes <= value.length ? value : new byte[Math.max(bytes, 2 * value.length)];
      MemorySegment copy = MemorySegment.ofArray(value).asSlice(0, bytes);
      entries.value(
          (piece, from, length, position, _) ->
              MemorySegment.copy(piece, from, copy, position, length));
      entry.entry(key, copy, load.layout);
      load.writeChains(entry);
      leaves.add(entry);
      int length = (int) key.byteSize();
      before = length <= before.length ? before : new byte[Math.max(length, 2 * before.length)];
      last = MemorySegment.ofArray(before).asSlice(0, length);
      MemorySegment.copy(key, 0, last, 0, length);
      loaded++;
      if (loaded % REPORT_EVERY == 0) {
        report(listener, loaded, total);
      }
    }
    leaves.finish();
    tree.size.set(loaded);
    report(listener, loaded, total);
  }

  private static void report(ProgressListener listener, long loaded, long total) {
    if (!listener.onProgress(loaded, total)) {
      throw new CancellationException("bulkload cancelled after " + loaded + " entries");
    }
  }

  private void writeChains(NewEntry entry) {
    if (!layout.isInline(entry.keyLength, entry.valueLength)) {
      entry.valueChain = tree.pieces.write(entry.value);
    }
    int rest = entry.keyLength - layout.keyBytes;
    if (rest > 0) {
      entry.keyChain = tree.chain.write(entry.key, layout.keyBytes, rest, tree::allocate);
    }
  }

  /** The open page of a level. */
  private final class Level {
    private final int level;
    private final EntryList list = new EntryList();

    /** What is left of the open page: nothing at first. */
    private NewEntry separator = new NewEntry();

    private Fence lower = Fence.NONE;

    /** Bytes of the records if nothing were cut off. */
    private int uncut;

    private @Nullable Level above;

    Level(int level) {
      this.level = level;
    }

    void add(NewEntry entry) {
      list.insert(list.count, entry);
      uncut += list.recordBytes(list.count - 1, 0);
      while (list.count > 2 && leastBytes() > layout.pageBytes) {
        close(target);
      }
    }

    /** Returns fewer bytes than the page would have, or as many. */
    private int leastBytes() {
      int first = level > 0 ? 1 : 0; // which has a key
      int prefix =
          Fence.common(
              list.beginning(first, layout.fenceBytes),
              list.beginning(list.count - 1, layout.fenceBytes));
      return PageLayout.fixedBytes(list.count, level > 0) + uncut - list.count * prefix;
    }

    private int bytes(int right) {
      return build.bytes(list, 0, right, level, lower, build.fence(list, right, level));
    }

    /** Writes a page with as many of the first entries as fit into so many bytes. */
    private void close(int most) {
      int right = list.count - 1;
      for (int bytes = bytes(right); bytes > most && right > 1; bytes = bytes(right)) {
        right = Math.max(1, Math.min(right - 1, (int) ((long) right * most / bytes)));
      }
      while (right + 1 < list.count && bytes(right + 1) <= most) {
        right++;
      }
      NewEntry next = new NewEntry();
      if (level == 0) {
        Separators.between(tree.chain, layout, list, right, next, tree::allocate);
      } else {
        byte[] key = list.beginning(right, list.keyBytes(right));
        next.separator(MemorySegment.ofArray(key), list.keyLength(right), 0, layout);
        next.keyChain = list.keyChain(right);
      }
      Fence middle = build.fence(list, right, level);
      write(right, middle);
      separator = next;
      lower = middle;
      list.removeUpTo(right);
      if (level > 0) {
        list.removeKey(0);
      }
      uncut = 0;
      for (int i = 0; i < list.count; i++) {
        uncut += list.recordBytes(i, 0);
      }
    }

    private void write(int to, Fence upper) {
      separator.child = tree.allocate();
      long page = tree.store.pinFresh(separator.child);
      build.build(tree.pages, page, list, 0, to, level, lower, upper);
      tree.store.unpin(page, true);
      if (upper.isThere() || above != null) {
        Level parent = above == null ? new Level(level + 1) : above;
        above = parent;
        parent.add(separator);
      }
    }

    /** Writes what is left, and the levels above. */
    void finish() {
      while (!build.fits(list, 0, list.count, level, lower, Fence.NONE)) {
        close(layout.pageBytes);
      }
      write(list.count, Fence.NONE);
      if (above == null) {
        tree.meta[PrefixStructure.ROOT] = separator.child;
        tree.meta[PrefixStructure.HEIGHT] = level + 1L;
      } else {
        above.finish();
      }
    }
  }
}
