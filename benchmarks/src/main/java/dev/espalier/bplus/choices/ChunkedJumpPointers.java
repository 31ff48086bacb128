// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static dev.espalier.bplus.nodes.LeafPlace.BACKWARD;
import static dev.espalier.bplus.nodes.LeafPlace.FORWARD;

import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.LineClaims;
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

  /** The even slots. */
  private static final long EVERY_OTHER = 0x5555_5555_5555_5555L;

  private static final int SLOT_BITS = 6;

  final JumpPointerChunk layout;

  /** The chunk of the first leaf; merges keep the left one of two chunks. */
  long first;

  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final int bulkloadCount;

  /** What was reserved for the next insert: the slot of its left leaf, and a chunk or 0. */
  private int reservedSlot;

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
  public void planted(long leafOffset) {
    spare = 0;
    first = newChunk(leafOffset);
  }

  @Override
  public void loading(long leafOffset) {
    layout.occupied(tree.nodes, first, 0);
    add(first, 0, leafOffset);
  }

  /** Finds the slot of {@code left} already: its loads wait for memory while the leaf is split. */
  @Override
  public void splitting(long left) {
    long chunk = chunkOf(left);
    reservedSlot = layout.find(tree.nodes, chunk, InnerNode.toLine(left));
    if ((layout.occupied(tree.nodes, chunk) & layout.full) == layout.full) {
      spare = tree.allocate(layout.width);
    }
  }

  @Override
  public void notSplit() {
    if (spare != 0) {
      tree.memory.free(spare, layout.width);
      spare = 0;
    }
  }

  @Override
  public void split(long left, long right) {
    MemorySegment nodes = tree.nodes;
    long chunk = chunkOf(left);
    int slot = reservedSlot;
    if (slot >= layout.capacity) {
      throw JumpPointerArray.notListed(left);
    }
    if (spare != 0) {
      long sibling = splitOff(chunk);
      if (layout.next(nodes, sibling) == 0 && slot == layout.capacity - 1) {
        add(sibling, 0, right);
        return;
      }
      splitChunk(chunk, sibling);
      // Not searched for: vectors would wait for the stores that have just been made.
      int half = layout.capacity / 2;
      chunk = slot < half ? chunk : sibling;
      slot = slot < half ? 2 * slot : 2 * (slot - half);
    }
    put(chunk, openGap(chunk, slot), right);
  }

  /** Puts the spare chunk, without a pointer, behind {@code chunk}. */
  private long splitOff(long chunk) {
    long sibling = spare;
    spare = 0;
    layout.initialize(tree.nodes, sibling);
    link(sibling, layout.next(tree.nodes, chunk));
    link(chunk, sibling);
    return sibling;
  }

  /** Spreads the pointers of a full chunk over itself and a new one: on every other slot. */
  private void splitChunk(long chunk, long sibling) {
    MemorySegment nodes = tree.nodes;
    int half = layout.capacity / 2;
    for (int i = 0; i < half; i++) {
      int pointer = layout.pointer(nodes, chunk, half + i);
      layout.pointer(nodes, sibling, 2 * i, pointer);
      moved[i] = InnerNode.toOffset(pointer);
    }
    for (int i = half - 1; i > 0; i--) {
      layout.pointer(nodes, chunk, 2 * i, layout.pointer(nodes, chunk, i));
    }
    layout.occupied(nodes, chunk, layout.full & EVERY_OTHER);
    layout.occupied(nodes, sibling, layout.full & EVERY_OTHER);
    rehintMoved(sibling, half);
  }

  /** Moves pointers so that there is a slot behind {@code slot}'s pointer; returns that slot. */
  private int openGap(long chunk, int slot) {
    MemorySegment nodes = tree.nodes;
    int empty = layout.nearestEmpty(nodes, chunk, slot);
    layout.occupied(nodes, chunk, layout.occupied(nodes, chunk) | 1L << empty);
    int direction = empty > slot ? FORWARD : BACKWARD;
    int gap = empty > slot ? slot + 1 : slot;
    for (int to = empty; to != gap; to -= direction) {
      layout.pointer(nodes, chunk, to, layout.pointer(nodes, chunk, to - direction));
    }
    return gap;
  }

  private void add(long chunk, int slot, long leafOffset) {
    MemorySegment nodes = tree.nodes;
    layout.occupied(nodes, chunk, layout.occupied(nodes, chunk) | 1L << slot);
    put(chunk, slot, leafOffset);
  }

  private void put(long chunk, int slot, long leafOffset) {
    layout.pointer(tree.nodes, chunk, slot, InnerNode.toLine(leafOffset));
    leaf.hint(tree.nodes, leafOffset, InnerNode.toLine(chunk));
  }

  @Override
  public void loaded(long last, long leafOffset) {
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
  public void merged(long left, long right) {
    MemorySegment nodes = tree.nodes;
    long chunk = chunkOf(right);
    int slot = layout.find(nodes, chunk, InnerNode.toLine(right));
    if (slot >= layout.capacity) {
      throw JumpPointerArray.notListed(right);
    }
    layout.occupied(nodes, chunk, layout.occupied(nodes, chunk) & ~(1L << slot));
    if (layout.count(nodes, chunk) < layout.minimum) {
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
    MemorySegment nodes = tree.nodes;
    int end = at;
    for (int slot = layout.nextPointer(nodes, chunk, 0, FORWARD);
        slot >= 0;
        slot = layout.nextPointer(nodes, chunk, slot + 1, FORWARD)) {
      scratch[end++] = layout.pointer(nodes, chunk, slot);
    }
    return end;
  }

  /** Makes part of {@code scratch} the pointers of a chunk, with the same distance between them. */
  private void spread(long chunk, int from, int to) {
    int count = to - from;
    long occupied = 0;
    for (int i = 0; i < count; i++) {
      int slot = spreadSlot(i, count);
      layout.pointer(tree.nodes, chunk, slot, scratch[from + i]);
      occupied |= 1L << slot;
    }
    layout.occupied(tree.nodes, chunk, occupied);
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
    return slot < layout.capacity ? place(chunk, slot) : NO_PLACE;
  }

  /** A chunk without pointers, which only torn trees have, ends the array. */
  @Override
  public long step(long place, int direction) {
    MemorySegment nodes = tree.nodes;
    long chunk = chunkAt(place);
    int slot = layout.nextPointer(nodes, chunk, slotAt(place) + direction, direction);
    if (slot < 0) {
      chunk = neighbour(chunk, direction);
      if (chunk == 0) {
        return NO_PLACE;
      }
      Words.prefetch(tree.base + neighbour(chunk, direction), layout.width, Locality.T0);
      int from = direction == FORWARD ? 0 : layout.capacity - 1;
      slot = layout.nextPointer(nodes, chunk, from, direction);
    }
    return slot < 0 ? NO_PLACE : place(chunk, slot);
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
