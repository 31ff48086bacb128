// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.paged.StoredTree;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The leaf pages of a tree whose nodes are pages, found through its map instead of from its root,
 * because what leads to them may be damaged. Each leaf has everything there is to know about its
 * entries, and the map says that it is in use and what was written last.
 */
final class OrphanLeaves implements AutoCloseable {
  private final IndexPages pages;
  private final SlotPageStore store;
  private final LongIndex tree;

  /** Leaf pages that have entries, by their first keys. */
  private final TreeMap<Long, Integer> leaves = new TreeMap<>();

  private int damaged;

  /** Whether all pages in use are known. */
  private final boolean isWhole;

  /** Finds the leaf pages of an index. O(pages). */
  OrphanLeaves(StoreState state, DamagedStore.DamagedIndex index) {
    Catalogue.Entry entry = index.entry();
    // With meta words of its own, to show one leaf after the other as a tree.
    this.pages =
        new IndexPages(
            new Catalogue.Entry(
                entry.id(),
                entry.name(),
                entry.kind(),
                entry.codecs(),
                entry.meta().clone(),
                entry.top(),
                entry.map()),
            index.map());
    this.isWhole = index.isWhole();
    this.store = state.pages(pages);
    try (PageReader reader = new PageReader(state.file, state.pageBytes())) {
      this.tree = state.variant(entry.kind()).open(IndexOptions.DEFAULT, store);
      for (int page = 1; page <= entry.top(); page++) {
        int slot = pages.map.slot(page);
        if (slot > PageMap.UNWRITTEN && !index.found().get(page)) {
          find(reader, page, slot);
        }
      }
    } catch (RuntimeException | Error failed) {
      store.close();
      throw failed;
    }
  }

  private void find(PageReader reader, int page, int slot) {
    try {
      MemorySegment bytes = reader.read(slot, pages.map.checksum(page), page, pages.id);
      if (StoredTree.isLeaf(bytes, 0)) {
        LongCursor cursor = cursor(page);
        if (cursor.next()) {
          leaves.put(cursor.key(), page);
        }
      }
    } catch (RuntimeException unreadable) {
      damaged++;
    }
  }

  private LongCursor cursor(int page) {
    return StoredTree.leafCursor(tree, page);
  }

  /** What the leaf pages have in a range of keys. */
  final class Rescue {
    private final long last;
    private final List<Integer> left;
    private @Nullable LongCursor cursor;
    private long next;
    private boolean isBehind;
    private boolean hasEntries;
    private final List<long[]> gaps = new ArrayList<>();

    private Rescue(long first, long last) {
      this.next = first;
      this.last = last;
      this.left = new ArrayList<>(leaves.subMap(first, true, last, true).values());
      Map.Entry<Long, Integer> before = leaves.lowerEntry(first);
      if (before != null) {
        left.addFirst(before.getValue()); // It may reach into the range.
      }
    }

    /** Moves to the next entry, and returns its cursor; null if there is none. */
    @Nullable LongCursor next() {
      while (!isBehind) {
        LongCursor on = cursor;
        boolean begins = on == null;
        if (on == null) {
          if (left.isEmpty()) {
            break;
          }
          on = cursor(left.removeFirst());
          cursor = on;
        }
        if (move(on, begins)) {
          if (begins) {
            addGap(on.key());
          }
          return found();
        }
        cursor = null;
      }
      if (!isBehind) {
        gaps.add(new long[] {next, last});
        isBehind = true;
      }
      return null;
    }

    /**
     * Moves to the next entry of a page in the range; tells whether there is one. A page whose
     * first key can be read may yet make no sense.
     */
    private boolean move(LongCursor on, boolean begins) {
      try {
        if (!(begins ? on.ceiling(next) : on.next()) || on.key() > last) {
          return false;
        }
        if (on.key() >= next) {
          return true;
        }
        damaged++;
      } catch (RuntimeException unreadable) {
        damaged++;
      }
      return false;
    }

    private LongCursor found() {
      LongCursor on = Objects.requireNonNull(cursor);
      hasEntries = true;
      isBehind = on.key() == last;
      next = isBehind ? last : on.key() + 1;
      return on;
    }

    private void addGap(long key) {
      if (key > next) {
        gaps.add(new long[] {next, key - 1});
      }
    }

    /**
     * Tells whether what was handed out is all that was in the range, because no leaf page is
     * damaged: either no page is damaged, or only one, which led to the leaves that were found
     * here.
     *
     * @param tree whether a tree was read that failed in this range only because of a damaged page
     */
    boolean isAllThereIs(boolean tree) {
      return isWhole && (damaged == 0 || (tree && damaged == 1 && hasEntries));
    }

    /**
     * Returns the ranges, first and last key, in which there was nothing, when all was handed out.
     */
    List<long[]> gaps() {
      return gaps;
    }
  }

  /** Begins to hand out entries, one range after the other. */
  Rescue in(long first, long last) {
    return new Rescue(first, last);
  }

  @Override
  public void close() {
    tree.close();
  }
}
