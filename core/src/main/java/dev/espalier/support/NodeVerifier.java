// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.ProgressListener;
import dev.espalier.memory.NodeMemory;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/** A check of a tree in one {@link NodeMemory}: each line of it belongs to one node at most. */
public abstract class NodeVerifier extends Verifier {
  protected final MemorySegment nodes;
  protected final LineClaims claims;
  private final NodeMemory memory;

  /**
   * Begins a check.
   *
   * @param places the number of the invariant that nodes lie in the memory, and do not overlap
   * @param total entries that there should be, for the listener
   */
  protected NodeVerifier(NodeMemory memory, String places, ProgressListener listener, long total) {
    super(listener, total);
    this.nodes = memory.segment();
    this.memory = memory;
    this.claims = new LineClaims(places, Math.min(memory.endOffset(), nodes.byteSize()));
  }

  /** Checks that the tree has as many entries as it says, and has all nodes that were given out. */
  protected final void checkTotals(String sizeInvariant, long size, String memoryInvariant) {
    checkEqual(sizeInvariant, entries(), size, "the number of entries");
    checkEqual(memoryInvariant, claims.bytes(), memory.usedBytes(), "the size of all nodes");
  }

  /**
   * Checks the keys of a node: they ascend (I1), keep within bounds, both included (I2), and unused
   * slots are padded (I8).
   *
   * @param keys the offset of the node's keys
   */
  protected final void checkKeys(
      long node, long keys, int level, int count, int slots, long low, long high) {
    long before = Long.MIN_VALUE;
    for (int i = 0; i < slots; i++) {
      long key = Words.getLong(nodes, keys + ((long) i << 3));
      if (i >= count) {
        checkKey(key == Keys.PADDING, "I8", node, level, i, key, "in an unused slot");
      } else {
        checkKey(i == 0 || before < key, "I1", node, level, i, key, "not above its predecessor");
        checkKey(
            key >= low && key <= high, "I2", node, level, i, key, "outside its parent's bounds");
      }
      before = key;
    }
  }

  /** Checks something about a key; {@code wrong} ends the message if it does not hold. */
  protected static void checkKey(
      boolean holds, String invariant, long node, int level, int slot, long key, String wrong) {
    check(
        holds,
        invariant,
        "in the node @%d of level %d, key %d in slot %d is %s",
        node,
        level,
        key,
        slot,
        wrong);
  }
}
