// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.inpage.PageCutPoint;
import dev.espalier.inpage.PageScratch;
import dev.espalier.inspect.InvariantViolationException;
import java.lang.foreign.MemorySegment;

/**
 * How a page keeps its entries: what differs between the trees whose nodes are pages. To the tree
 * of pages above it, {@link PagedStructure}, a page is a sorted map from keys to payloads: in a
 * leaf page to values, in an inner page to the numbers of its children, whose keys are upper
 * bounds.
 *
 * <p>An entry's <em>place</em> is an int that means something to the format only, and only until
 * the page is changed; {@link #NONE} is none. {@code page} is the place of a page that is pinned,
 * in the memory {@code pages}. What changes a page takes the writer's {@link PageScratch}; a format
 * itself never changes. All of this is off the hot paths: what is hot is written out in the trees.
 */
abstract class PageFormat {
  /** The place of no entry. */
  static final int NONE = -1;

  final int pageBytes;

  /** Most entries of a leaf page. */
  final int leafCapacity;

  /** Most children of an inner page, three at least. */
  final int innerCapacity;

  PageFormat(int pageBytes, int leafCapacity, int innerCapacity) {
    if (innerCapacity < 3 || leafCapacity < 2) {
      throw new IllegalArgumentException(
          "pageBytes is %d; a page would hold %d children or %d entries, but needs 3 and 2"
              .formatted(pageBytes, innerCapacity, leafCapacity));
    }
    this.pageBytes = pageBytes;
    this.leafCapacity = leafCapacity;
    this.innerCapacity = innerCapacity;
  }

  /** Returns a number for this format and its proportions: a store made by another is refused. */
  abstract long stamp();

  /** Returns the memory that a writer needs for {@link #insert} and its like. */
  PageScratch newScratch() {
    return new PageScratch(2 * Math.max(leafCapacity, innerCapacity), 0, 0);
  }

  final int capacity(MemorySegment pages, long page) {
    return PageHeader.isLeaf(pages, page) ? leafCapacity : innerCapacity;
  }

  /** Makes an empty page of a level. */
  abstract void initialize(
      PageScratch scratch, MemorySegment pages, long page, int number, int level);

  // ---------------------------------------------------------------- search

  /** Returns the first entry whose key is not below {@code key}. */
  abstract int lowerBound(MemorySegment pages, long page, long key);

  abstract int firstPlace(MemorySegment pages, long page);

  abstract int lastPlace(MemorySegment pages, long page);

  abstract int nextPlace(MemorySegment pages, long page, int place);

  abstract int previousPlace(MemorySegment pages, long page, int place);

  abstract long key(MemorySegment pages, long page, int place);

  /** Returns the value of an entry of a leaf page, or the number of a child. */
  abstract long payload(MemorySegment pages, long page, int place);

  abstract void payload(MemorySegment pages, long page, int place, long payload);

  final int child(MemorySegment pages, long page, int place) {
    return (int) payload(pages, page, place);
  }

  // ---------------------------------------------------------------- change

  /**
   * Tells whether an insert might not find room. If not, {@link #insert} succeeds wherever the key
   * belongs.
   */
  abstract boolean mayOverflow(MemorySegment pages, long page);

  /**
   * Inserts an entry whose key is not there yet and counts it. Returns false, and changes nothing,
   * if the page has to be split.
   */
  abstract boolean insert(
      PageScratch scratch, MemorySegment pages, long page, long key, long payload);

  /** Removes an entry and counts it. */
  abstract void remove(PageScratch scratch, MemorySegment pages, long page, int place);

  /**
   * Copies all entries out, in order, from slot {@code to} of the arrays on.
   *
   * @return how many
   */
  abstract int load(MemorySegment pages, long page, long[] keys, long[] payloads, int to);

  /**
   * Gives an empty page, or one whose entries are no longer needed, {@code count} entries from
   * {@code from} on, and the count. Level and neighbours stay. {@code count} is at most the
   * capacity; a leaf page is arranged so that inserts anywhere find room.
   */
  abstract void store(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count);

  /** Tells where a leaf page is split in which a key, which is not there, finds no room. */
  PageCutPoint cutPoint(PageScratch scratch, MemorySegment pages, long page, long key) {
    return PageCutPoint.middle(PageHeader.checkedCount(pages, page, leafCapacity));
  }

  /** Notes for a page that it takes over entries of another. */
  void copyRecent(MemorySegment pages, long page, long to) {}

  /** Notes the inserts of keys that were stored in a leaf page with others. */
  void noteInserts(MemorySegment pages, long page, long[] keys, int from, int count) {}

  /** As {@link #store}, but where entries come to one end of a page. */
  void storePacked(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count) {
    store(scratch, pages, page, keys, payloads, from, count);
  }

  /**
   * Moves the entries behind the first {@code kept} to a page of the same level that is empty, and
   * counts those of both.
   *
   * @param isPacked whether to leave room at one place of a leaf page rather than everywhere
   */
  void moveUpper(
      PageScratch scratch, MemorySegment pages, long page, long to, int kept, boolean isPacked) {
    long[] keys = scratch.keys();
    long[] payloads = scratch.payloads();
    int count = load(pages, page, keys, payloads, 0);
    if (isPacked) {
      storePacked(scratch, pages, to, keys, payloads, kept, count - kept);
    } else {
      store(scratch, pages, to, keys, payloads, kept, count - kept);
    }
    copyRecent(pages, page, to);
    if (kept < count && isPacked) {
      storePacked(scratch, pages, page, keys, payloads, 0, kept);
    } else if (kept < count) {
      store(scratch, pages, page, keys, payloads, 0, kept);
    }
  }

  // ---------------------------------------------------------------- range scan
  // The entries of a leaf page are one or more runs, in each of which they lie together. A run is
  // known by an int that means something to the format only. Only an empty page has an empty run,
  // but for those that runOf may return.

  /** Returns the run where {@code key} is or belongs. */
  abstract int runOf(MemorySegment pages, long page, long key);

  abstract int firstRun(MemorySegment pages, long page);

  abstract int lastRun(MemorySegment pages, long page);

  /** Returns the run after this one that is not empty, or {@link #NONE}. */
  abstract int nextRun(MemorySegment pages, long page, int run);

  /** Returns the run before this one that is not empty, or {@link #NONE}. */
  abstract int previousRun(MemorySegment pages, long page, int run);

  abstract int runCount(MemorySegment pages, long page, int run);

  /** Returns where a run's keys begin, in bytes from the start of the page. */
  abstract int runKeysOffset(int run);

  /** Returns where a run's values begin, in bytes from the start of the page. */
  abstract int runValuesOffset(int run);

  /** Returns a new cursor over the leaf pages of a tree. */
  PagedCursor cursor(PagedStructure tree) {
    return new PagedCursor(tree);
  }

  // ---------------------------------------------------------------- inspect

  /**
   * Checks what the format itself promises of a page whose header is in order. It follows no offset
   * that it has not checked, and ends on any damage. Afterwards {@link #load} can do no harm.
   *
   * @param number of the page, for messages
   */
  abstract void verify(MemorySegment pages, long page, int number)
      throws InvariantViolationException;
}
