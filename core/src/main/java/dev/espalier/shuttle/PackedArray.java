// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import dev.espalier.IndexOptions;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Region;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/**
 * A packed memory array of nodes and chunks: they lie in their order in one memory, with gaps into
 * which others are inserted. Where a gap is too small, the smallest aligned window around it that
 * is not too dense is spread evenly.
 */
final class PackedArray {
  /* Overview
   *
   * Windows are runs of SEGMENT_LINES * 2^l lines, aligned. What reaches over a window's border stays
   * where it is, and the window ends there. A window may be full at l = 0; the whole array may be so
   * full as MOST_DENSITY says; between them thresholds fall evenly. Where that is exceeded the array
   * doubles, or if the memory limit does not let it, gets denser.
   */

  /** Lines of the smallest window: a page, and several nodes of the default geometry. */
  static final int SEGMENT_LINES = 64;

  /** Sixteenths of all lines that elements fill before the array grows: 3/4, as usual for PMAs. */
  private static final int MOST_DENSITY = 12;

  /** The same where the memory limit forbids growing: windows would become ever larger beyond. */
  private static final int LIMIT_DENSITY = 15;

  /** The same after a bulkload: between growths, on average, so that inserts find gaps. */
  private static final int BUILT_DENSITY = 9;

  private static final int SIXTEENTHS = 16;

  /** Lines of an empty tree's array, or those of one leaf where that is more. */
  private static final int LEAST_LINES = 32;

  /** What begins here is no element: reference 0 is none. */
  private static final long FIRST_OFFSET = CacheLine.BYTES;

  private final ShuttleLayout layout;
  private final IndexOptions options;
  private final MemoryBudget budget;
  private Region region;

  /** The elements; another memory after the array has grown. */
  MemorySegment nodes;

  /** Address of the memory's first byte, for prefetching. */
  long base;

  /** Lines that there are, that before the first element included. */
  long capacity;

  /** Lines of the elements. */
  long used;

  long elements;

  /** The first and the last element in memory, 0 for none. */
  long first;

  long last;

  /** The tree's root, which is in no element's header. */
  long root;

  /** Nodes by height that whoever changes the tree works on: followed when they move. */
  final long[] path = new long[BufferSchedule.MAX_HEIGHT + 2];

  /** The elements that are being moved. */
  private final Relocation moves;

  /** Whether elements are kept together when the array grows: while it is filled at its end. */
  boolean packs;

  /** The neighbours of the element inserted last. */
  private long newNext;

  private long newPrevious;

  /** Elements moved within the array or to a larger one, since the index was made. */
  long moved;

  /** Windows spread, not counting growth of the whole. */
  long rebalances;

  PackedArray(ShuttleLayout layout, IndexOptions options, MemoryBudget budget) {
    this.layout = layout;
    this.options = options;
    this.budget = budget;
    this.moves = new Relocation(layout);
    long lines = Math.max(LEAST_LINES, layout.leafLines + 1L);
    budget.check(lines << CacheLine.SHIFT);
    use(Region.small(lines << CacheLine.SHIFT), lines);
  }

  private void use(Region taken, long lines) {
    region = taken;
    nodes = taken.segment();
    base = nodes.address();
    capacity = lines;
    budget.count(lines << CacheLine.SHIFT);
  }

  /** Lets growth take no memory from readers, from now on. */
  void expectReaders() {
    region.expectReaders();
  }

  boolean isClosed() {
    return region.isClosed();
  }

  boolean hasHugePages() {
    return region.hasHugePages();
  }

  /**
   * Gives way to another array, and returns that.
   *
   * @throws IllegalStateException if this was closed; the other one is then closed, too
   */
  PackedArray replacedBy(PackedArray other) {
    region.replacedBy(other.region);
    return other;
  }

  /** Gives the memory back. A second call does nothing. */
  void close() {
    if (!isClosed()) {
      budget.count(-(capacity << CacheLine.SHIFT));
      region.close();
    }
  }

  static ConcurrentModificationException torn() {
    return Torn.torn("nodes are not linked as they must be");
  }

  // ---------------------------------------------------------------- room

