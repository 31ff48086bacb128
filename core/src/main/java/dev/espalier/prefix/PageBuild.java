// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.KeyOrder;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/** Builds pages of entries of a list, and knows how large they get and where to divide them. */
final class PageBuild {
  private static final int NO_FENCES = PageLayout.NO_LOWER | PageLayout.NO_UPPER;

  private final PageLayout layout;
  private final NewEntry entry = new NewEntry();

  PageBuild(PageLayout layout) {
    this.layout = layout;
  }

  // ---------------------------------------------------------------- fences

  Fence lower(MemorySegment pages, long page) {
    return (PageLayout.flags(pages, page) & PageLayout.NO_LOWER) != 0
        ? Fence.NONE
        : Fence.of(layout.lowerBytes(pages, page));
  }

  Fence upper(MemorySegment pages, long page) {
    return (PageLayout.flags(pages, page) & PageLayout.NO_UPPER) != 0
        ? Fence.NONE
        : Fence.of(layout.upperBytes(pages, page));
  }

  /** Returns what a page keeps of its lower fence, or of its first key if there is none. */
  private byte[] keptLower(EntryList list, int from, int to, int level, Fence lower) {
    int first = level > 0 ? from + 1 : from; // Entry 0 of an inner page has no separator.
    return lower.isThere() || first >= to
        ? lower.bytes()
        : list.beginning(first, layout.fenceBytes);
  }

  /** Returns what a page keeps of its upper fence, or of its last key if there is none. */
  private byte[] keptUpper(EntryList list, int from, int to, int level, Fence upper) {
    int first = level > 0 ? from + 1 : from;
    return upper.isThere() || first >= to
        ? upper.bytes()
        : list.beginning(to - 1, layout.fenceBytes);
  }

  // ---------------------------------------------------------------- build

  /** Returns the bytes of a page with entries of a list. */
  int bytes(EntryList list, int from, int to, int level, Fence lower, Fence upper) {
    byte[] keptLower = keptLower(list, from, to, level, lower);
    byte[] keptUpper = keptUpper(list, from, to, level, upper);
    int prefix = Fence.common(keptLower, keptUpper);
    int bytes = PageLayout.fixedBytes(to - from, level > 0) + keptLower.length + keptUpper.length;
    for (int i = from; i < to; i++) {
      // The first entry of an inner page has no separator.
      bytes += level > 0 && i == from ? 0 : list.recordBytes(i, prefix);
    }
    return bytes;
  }

  boolean fits(EntryList list, int from, int to, int level, Fence lower, Fence upper) {
    return bytes(list, from, to, level, lower, upper) <= layout.pageBytes;
  }

  /** Writes a page anew, with entries of a list. */
  void build(
      MemorySegment pages,
      long page,
      EntryList list,
      int from,
      int to,
      int level,
      Fence lower,
      Fence upper) {
    byte[] keptLower = keptLower(list, from, to, level, lower);
    byte[] keptUpper = keptUpper(list, from, to, level, upper);
    int prefix = Fence.common(keptLower, keptUpper);
    int flags =
        (lower.isThere() ? 0 : PageLayout.NO_LOWER) | (upper.isThere() ? 0 : PageLayout.NO_UPPER);
    layout.begin(pages, page, level, flags, prefix, keptLower, keptUpper);
    for (int i = from; i < to; i++) {
      list.to(i, entry);
      if (level > 0 && i == from) {
        // A remainder of length 0 is not above any other.
        entry.keyBytes = prefix;
        entry.keyChain = 0;
      }
      insert(pages, page, i - from, entry);
    }
  }

  /** Returns whether an entry fits between arrays and records, as they are. */
  boolean hasRoom(MemorySegment pages, long page, NewEntry added) {
    int prefix = PageLayout.prefix(pages, page);
    int count = PageLayout.count(pages, page) + 1;
    boolean isInner = PageLayout.isInner(pages, page);
    return PageLayout.fixedBytes(count, isInner) + added.recordBytes(prefix)
        <= PageLayout.top(pages, page);
  }

  /** Inserts an entry for which there is room. */
  void insert(MemorySegment pages, long page, int i, NewEntry added) {
    int prefix = PageLayout.prefix(pages, page);
    int bytes = added.recordBytes(prefix);
    int offset = PageLayout.top(pages, page) - bytes;
    added.insert(pages, page, i, prefix, offset);
    PageLayout.top(pages, page, offset);
    PageLayout.live(pages, page, PageLayout.live(pages, page) + bytes);
  }

