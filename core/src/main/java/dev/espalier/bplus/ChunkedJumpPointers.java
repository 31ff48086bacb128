// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;

/** The chunked jump-pointer array: a list of chunks that lie among the tree's nodes. */
final class ChunkedJumpPointers implements JumpPointerArray {
  /* Overview
   *
   *   chunk                         chunk
   *   [ a . b . c d . e ]  <--->    [ f . . g . . . h ]         . is an empty slot
   *
   * A leaf's hint is its chunk; where in the chunk, a search of the chunk tells. A new pointer goes
   * behind its left neighbour, and only the pointers between there and the nearest empty slot move.
   * Whenever a chunk is written whole its pointers are spread evenly over it:
   *
   * Split:  a full chunk gives half of its pointers to a new one behind it. If the full chunk is the
   *         last and the new pointer comes behind all others, it alone goes to the new chunk.
   * Delete: a chunk below its minimum merges with a neighbour if both fill at most three quarters
   *         of one; else they share their pointers.
   *
   * Places are a chunk's line number, shifted, and a slot.
   *
   * The invariants I11 to I14, checked by ChunkVerifier, are those of JumpPointerArray.
   *
   * Deviation from thesis 3.6 and the pB+-tree's authors:
   *   D7  A hint has no slot, and lies in the leaf's version word: four bytes more would cost the
   *       default leaf an entry. A tree with hints cannot also have versions.
   */

  /** Share of a chunk that bulkload fills: splits of leaves find an empty slot close by. */
  private static final double BULKLOAD_FILL = 2.0 / 3;

  private static final int SLOT_BITS = 10;

  final JumpPointerChunk layout;

  /** The chunk of the first leaf; merges keep the left one of two chunks. */
  long first;

  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final int bulkloadCount;

  /** The chunk that the next insert needs, 0 for none. */
  private long spare;

  private final int[] scratch;
  private final long[] moved;