  /**
   * Makes sure that elements of so many lines can be inserted.
   *
   * @throws MemoryLimitException if they can't; nothing has changed then
   */
  void ensure(long lines) {
    long needed = used + lines;
    if (needed <= most(capacity, MOST_DENSITY)) {
      return;
    }
    long limit = (budget.left() >>> CacheLine.SHIFT) + capacity;
    long wanted = Math.min(limit, 2 * Math.max(capacity, needed));
    boolean worthIt = wanted >= capacity + capacity / 8;
    if (worthIt && needed <= most(wanted, LIMIT_DENSITY)) {
      grow(wanted);
    } else if (needed > most(capacity, LIMIT_DENSITY)) {
      if (wanted <= capacity || needed > most(wanted, LIMIT_DENSITY)) {
        throw new MemoryLimitException(
            "the index needs "
                + ((needed * SIXTEENTHS / LIMIT_DENSITY + 2) << CacheLine.SHIFT)
                + " bytes of native memory for its array, but "
                + (limit << CacheLine.SHIFT)
                + " are left of its limit");
      }
      grow(wanted);
    }
  }

  private static long most(long capacity, int sixteenths) {
    return (capacity - 1) * sixteenths / SIXTEENTHS;
  }

  /** Moves all to a larger memory, evenly spread. */
  private void grow(long lines) {
    Region larger = take(lines);
    moves.clear();
    for (long at = first; at != 0; at = following(at)) {
      moves.list(at, elements);
    }
    moves.place(nodes, 1, lines, packs);
    redirect(0, 0);
    moves.copyTo(nodes, larger.segment());
    moveInto(larger, lines);
  }

  /**
   * Moves all into a memory that is not larger than need be, in another order.
   *
   * @param kept bytes to be left of the memory limit, if possible
   */
  void reorder(LayoutOrder order, long kept) {
    long limit = ((budget.left() - kept) >> CacheLine.SHIFT) + capacity;
    long lines = Math.min(limit, Math.max(LEAST_LINES, used * SIXTEENTHS / BUILT_DENSITY + 2));
    lines = Math.max(lines, used + 1);
    Region another = take(lines);
    packs = false;
    moves.listOf(order);
    moves.place(nodes, 1, lines, false);
    redirect(0, 0);
    moves.copyTo(nodes, another.segment());
    moveInto(another, lines);
  }

  private void moveInto(Region another, long lines) {
    if (lines > capacity) {
      region.outgrownBy(another);
    } else {
      region.replacedBy(another);
    }
    budget.count(-(capacity << CacheLine.SHIFT));
    use(another, lines);
  }

  private Region take(long lines) {
    long bytes = lines << CacheLine.SHIFT;
    return Region.take(bytes, bytes, bytes, options.hugePages());
  }

  private long bytes(long element) {
    return (long) layout.lines(nodes, element) << CacheLine.SHIFT;
  }

  private long end(long element) {
    return element + bytes(element);
  }

  /** Returns the next element in memory, which must be behind this one. */
  long following(long element) {
    long next = layout.next(nodes, element);
    if (next != 0 && next <= element) {
      throw torn();
    }
    return next;
  }

