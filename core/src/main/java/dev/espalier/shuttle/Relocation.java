// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Elements that are moved together: where to, what refers to them, and their bytes. */
final class Relocation {
  /* Overview
   *
   * Each element gets its new place into its header (forward). Then whatever refers to one of them is
   * changed, in elements that move and in those that do not; only then the bytes are copied.
   *
   * Within one memory, where the order stays, all that move to the left are copied from left to
   * right, then the others from right to left: so no copy overwrites what is still to be copied.
   */

  private final ShuttleLayout layout;

  /** The elements, in their order afterwards, and where to: {@code count} of them. */
  private long[] list = new long[64];

  private long[] targets = new long[64];
  int count;

  Relocation(ShuttleLayout layout) {
    this.layout = layout;
  }

  void clear() {
    count = 0;
  }

  /** Adds an element; there can't be more than {@code most}. */
  void list(long element, long most) {
    if (count >= most) {
      throw PackedArray.torn();
    }
    if (count == list.length) {
      list = Arrays.copyOf(list, 2 * count);
      targets = new long[2 * count];
    }
    list[count++] = element;
  }

  /** Takes the elements of an order that was computed. */
  void listOf(LayoutOrder order) {
    count = 0;
    for (int i = 0; i < order.count; i++) {
      list(order.elements[i], order.count);
    }
  }

  /** Returns where an element, by its number, moves to. */
  long target(int i) {
    return targets[i];
  }

  /** Finds places from line {@code from} to line {@code to}, evenly spread or packed together. */
  void place(MemorySegment nodes, long from, long to, boolean packs) {
    place(nodes, from, to, -1, 0, packs);
  }

  /** The same with a hole before the element numbered {@code hole}; returns the hole's place. */
  long placeAround(MemorySegment nodes, long from, long to, int hole, int holeLines) {
    return place(nodes, from, to, hole, holeLines, false);
  }

  private long place(
      MemorySegment nodes, long from, long to, int hole, int holeLines, boolean packs) {
    long sum = holeLines;
    for (int i = 0; i < count; i++) {
      sum += layout.lines(nodes, list[i]);
    }
    long gaps = packs ? 0 : to - from - sum;
    if (gaps < 0) {
      throw PackedArray.torn();
    }
    long before = 0;
    long place = 0;
    for (int i = 0; i <= count; i++) {
      if (i == hole) {
        place = (from + before + share(gaps, before, sum)) << CacheLine.SHIFT;
        before += holeLines;
      }
      if (i < count) {
        targets[i] = (from + before + share(gaps, before, sum)) << CacheLine.SHIFT;
        before += layout.lines(nodes, list[i]);
      }
    }
    return place;
  }

  /** Returns the gaps that come before an element: so many as its share of the lines. */
  private static long share(long gaps, long before, long all) {
    return (long) ((double) gaps * before / all);
  }

  /**
   * Changes all that refers to an element listed, in elements listed and in others.
   *
   * @param outerPrevious what lies before all of them, 0 for none
   * @param outerNext what lies behind
   */
  void redirect(MemorySegment nodes, long outerPrevious, long outerNext) {
    for (int i = 0; i < count; i++) {
      layout.forward(nodes, list[i], targets[i]);
    }
    // First all slots are looked for: a new reference may equal an old one to another element.
    for (int i = 0; i < count; i++) {
      long parent = layout.parent(nodes, list[i]);
      if (parent != 0 && layout.forward(nodes, parent) == 0) {
        layout.slotOfReference(nodes, list[i], parent);
      }
    }
    for (int i = 0; i < count; i++) {
      redirectElement(nodes, list[i], targets[i]);
      layout.next(nodes, list[i], i + 1 < count ? targets[i + 1] : outerNext);
      layout.previous(nodes, list[i], i > 0 ? targets[i - 1] : outerPrevious);
    }
  }

  /** Returns where an element will be, which may be one that does not move. */
  long movedTo(MemorySegment nodes, long element) {
    long to = element == 0 ? 0 : layout.forward(nodes, element);
    return to == 0 ? element : to;
  }

  private void redirectElement(MemorySegment nodes, long element, long target) {
    long parent = layout.parent(nodes, element);
    if (parent != 0) {
      long to = layout.forward(nodes, parent);
      if (to == 0) {
        layout.child(nodes, parent, layout.slot(nodes, element), target);
      } else {
        layout.parent(nodes, element, to);
      }
    }
    int height = layout.height(nodes, element);
    if (height <= 1) {
      return;
    }
    int references = layout.references(height);
    for (int i = 0; i < references; i++) {
      long below = layout.child(nodes, element, i);
      if (below != 0) {
        long to = layout.forward(nodes, below);
        if (to == 0) {
          layout.parent(nodes, below, target);
        } else {
          layout.child(nodes, element, i, to);
        }
      }
    }
  }

  private long bytes(MemorySegment nodes, long element) {
    return (long) layout.lines(nodes, element) << CacheLine.SHIFT;
  }

  /** Copies the elements to their places in another memory. */
  void copyTo(MemorySegment nodes, MemorySegment other) {
    for (int i = 0; i < count; i++) {
      layout.forward(nodes, list[i], 0);
      Words.copy(nodes, list[i], other, targets[i], bytes(nodes, list[i]));
    }
  }

  /** Moves the elements, whose order stays. */
  void copyWithin(MemorySegment nodes) {
    for (int i = 0; i < count; i++) {
      layout.forward(nodes, list[i], 0);
      if (targets[i] < list[i]) {
        Words.copy(nodes, list[i], targets[i], bytes(nodes, list[i]));
      }
    }
    for (int i = count - 1; i >= 0; i--) {
      if (targets[i] > list[i]) {
        Words.copy(nodes, list[i], targets[i], bytes(nodes, list[i]));
      }
    }
  }

  /** Moves the elements, whose order changes, through another memory that has room for them. */
  void copyBy(MemorySegment nodes, MemorySegment scratch) {
    long packed = 0;
    for (int i = 0; i < count; i++) {
      long bytes = bytes(nodes, list[i]);
      layout.forward(nodes, list[i], 0);
      Words.copy(nodes, list[i], scratch, packed, bytes);
      packed += bytes;
    }
    packed = 0;
    for (int i = 0; i < count; i++) {
      long bytes = bytes(scratch, packed);
      Words.copy(scratch, packed, nodes, targets[i], bytes);
      packed += bytes;
    }
  }
}
