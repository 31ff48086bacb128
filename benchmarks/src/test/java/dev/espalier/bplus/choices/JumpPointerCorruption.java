// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafPlace;
import java.util.function.BiConsumer;

/**
 * Ways to damage a chunked jump-pointer array, each against one invariant of {@link
 * JumpPointerArray}, or of the memory that chunks share with nodes. There are more than three
 * chunks, none of them full or at its minimum, and slot 0 of each is in use.
 */
enum JumpPointerCorruption {
  CHUNK_OUTSIDE_THE_MEMORY(
      "I9",
      (tree, pointers) ->
          pointers.layout.next(tree.nodes, pointers.first, tree.memory.endOffset() + 64)),
  CHUNK_IS_A_LEAF(
      "I9",
      (tree, pointers) -> pointers.layout.next(tree.nodes, pointers.first, leaf(tree, pointers))),
  FIRST_CHUNK_OFF_ITS_LINE("I9", (tree, pointers) -> pointers.first += 8),
  CHUNK_LEAKED("I10", (tree, pointers) -> tree.allocate(pointers.layout.width)),

  POINTERS_OUT_OF_ORDER(
      "I11",
      (tree, pointers) -> {
        long chunk = pointers.first;
        int second = second(tree, pointers);
        int line = pointers.layout.pointer(tree.nodes, chunk, 0);
        pointers.layout.pointer(
            tree.nodes, chunk, 0, pointers.layout.pointer(tree.nodes, chunk, second));
        pointers.layout.pointer(tree.nodes, chunk, second, line);
      }),
  POINTER_LOST("I11", (tree, pointers) -> setOccupied(tree, pointers, pointers.first, ~1L)),
  POINTER_TWICE(
      "I11",
      (tree, pointers) ->
          pointers.layout.pointer(
              tree.nodes,
              pointers.first,
              second(tree, pointers),
              pointers.layout.pointer(tree.nodes, pointers.first, 0))),
  POINTER_TO_NO_LEAF(
      "I11", (tree, pointers) -> pointers.layout.pointer(tree.nodes, pointers.first, 0, -1)),
  CHUNKS_END_TOO_EARLY(
      "I11", (tree, pointers) -> pointers.layout.next(tree.nodes, pointers.first, 0)),
  LEAF_TOO_MANY(
      "I11",
      (tree, pointers) -> {
        long chunk = last(tree, pointers);
        pointers.layout.occupied(
            tree.nodes,
            chunk,
            pointers.layout.occupied(tree.nodes, chunk) | 1L << (pointers.layout.capacity - 1));
      }),

  HINT_TO_ANOTHER_CHUNK(
      "I12",
      (tree, pointers) ->
          tree.leaf.hint(
              tree.nodes,
              leaf(tree, pointers),
              InnerNode.toLine(pointers.layout.next(tree.nodes, pointers.first)))),
  HINT_IS_NONE("I12", (tree, pointers) -> tree.leaf.hint(tree.nodes, leaf(tree, pointers), 0)),

  NEXT_SKIPS_A_CHUNK(
      "I13",
      (tree, pointers) -> {
        long second = pointers.layout.next(tree.nodes, pointers.first);
        pointers.layout.next(tree.nodes, pointers.first, pointers.layout.next(tree.nodes, second));
      }),
  PREVIOUS_SKIPS_A_CHUNK(
      "I13",
      (tree, pointers) -> {
        long second = pointers.layout.next(tree.nodes, pointers.first);
        long third = pointers.layout.next(tree.nodes, second);
        pointers.layout.previous(tree.nodes, third, pointers.first);
      }),
  FIRST_HAS_A_PREVIOUS(
      "I13",
      (tree, pointers) ->
          pointers.layout.previous(
              tree.nodes, pointers.first, pointers.layout.next(tree.nodes, pointers.first))),
  LAST_HAS_A_NEXT(
      "I13",
      (tree, pointers) -> pointers.layout.next(tree.nodes, last(tree, pointers), pointers.first)),

  POINTER_BEHIND_THE_LAST_SLOT(
      "I14",
      (tree, pointers) ->
          pointers.layout.occupied(
              tree.nodes,
              pointers.first,
              pointers.layout.occupied(tree.nodes, pointers.first)
                  | 1L << pointers.layout.capacity)),
  CHUNK_WITHOUT_POINTERS(
      "I14", (tree, pointers) -> setOccupied(tree, pointers, last(tree, pointers), 0)),
  CHUNK_BELOW_MINIMUM(
      "I14",
      (tree, pointers) ->
          setOccupied(tree, pointers, pointers.first, (1L << (pointers.layout.minimum - 1)) - 1));

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final BiConsumer<BPlusStructure, ChunkedJumpPointers> damage;

  JumpPointerCorruption(String invariant, BiConsumer<BPlusStructure, ChunkedJumpPointers> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I11}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(ConfigurablePbPlusTree index) {
    damage.accept(index.tree, (ChunkedJumpPointers) index.tree.listener);
  }

  /** Lets a chunk keep only the pointers in some slots. */
  private static void setOccupied(
      BPlusStructure tree, ChunkedJumpPointers pointers, long chunk, long kept) {
    pointers.layout.occupied(tree.nodes, chunk, pointers.layout.occupied(tree.nodes, chunk) & kept);
  }

  /** Returns the last chunk. */
  private static long last(BPlusStructure tree, ChunkedJumpPointers pointers) {
    long chunk = pointers.first;
    while (pointers.layout.next(tree.nodes, chunk) != 0) {
      chunk = pointers.layout.next(tree.nodes, chunk);
    }
    return chunk;
  }

  /** Returns the first leaf. */
  private static long leaf(BPlusStructure tree, ChunkedJumpPointers pointers) {
    return InnerNode.toOffset(pointers.layout.pointer(tree.nodes, pointers.first, 0));
  }

  /** Returns the slot of the second pointer of the first chunk. */
  private static int second(BPlusStructure tree, ChunkedJumpPointers pointers) {
    return pointers.layout.nextPointer(tree.nodes, pointers.first, 1, LeafPlace.FORWARD);
  }
}