  private long preceding(long element) {
    long previous = layout.previous(nodes, element);
    if (previous >= element) {
      throw torn();
    }
    return previous;
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts an element of so many lines, for which there is room, behind another, or if that is 0,
   * before all. Others may be moved. Its header is to be written, but for the links.
   */
  long insertAfter(long element, int lines) {
    long from = element == 0 ? FIRST_OFFSET : end(element);
    long next = element == 0 ? first : following(element);
    long to = next == 0 ? capacity << CacheLine.SHIFT : next;
    long bytes = (long) lines << CacheLine.SHIFT;
    if (to - from >= bytes) {
      link(from, element, next);
    } else {
      from = openWindow(element, next, lines);
    }
    used += lines;
    elements++;
    return from;
  }

  private void link(long element, long previous, long next) {
    if (previous == 0) {
      first = element;
    } else {
      layout.next(nodes, previous, element);
    }
    if (next == 0) {
      last = element;
    } else {
      layout.previous(nodes, next, element);
    }
    newNext = next;
    newPrevious = previous;
  }

  /** Writes the links of the element inserted last, whose header was written meanwhile. */
  void linkInserted(long element) {
    layout.next(nodes, element, newNext);
    layout.previous(nodes, element, newPrevious);
  }

  /** Spreads the smallest window that has room for an element between two others. */
  private long openWindow(long before, long after, int lines) {
    long centre = (before == 0 ? FIRST_OFFSET : before) >>> CacheLine.SHIFT;
    int levels = 1;
    while ((long) SEGMENT_LINES << (levels - 1) < capacity) {
      levels++;
    }
    long low = after; // the first element of the window, and the last
    long high = before;
    long sum = lines;
    for (int level = 0; level < levels; level++) {
      long size = (long) SEGMENT_LINES << level;
      long from = Math.max(1, centre & -size);
      long to = Math.min((centre & -size) + size, capacity);
      for (long at = low == 0 ? last : preceding(low);
          at != 0 && at >>> CacheLine.SHIFT >= from; ) {
        if (end(at) >>> CacheLine.SHIFT > to) {
          break; // only the first one tried can reach beyond
        }
        low = at;
        high = Math.max(high, at);
        sum += layout.lines(nodes, at);
        at = preceding(at);
      }
      if (before != 0 && (low == 0 || low > before)) {
        continue;
      }
      for (long at = high == 0 ? first : following(high);
          at != 0 && end(at) >>> CacheLine.SHIFT <= to;
          at = following(at)) {
        high = at;
        low = low == 0 ? at : low;
        sum += layout.lines(nodes, at);
      }
      long outerPrevious = low == 0 ? last : preceding(low);
      long outerNext = high == 0 ? first : following(high);
      if (outerPrevious != 0) {
        from = Math.max(from, end(outerPrevious) >>> CacheLine.SHIFT);
      }
      if (outerNext != 0) {
        to = Math.min(to, outerNext >>> CacheLine.SHIFT);
      }
      if (sum <= threshold(level, levels, to - from)) {
        return spread(low, high, before, lines, from, to);
      }
    }
    throw torn();
  }

  /** Returns how many of so many lines a window may fill. */
  private static long threshold(int level, int levels, long lines) {
    if (level == levels - 1) {
      return lines; // what all may fill, ensure has checked
    }
    return lines - lines * (SIXTEENTHS - MOST_DENSITY) * level / ((levels - 1L) * SIXTEENTHS);
  }

  private long spread(long low, long high, long before, int lines, long from, long to) {
    long outerPrevious = low == 0 ? last : preceding(low);
    long outerNext = high == 0 ? first : following(high);
    moves.clear();
    int hole = 0;
    for (long at = low; at != 0 && at <= high; at = following(at)) {
      moves.list(at, elements);
      if (at == before) {
        hole = moves.count;
      }
    }
    rebalances++;
    long inserted = moves.placeAround(nodes, from, to, hole, lines);
    redirect(outerPrevious, outerNext);
    moves.copyWithin(nodes);
    link(
        inserted,
        hole == 0 ? outerPrevious : moves.target(hole - 1),
        hole == moves.count ? outerNext : moves.target(hole));
    return inserted;
  }

  /**
   * Puts the elements of a run, among which nothing else lies, into another order.
   *
   * @param scratch has room for them
   */
  void permute(LayoutOrder order, MemorySegment scratch) {
    moves.listOf(order);
    long low = order.elements[0];
    long high = low;
    for (int i = 0; i < order.count; i++) {
      low = Math.min(low, order.elements[i]);
      high = Math.max(high, order.elements[i]);
    }
    long outerPrevious = preceding(low);
    long outerNext = following(high);
    moves.place(nodes, low >>> CacheLine.SHIFT, end(high) >>> CacheLine.SHIFT, false);
    redirect(outerPrevious, outerNext);
    moves.copyBy(nodes, scratch);
  }

  // ---------------------------------------------------------------- move

  /** Directs all references to the elements that are about to move to their places. */
  private void redirect(long outerPrevious, long outerNext) {
    int count = moves.count;
    moved += count;
    moves.redirect(nodes, outerPrevious, outerNext);
    for (int height = 0; height < path.length; height++) {
      path[height] = moves.movedTo(nodes, path[height]);
    }
    root = moves.movedTo(nodes, root);
    if (count > 0) {
      if (outerPrevious == 0) {
        first = moves.target(0);
      } else {
        layout.next(nodes, outerPrevious, moves.target(0));
      }
      if (outerNext == 0) {
        last = moves.target(count - 1);
      } else {
        layout.previous(nodes, outerNext, moves.target(count - 1));
      }
    }
  }
}
