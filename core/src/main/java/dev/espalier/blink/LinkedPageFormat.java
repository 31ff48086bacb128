// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.inpage.PageCutPoint;
import dev.espalier.inspect.InvariantViolationException;
import java.lang.foreign.MemorySegment;

/**
 * How the pages of a B-link tree store what they have behind the header that {@link LinkedPage}
 * describes: a leaf its entries; an inner page its children, and between each two of them a
 * separator, the upper bound of the one to the left. The upper bound of the last child is the
 * page's own high key.
 *
 * <p>A format has no state but scratch memory, which it keeps apart for each thread. {@code page}
 * is where a page is pinned, {@code number} which page it is. An entry's <em>place</em> is a number
 * of at least 0 that means something to the format only, and nothing after a change of its page.
 *
 * <p>Of a page that other threads change meanwhile, or that may have made room for another, what is
 * read is nonsense until that is looked at again. So whatever {@link #next}, {@link #child}, {@link
 * #findPlace}, {@link #value}, {@link #count} and the methods of runs read is bounded by the page,
 * without trust in its level or in what else was read of it, and their walks end. All other methods
 * are for the holder of the page's latch.
 */
abstract class LinkedPageFormat {
  final int bytes;

  /** The most entries of a leaf. */
  final int leafCapacity;

  /** The most children of an inner page. */
  final int innerCapacity;

  /** The most entries of a run. */
  final int runCapacity;

  LinkedPageFormat(int bytes, int leafCapacity, int innerCapacity, int runCapacity) {
    this.bytes = bytes;
    this.runCapacity = runCapacity;
    this.leafCapacity = leafCapacity;
    this.innerCapacity = innerCapacity;
  }

  /** Returns a number for this format and its proportions; a store made with another is refused. */
  abstract long stamp();

  final int capacity(int level) {
    return level == 0 ? leafCapacity : innerCapacity;
  }

  /** Returns the count, or the bound that it is beyond. */
  final int count(MemorySegment pages, long page) {
    int most = LinkedPage.level(pages, page) == 0 ? leafCapacity : innerCapacity;
    return Math.clamp(LinkedPage.rawCount(pages, page), 0, most);
  }

  /** Makes an empty page that covers all keys and has no neighbours. */
  abstract void initialize(MemorySegment pages, long page, int number, int level);

  // ---------------------------------------------------------------- search

  /**
   * Returns the page to which the way to a key leads from here, or {@link LinkedPage#HERE}, {@link
   * LinkedPage#GONE} or {@link LinkedPage#ABOVE_THE_ROOT}.
   *
   * @param level that is wanted
   */
  final int next(MemorySegment pages, long page, int number, long key, int level) {
    if (LinkedPage.hasLeft(pages, page)) {
      return LinkedPage.GONE;
    }
    int own = LinkedPage.level(pages, page);
    if (own < level) {
      return LinkedPage.ABOVE_THE_ROOT;
    }
    if (key > LinkedPage.high(pages, page)) {
      return LinkedPage.right(pages, page);
    }
    return own == level ? LinkedPage.HERE : child(pages, page, number, key);
  }

  /** Returns the child of an inner page that leads to a key. */
  abstract int child(MemorySegment pages, long page, int number, long key);

  /** Tells whether a key leads to the first child of an inner page. */
  abstract boolean isFirstChild(MemorySegment pages, long page, int number, long key);

  /** Returns the place of a key in a leaf, or -1 - the place where it belongs. */
  abstract int findPlace(MemorySegment pages, long page, int number, long key);

  abstract long value(MemorySegment pages, long page, int place);

  abstract void value(MemorySegment pages, long page, int place, long value);

  // A run is a part of a leaf whose entries lie together, in order. It is known by a number other
  // than 0 that means something to the format only, while its page does not change.

  /** Returns the run of a leaf where a key is or belongs. */
  abstract int runOf(MemorySegment pages, long page, int number, long key);

