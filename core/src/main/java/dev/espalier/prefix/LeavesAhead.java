// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.PageStore;
import dev.espalier.support.AskedAhead;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The leaves that a scan of a tree for many threads asks for ahead, in a file: it begins when it
 * comes to a leaf that is not in memory, and asks for several at a time, as far as they have the
 * same parent.
 */
final class LeavesAhead {
  private final PrefixStructure tree;
  private final PageStore store;
  private final AskedAhead asked = new AskedAhead();

  /** Where scans end. */
  private @Nullable MemorySegment end;

  /** Direction of the leaves asked for so far: 1, -1, or 0 for none. */
  private int side;

  /** The parent of the furthest leaf asked for, and the entry of it that leads there. */
  private int parent;

  private int entry;

  /** Leaves that are to be asked for. */
  private int count;

  LeavesAhead(PrefixStructure tree) {
    this.tree = tree;
    this.store = tree.store;
  }

  /** Asks for nothing behind a key in scans to come. */
  void scanTo(MemorySegment key) {
    end = MemorySegment.ofArray(key.toArray(ValueLayout.JAVA_BYTE));
    restart();
  }

  /** Begins a scan elsewhere. */
  void restart() {
    side = 0;
  }

  /**
   * Notes which leaves are to be asked for, in the page above them, which others may change: then
   * {@link #ask} is not called.
   *
   * @param page the page above, which is at {@code at}
   * @param next the entry of it that the scan goes to
   * @param goes 1 or -1
   */
  void note(int page, long at, int next, int goes, PrefixStructure.Guard guard) {
    count = 0;
    if (store.pagesStay()) {
      return;
    }
    if (side != goes) {
      if (store.look(PageLayout.child(tree.pages, at, next)) >= 0) {
        side = 0;
        return;
      }
      asked.restart();
    }
    if (side != goes || parent != page) {
      side = goes;
      parent = page;
      entry = next;
    }
    MemorySegment pages = tree.pages;
    int wanted = asked.wanted();
    if (wanted == 0) {
      return;
    }
    int last = goes < 0 ? 0 : PageLayout.count(pages, at) - 1;
    if (goes > 0 && end != null) {
      int found = tree.search(at, end, guard);
      last = Math.min(last, found >= 0 ? found : Math.max(0, ~found - 1));
    }
    count = Math.min((last - entry) * goes, wanted);
    for (int i = 0; i < count; i++) {
      asked.pages[i] = PageLayout.child(pages, at, entry + (i + 1) * goes);
    }
  }

  /** Asks for the leaves that were noted, within the same operation. */
  void ask() {
    if (count > 0) {
      entry += count * side;
      asked.asked(count);
      int absent = 0;
      for (int i = 0; i < count; i++) {
        if (store.look(asked.pages[i]) < 0) {
          asked.pages[absent++] = asked.pages[i];
        }
      }
      if (absent > 0) {
        store.readAhead(asked.pages, 0, absent);
      }
    }
  }
}