  /**
   * Removes some entries of a page, which keeps its fences. A page that lacks both, the only leaf,
   * begins anew once it is empty: what it keeps of keys that it had is of no use.
   */
  void remove(MemorySegment pages, long page, int from, int to) {
    int bytes = 0;
    for (int i = from; i < to; i++) {
      bytes += PageLayout.recordBytes(pages, PageLayout.slot(pages, page, i));
    }
    PageLayout.live(pages, page, PageLayout.live(pages, page) - bytes);
    PageLayout.removeSlots(pages, page, from, to);
    if (PageLayout.count(pages, page) == 0 && PageLayout.flags(pages, page) == NO_FENCES) {
      build(pages, page, new EntryList(), 0, 0, 0, Fence.NONE, Fence.NONE);
    }
  }

  // ---------------------------------------------------------------- split

  /** Returns what a page keeps of the separator between two entries, as a fence. */
  Fence fence(EntryList list, int right, int level) {
    return Fence.of(
        list.beginning(right, Math.min(layout.fenceBytes, separatorBytes(list, right, level))));
  }

  /**
   * Returns the length of the shortest separator below an entry, or more than a page has of it if
   * that is in chains.
   */
  int separatorBytes(EntryList list, int right, int level) {
    if (level > 0) {
      return list.keyLength(right);
    }
    return list.common(right - 1, right) + 1;
  }

  private boolean fitsSplit(EntryList list, int right, int level, Fence lower, Fence upper) {
    Fence middle = fence(list, right, level);
    return fits(list, 0, right, level, lower, middle)
        && fits(list, right, list.count, level, middle, upper);
  }

  /**
   * Returns the first entry of the right page when a list is divided into two.
   *
   * @param appends whether the list was added to at the end of the tree, where the left page had
   *     better be full
   */
  int split(EntryList list, int level, Fence lower, Fence upper, boolean appends) {
    int count = list.count;
    if (appends) {
      for (int right = count - 1; right > count / 2; right--) {
        if (fitsSplit(list, right, level, lower, upper)) {
          return right;
        }
      }
    }
    int[] left = new int[count];
    int sum = 0;
    for (int i = 0; i < count; i++) {
      left[i] = sum + PageLayout.fixedBytes(i, level > 0);
      sum += list.recordBytes(i, 0);
    }
    int half = (sum + PageLayout.fixedBytes(count, level > 0)) / 2;
    boolean[] refused = new boolean[count];
    for (int window = layout.pageBytes / 8; ; window = Integer.MAX_VALUE) {
      for (int best = best(list, level, left, half, window, refused);
          best > 0;
          best = best(list, level, left, half, window, refused)) {
        if (fitsSplit(list, best, level, lower, upper)) {
          return best;
        }
        refused[best] = true;
      }
      if (window == Integer.MAX_VALUE) {
        throw new IllegalStateException(
            count + " entries of level " + level + " do not fit into two pages");
      }
    }
  }

  /** Returns the shortest separator near the middle, of several the one nearest to it; or 0. */
  private int best(EntryList list, int level, int[] left, int half, int window, boolean[] refused) {
    int best = 0;
    long least = Long.MAX_VALUE;
    for (int right = 1; right < list.count; right++) {
      int off = Math.abs(left[right] - half);
      if (refused[right] || off > window) {
        continue;
      }
      // Beyond the window only the middle counts.
      long length = window == Integer.MAX_VALUE ? 0 : separatorBytes(list, right, level);
      long weight = length << 32 | off;
      if (weight < least) {
        least = weight;
        best = right;
      }
    }
    return best;
  }

  /**
   * Returns whether a key, for which a page is the right one, begins with its prefix: all do but
   * where the page is at an edge, and has its prefix of its own keys.
   */
  boolean hasPrefix(MemorySegment pages, long page, MemorySegment key, int length) {
    return PageLayout.flags(pages, page) == 0 || prefixOrder(pages, page, key, 0, length) == 0;
  }

  /**
   * Compares a key, which is {@code length} bytes from {@code start}, with the prefix of a page: 0
   * if it begins with it.
   */
  int prefixOrder(MemorySegment pages, long page, MemorySegment key, long start, int length) {
    int prefix = PageLayout.prefix(pages, page);
    if (prefix == 0) {
      return 0;
    }
    int common = Math.min(prefix, length);
    int order = KeyOrder.compare(key, start, pages, layout.prefixAt(pages, page), common);
    return order != 0 ? order : common < prefix ? -1 : 0;
  }

  /** Returns how full a page is, in what a page of this kind could have of such entries. */
  int capacity(MemorySegment pages, long page) {
    int count = PageLayout.count(pages, page);
    return (int) Math.max(count, (long) count * layout.pageBytes / layout.usedBytes(pages, page));
  }

  /** Returns the number of heads in use and the padding behind them. */
  static boolean isPadded(MemorySegment pages, long page) {
    int count = PageLayout.count(pages, page);
    for (int i = count; i < PageLayout.cap(count); i++) {
      if (PageLayout.head(pages, page, i) != Keys.PADDING) {
        return false;
      }
    }
    return true;
  }
}