  /** Returns the run before another, or 0. */
  abstract int previousRun(MemorySegment pages, long page, int run);

  /** Returns the run behind another, or 0. */
  abstract int nextRun(MemorySegment pages, long page, int run);

  /** Asks for a run that comes next, or 0, if that gains anything. */
  abstract void prefetchRun(MemorySegment pages, long page, int run);

  /** Returns how many entries a run has, {@link #runCapacity} at most. */
  abstract int entriesOf(MemorySegment pages, long page, int run);

  /** Returns where the first key of a run is; the others follow. */
  abstract long keysOf(long page, int run);

  /** Returns where the first value of a run is; the others follow. */
  abstract long valuesOf(long page, int run);

  // ---------------------------------------------------------------- insert

  /** Tells whether an entry finds room in a leaf where its key belongs; if not, it still may. */
  abstract boolean fits(MemorySegment pages, long page, int place);

  /**
   * Inserts an entry into a leaf. Returns false, and changes nothing that counts, if {@link
   * #isFull} says so.
   *
   * @param place where the key belongs
   */
  abstract boolean insert(
      MemorySegment pages, long page, int number, int place, long key, long value);

  /** Tells whether an inner page has a separator. */
  abstract boolean hasSeparator(MemorySegment pages, long page, int number, long separator);

  /**
   * Divides the child of an inner page that a separator leads to: what is above the separator is
   * another's. Returns false, and changes nothing that counts, if {@link #isFull} says so.
   */
  abstract boolean insertChild(
      MemorySegment pages, long page, int number, long separator, int right);

  /** Tells whether a page has to be split before a key or a separator can be inserted. */
  abstract boolean isFull(MemorySegment pages, long page, int number, long key);

  // ---------------------------------------------------------------- split

  /** Tells whether a key is above all of a leaf, or leads to the last child of an inner page. */
  abstract boolean isAtEnd(MemorySegment pages, long page, int number, long key);

  /**
   * Returns the key of an entry, or the upper bound of a child but the last, by its rank from 0.
   */
  abstract long keyOfRank(MemorySegment pages, long page, int rank);

  /** Tells where a full leaf is split into which a key has to go that is not there. */
  PageCutPoint cutPoint(MemorySegment pages, long page, int number, long key) {
    return PageCutPoint.middle(count(pages, page));
  }

  /**
   * Copies what a page has from a rank on to another of its level, which is empty.
   *
   * @param isPacked whether to leave room at one place of a leaf rather than everywhere
   */
  abstract void copyUpper(
      MemorySegment pages, long page, int from, long other, int otherNumber, boolean isPacked);

  /**
   * Lets a page keep what it has below a rank.
   *
   * @param isPacked as in {@link #copyUpper}
   */
  abstract void keepLower(MemorySegment pages, long page, int number, int end, boolean isPacked);

  // ---------------------------------------------------------------- delete

  /** Removes an entry of a leaf. */
  abstract void remove(MemorySegment pages, long page, int place);

  /**
   * Removes the child of an inner page that a key leads to, and the separator to its left, or to
   * its right if the child is the first.
   */
  abstract void removeChild(MemorySegment pages, long page, int number, long key);

  // ---------------------------------------------------------------- the whole

  /**
   * Takes all out of a page in order.
   *
   * @param keys for those of the entries, or for the separators, which are one less than the
   *     children
   * @param payloads for values or children
   * @return how many payloads
   */
  abstract int load(MemorySegment pages, long page, long[] keys, long[] payloads);

  /** Fills a page that {@link #initialize} has made, with what {@link #load} takes out. */
  abstract void store(
      MemorySegment pages, long page, int number, long[] keys, long[] payloads, int count);

  /**
   * Checks what the format has invariants of its own for. Survives any damage.
   *
   * @throws InvariantViolationException if one does not hold
   */
  abstract void verify(MemorySegment pages, long page, int number);
}
