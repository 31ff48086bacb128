// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafListener;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.bplus.nodes.LeafPlace;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.support.LineClaims;
import java.lang.foreign.MemorySegment;

/** Checks the invariants I11 to I14 of {@link JumpPointerArray} for a chunked one. */
final class ChunkVerifier implements LeafListener.Inspection {
  private final MemorySegment nodes;
  private final LeafNode leaf;
  private final JumpPointerChunk layout;
  private final LineClaims claims;

  /** The chunk of the leaf visited last, and the slot of its pointer, -1 for none. */
  private long chunk;

  private int slot;

  ChunkVerifier(BPlusStructure tree, ChunkedJumpPointers pointers, LineClaims claims) {
    this.nodes = tree.nodes;
    this.leaf = tree.leaf;
    this.layout = pointers.layout;
    this.claims = claims;
    enter(pointers.first, 0);
  }

  @Override
  public void visit(long leafOffset) {
    goToNextPointer();
    if (slot < 0 && layout.next(nodes, chunk) != 0) {
      enter(layout.next(nodes, chunk), chunk);
      goToNextPointer();
    }
    check(
        slot >= 0 && layout.pointer(nodes, chunk, slot) == InnerNode.toLine(leafOffset),
        "I11",
        "the chunk @%d does not list the leaf @%d in slot %d",
        chunk,
        leafOffset,
        slot);
    long hint = InnerNode.toOffset(leaf.hint(nodes, leafOffset));
    check(
        hint == chunk,
        "I12",
        "the leaf @%d is listed by the chunk @%d, but its hint is @%d",
        leafOffset,
        chunk,
        hint);
  }

  @Override
  public void end() {
    goToNextPointer();
    check(slot < 0, "I11", "the chunk @%d lists more leaves than there are", chunk);
    check(
        layout.next(nodes, chunk) == 0,
        "I13",
        "the last chunk @%d has a next @%d",
        chunk,
        layout.next(nodes, chunk));
  }

  private void enter(long newChunk, long previous) {
    claims.claim(newChunk, layout.width, "chunk");
    check(
        layout.previous(nodes, newChunk) == previous,
        "I13",
        "the chunk @%d has the previous @%d instead of @%d",
        newChunk,
        layout.previous(nodes, newChunk),
        previous);
    long occupied = layout.occupied(nodes, newChunk);
    int least = layout.next(nodes, newChunk) == 0 ? 1 : layout.minimum;
    check(
        (occupied & ~layout.full) == 0 && Long.bitCount(occupied) >= least,
        "I14",
        "the chunk @%d has its pointers in slots %x, but %d slots and at least %d pointers",
        newChunk,
        occupied,
        layout.capacity,
        least);
    chunk = newChunk;
    slot = -1;
  }

  private void goToNextPointer() {
    slot = layout.nextPointer(nodes, chunk, slot + 1, LeafPlace.FORWARD);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of users
  private static void check(boolean holds, String invariant, String format, Object... arguments) {
    if (!holds) {
      throw new InvariantViolationException(invariant, String.format(format, arguments));
    }
  }
}
