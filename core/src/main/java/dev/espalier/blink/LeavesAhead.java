// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.support.AskedAhead;
import dev.espalier.support.CursorMemory;
import java.lang.foreign.MemorySegment;

/**
 * The leaves that a scan asks for ahead, in a file: it begins when it comes to a leaf that is not
 * in memory, and asks for several at a time, as far as they have the same parent.
 *
 * <p>It goes by a copy of the page above the leaves. That may be out of date, and a leaf have left
 * the tree: then a page is asked for in vain, or not asked for.
 */
final class LeavesAhead {
  private final BLinkStructure tree;
  private final PageStore store;
  private final LinkedPageFormat format;
  private final AskedAhead asked = new AskedAhead();

  /** Where scans to the right end, if that is known. */
  private boolean hasEnd;

  private long end;

  /** Where the scan goes: 1, -1, or 0 before its first step from leaf to leaf. */
  private int direction;

  /** Whether the scan has gone through a whole leaf, so that it may go on to many. */
  private boolean isLong;

  /** Whether the page above could not be read; whoever needs it will say why. */
  private boolean hasFailed;

  /** The children of the page above, 0 before it was copied. */
  private int children;

  private MemorySegment image = MemorySegment.NULL;

  /** The upper bound of each child. */
  private long[] bounds = {};

  private long[] pages = {};

  /** The furthest child that was asked for. */
  private int edge;

  LeavesAhead(BLinkStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
  }

  /** Asks for nothing behind a key in scans to come. */
  void scanTo(long key) {
    hasEnd = true;
    end = key;
    restart();
  }

  /** Begins a scan elsewhere. */
  void restart() {
    direction = 0;
  }

  /**
   * Asks for leaves ahead when a scan leaves one for the next; within an operation.
   *
   * @param key from which on, or down to which, the scan goes on
   * @param next the leaf that it goes to
   * @param goes 1 or -1
   */
  void step(long key, int next, int goes) {
    if (direction != goes) {
      direction = goes;
      isLong = false;
      hasFailed = false;
      children = 0;
      asked.restart();
    }
    if (children > 0 || begins(next)) {
      askFrom(key);
    }
    isLong = true;
  }

  private boolean begins(int next) {
    boolean mayGoOn = isLong || (hasEnd && direction > 0);
    return mayGoOn && !hasFailed && store.look(next) < 0;
  }

  private void askFrom(long key) {
    int child = childOf(key);
    if (child == children || (direction < 0 && child == 0)) {
      copyParent(key);
      if (children == 0) {
        return;
      }
      child = childOf(key);
      edge = child;
    }
    edge = direction > 0 ? Math.max(edge, child) : Math.min(edge, child);
    int last = direction < 0 ? 0 : hasEnd ? childOf(end) : children - 1;
    int wanted = asked.wanted();
    int passed = Math.min((Math.min(last, children - 1) - edge) * direction, wanted);
    if (passed <= 0) {
      return;
    }
    asked.asked(passed);
    int count = 0;
    for (int i = 0; i < passed; i++) {
      edge += direction;
      int page = (int) pages[edge];
      if (store.look(page) < 0) {
        asked.pages[count++] = page;
      }
    }
    if (count > 0) {
      store.readAhead(asked.pages, 0, count);
    }
  }

  /** Returns the child that leads to a key, or how many there are if the key is behind all. */
  private int childOf(long key) {
    int low = 0;
    int high = children;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bounds[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // ---------------------------------------------------------------- the page above

  /** Copies what the page above the leaf of a key says, or that there are no children. */
  private void copyParent(long key) {
    children = 0;
    if (image.byteSize() == 0) {
      image = CursorMemory.allocate(format.bytes);
      bounds = new long[format.innerCapacity];
      pages = new long[format.innerCapacity];
    }
    try {
      int page = tree.find(1, key);
      if (page != 0) {
        copy(page);
        load(page);
      }
    } catch (RuntimeException _) {
      hasFailed = true; // A hint fails nobody: the leaf itself may be sound.
    }
  }

  private void copy(int page) {
    long at = store.pin(page);
    try {
      long version;
      do {
        version = tree.latches.version(page);
        Words.copy(tree.pages, at, image, 0, format.bytes);
      } while (!tree.latches.isStill(page, version));
    } finally {
      store.unpin(at, false);
    }
  }

  private void load(int page) {
    int count = LinkedPage.rawCount(image, 0);
    boolean isParent =
        LinkedPage.level(image, 0) == 1
            && !LinkedPage.hasLeft(image, 0)
            && count > 0
            && count <= format.innerCapacity;
    if (!isParent) {
      throw new InvariantViolationException("I4", "page " + page + " is not above a leaf");
    }
    format.verify(image, 0, page);
    format.load(image, 0, bounds, pages);
    bounds[count - 1] = LinkedPage.high(image, 0);
    children = count;
  }
}