  ChunkedJumpPointers(BPlusStructure tree, int chunkLines) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.layout = new JumpPointerChunk(chunkLines);
    this.bulkloadCount = (int) Math.round(layout.capacity * BULKLOAD_FILL);
    this.scratch = new int[2 * layout.capacity];
    this.moved = new long[layout.capacity];
  }

  // ---------------------------------------------------------------- insert and split

  @Override
  public void plant(long leafOffset) {
    spare = 0;
    first = newChunk(leafOffset);
  }

  @Override
  public void restart(long leafOffset) {
    layout.initialize(tree.nodes, first);
    add(first, 0, leafOffset);
  }

  @Override
  public void prefetch(long left) {
    Words.prefetch(tree.base + chunkOf(left), layout.width, Locality.T0);
  }

  @Override
  public void reserve(long left) {
    if (spare == 0 && layout.count(tree.nodes, chunkOf(left)) == layout.capacity) {
      spare = tree.allocate(layout.width);
    }
  }

  @Override
  public void insertAfter(long left, long right) {
    MemorySegment nodes = tree.nodes;
    long chunk = chunkOf(left);
    int slot = slotOf(chunk, left);
    if (layout.count(nodes, chunk) == layout.capacity) {
      if (layout.next(nodes, chunk) == 0 && slot == layout.capacity - 1) {
        add(splitOff(chunk), 0, right);
        return;
      }
      split(chunk, splitOff(chunk));
      chunk = chunkOf(left);
      slot = slotOf(chunk, left);
    }
    add(chunk, openGap(chunk, slot, left), right);
  }

  /** Puts the spare chunk, without a pointer, behind {@code chunk}. */
  private long splitOff(long chunk) {
    long sibling = spare;
    if (sibling == 0) {
      throw JumpPointerArray.notListed(chunk);
    }
    spare = 0;
    layout.initialize(tree.nodes, sibling);
    link(sibling, layout.next(tree.nodes, chunk));
    link(chunk, sibling);
    return sibling;
  }

  /** Spreads the pointers of a full chunk over itself and a new one: on every other slot. */
  private void split(long chunk, long sibling) {
    MemorySegment nodes = tree.nodes;
    int kept = (layout.capacity + 1) / 2;
    int given = layout.capacity - kept;
    for (int i = 0; i < given; i++) {
      int pointer = layout.pointer(nodes, chunk, kept + i);
      layout.pointer(nodes, sibling, 2 * i, pointer);
      moved[i] = InnerNode.toOffset(pointer);
    }
    layout.count(nodes, sibling, given);
    for (int i = layout.capacity - 1; i > 0; i--) {
      boolean even = (i & 1) == 0;
      layout.pointer(nodes, chunk, i, even ? layout.pointer(nodes, chunk, i >> 1) : 0);
    }
    layout.count(nodes, chunk, kept);
    rehintMoved(sibling, given);
  }

  /** Moves pointers so that the slot behind that of {@code left} is empty; returns that slot. */
  private int openGap(long chunk, int slot, long left) {
    MemorySegment nodes = tree.nodes;
    int empty = layout.nearestEmpty(nodes, chunk, slot);
    if (empty < 0) {
      throw JumpPointerArray.notListed(left);
    }
    if (empty > slot) {
      for (int to = empty; to > slot + 1; to--) {
        layout.pointer(nodes, chunk, to, layout.pointer(nodes, chunk, to - 1));
      }
      return slot + 1;
    }
    for (int to = empty; to < slot; to++) {
      layout.pointer(nodes, chunk, to, layout.pointer(nodes, chunk, to + 1));
    }
    return slot;
  }

  private void add(long chunk, int slot, long leafOffset) {
    MemorySegment nodes = tree.nodes;
    layout.pointer(nodes, chunk, slot, InnerNode.toLine(leafOffset));
    layout.count(nodes, chunk, layout.count(nodes, chunk) + 1);
    leaf.hint(nodes, leafOffset, InnerNode.toLine(chunk));
  }

  @Override
  public void append(long last, long leafOffset) {
    long chunk = chunkOf(last);
    int count = layout.count(tree.nodes, chunk);
    if (count < bulkloadCount) {
      add(chunk, spreadSlot(count, bulkloadCount), leafOffset);
    } else {
      link(chunk, newChunk(leafOffset));
    }
  }

  private long newChunk(long leafOffset) {
    long chunk = tree.allocate(layout.width);
    layout.initialize(tree.nodes, chunk);
    add(chunk, 0, leafOffset);
    return chunk;
  }

  private void link(long left, long right) {
    layout.next(tree.nodes, left, right);
    if (right != 0) {
      layout.previous(tree.nodes, right, left);
    }
  }

  // ---------------------------------------------------------------- delete

  @Override
  public void remove(long left, long right) {
    MemorySegment nodes = tree.nodes;
    long chunk = chunkOf(right);
    layout.pointer(nodes, chunk, slotOf(chunk, right), 0);
    int count = layout.count(nodes, chunk) - 1;
    layout.count(nodes, chunk, count);
    if (count < layout.minimum) {
      refill(chunk);
    }
  }

  private void refill(long chunk) {
    MemorySegment nodes = tree.nodes;
    long next = layout.next(nodes, chunk);
    long left = next == 0 ? layout.previous(nodes, chunk) : chunk;
    long right = next == 0 ? chunk : next;
    if (left == 0) {
      return;
    }
    int leftCount = collect(left, 0);
    int count = collect(right, leftCount);
    if (count > layout.capacity * 3 / 4) {
      share(left, right);
      return;
    }
    spread(left, 0, count);
    rehint(left, leftCount, count);
    link(left, layout.next(nodes, right));
    tree.memory.free(right, layout.width);
  }

  // ---------------------------------------------------------------- chunks

  private long chunkOf(long leafOffset) {
    return InnerNode.toOffset(leaf.hint(tree.nodes, leafOffset));
  }

  private int slotOf(long chunk, long leafOffset) {
    int slot = layout.find(tree.nodes, chunk, InnerNode.toLine(leafOffset));
    if (slot < 0) {
      throw JumpPointerArray.notListed(leafOffset);
    }
    return slot;
  }

  /** Gives two neighbours the same number of pointers. */
  private void share(long left, long right) {
    int oldLeft = collect(left, 0);
    int count = collect(right, oldLeft);
    int newLeft = (count + 1) / 2;
    spread(left, 0, newLeft);
    spread(right, newLeft, count);
    if (newLeft < oldLeft) {
      rehint(right, newLeft, oldLeft);
    } else {
      rehint(left, oldLeft, newLeft);
    }
  }

  /** Copies a chunk's pointers to {@code scratch} from {@code at} on; returns where they end. */
  private int collect(long chunk, int at) {
    int end = at;
    for (int slot = 0; slot < layout.capacity; slot++) {
      int pointer = layout.pointer(tree.nodes, chunk, slot);
      if (pointer != 0) {
        scratch[end++] = pointer;
      }
    }
    return end;
  }

  /** Makes part of {@code scratch} the pointers of a chunk, with the same distance between them. */
  private void spread(long chunk, int from, int to) {
    MemorySegment nodes = tree.nodes;
    for (int slot = 0; slot < layout.capacity; slot++) {
      layout.pointer(nodes, chunk, slot, 0);
    }
    int count = to - from;
    for (int i = 0; i < count; i++) {
      layout.pointer(nodes, chunk, spreadSlot(i, count), scratch[from + i]);
    }
    layout.count(nodes, chunk, count);
  }

  private int spreadSlot(int i, int count) {
    return i * layout.capacity / count;
  }

  /** Gives leaves that part of {@code scratch} points to the hint to their new chunk. */
  private void rehint(long chunk, int from, int to) {
    for (int i = from; i < to; i++) {
      moved[i - from] = InnerNode.toOffset(scratch[i]);
    }
    rehintMoved(chunk, to - from);
  }

  private void rehintMoved(long chunk, int count) {
    Words.prefetchGroup(tree.base + leaf.countOffset, moved, 0, count, 1);
    for (int i = 0; i < count; i++) {
      leaf.hint(tree.nodes, moved[i], InnerNode.toLine(chunk));
    }
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public long placeOf(long leafOffset) {
    long chunk = chunkOf(leafOffset);
    int slot = layout.find(tree.nodes, chunk, InnerNode.toLine(leafOffset));
    return slot < 0 ? NO_PLACE : place(chunk, slot);
  }

  /** A chunk without pointers, which only torn trees have, ends the array. */
  @Override
  public long step(long place, int direction) {
    long chunk = chunkAt(place);
    int slot = nextPointer(chunk, slotAt(place) + direction, direction);
    if (slot < 0) {
      chunk = neighbour(chunk, direction);
      if (chunk == 0) {
        return NO_PLACE;
      }
      Words.prefetch(tree.base + neighbour(chunk, direction), layout.width, Locality.T0);
      slot = nextPointer(chunk, direction == FORWARD ? 0 : layout.capacity - 1, direction);
    }
    return slot < 0 ? NO_PLACE : place(chunk, slot);
  }

  /** Returns the first slot from {@code from} on that is in use, or -1 at the chunk's end. */
  private int nextPointer(long chunk, int from, int direction) {
    int slot = from;
    while (slot >= 0 && slot < layout.capacity) {
      if (layout.pointer(tree.nodes, chunk, slot) != 0) {
        return slot;
      }
      slot += direction;
    }
    return -1;
  }

  private long neighbour(long chunk, int direction) {
    return direction == FORWARD
        ? layout.next(tree.nodes, chunk)
        : layout.previous(tree.nodes, chunk);
  }

  @Override
  public long leafAt(long place) {
    return InnerNode.toOffset(layout.pointer(tree.nodes, chunkAt(place), slotAt(place)));
  }

  private static long place(long chunk, int slot) {
    return (chunk << (SLOT_BITS - CacheLine.SHIFT)) | slot;
  }

  private static long chunkAt(long place) {
    return (place >>> SLOT_BITS) << CacheLine.SHIFT;
  }

  private static int slotAt(long place) {
    return (int) place & ((1 << SLOT_BITS) - 1);
  }

  // ---------------------------------------------------------------- inspect

  @Override
  public Inspection inspect(LineClaims claims) {
    return new ChunkVerifier(tree, this, claims);
  }
}
