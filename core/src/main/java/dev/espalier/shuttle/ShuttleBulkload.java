// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.putLong;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.support.BulkloadInput;
import java.lang.foreign.MemorySegment;

/**
 * Builds a tree from sorted entries in an array of its own: leaves first, then level after level,
 * each behind the one before, and in the end all is put into its order.
 */
final class ShuttleBulkload {
  /** How full a rebuild makes leaves: room for as many inserts again as a third. */
  private static final double REBUILD_FILL = 0.75;

  private final ShuttleStructure tree;
  private final ShuttleLayout layout;

  private PackedArray array;
  private int height;
  private long settled;

  ShuttleBulkload(ShuttleStructure tree) {
    this.tree = tree;
    this.layout = tree.layout;
    this.array = tree.array;
  }

  /** Loads everything into the empty tree, which is empty again if that fails. */
  void load(LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    tree.clear();
    try {
      BulkloadInput input = new BulkloadInput(entries, total, listener);
      build(input, fillFactor);
      use();
      input.finish();
    } catch (RuntimeException | Error failed) {
      if (!tree.isClosed()) {
        tree.clear();
      }
      throw failed;
    }
  }

  /** Builds the tree anew from its own entries, if memory allows. */
  boolean rebuild() {
    try {
      BulkloadInput input =
          new BulkloadInput(new ShuttleCursor(tree, tree.dead), -1, ProgressListener.NONE);
      build(input, REBUILD_FILL);
    } catch (MemoryLimitException _) {
      return false;
    }
    use();
    return true;
  }

  /** Builds the tree anew with full leaves, if that gains memory and there is enough for it. */
  void shrink(ProgressListener listener) {
    try {
      BulkloadInput input =
          new BulkloadInput(new ShuttleCursor(tree, tree.dead), tree.sizeEstimate(), listener);
      build(input, 1.0);
      finish(input);
    } catch (MemoryLimitException _) {
      return;
    }
    if (array.capacity < tree.array.capacity) {
      use();
    } else {
      array.close();
    }
  }

  private void finish(BulkloadInput input) {
    try {
      input.finish();
    } catch (RuntimeException | Error cancelled) {
      array.close();
      throw cancelled;
    }
  }

  private void use() {
    PackedArray old = tree.array;
    array.moved += old.moved;
    array.rebalances += old.rebalances;
    tree.array = old.replacedBy(array);
    tree.budget.count(-(old.capacity << CacheLine.SHIFT));
    tree.height = height;
    tree.size = settled;
    tree.settled = settled;
    tree.messages = 0;
    tree.modifications.changes++;
    tree.replacements++;
  }

  private void build(BulkloadInput input, double fillFactor) {
    array = tree.newArray();
    try {
      array.packs = true;
      addLeaves(input, layout.leafEntries * fillFactor);
      settled = input.loaded();
      long firstOfLevel = array.first;
      long nodes = array.elements;
      long leaves = nodes;
      for (height = 1; nodes > 1; ) {
        height++;
        long lastOfLevel = array.last;
        // Three quarters of the greatest weight at most: with what overlaps, nodes stay below that.
        long weight = layout.mostWeight(height) * 3 / 4;
        long parts = (leaves + weight - 1) / weight;
        nodes = addLevel(firstOfLevel, lastOfLevel, leaves, parts);
        firstOfLevel = array.following(lastOfLevel);
      }
      array.root = firstOfLevel;
      LayoutOrder order = new LayoutOrder(layout, array.nodes, array.elements, array.used);
      order.addTree(array.root, height);
      long messages = layout.pathCapacity(height);
      array.reorder(order, DrainStack.bytes(messages));
      tree.stack.reserve(messages);
    } catch (RuntimeException | Error failed) {
      array.close();
      throw failed;
    }
  }

  private void addLeaves(BulkloadInput input, double entriesPerLeaf) {
    long leaf = append(1, 0);
    long leaves = 1;
    long end = Math.max(1, Math.round(entriesPerLeaf));
    int count = 0;
    while (input.next()) {
      if ((count > 0 && input.loaded() > end) || count == layout.leafEntries) {
        layout.count(array.nodes, leaf, count);
        leaf = append(1, 0);
        count = 0;
        end = Math.max(end + 1, Math.round(++leaves * entriesPerLeaf));
      }
      MemorySegment nodes = array.nodes;
      putLong(nodes, leaf + ShuttleLayout.KEYS + 8L * count, input.key());
      putLong(nodes, leaf + layout.leafValues + 8L * count, input.value());
      count++;
    }
    layout.count(array.nodes, leaf, count);
  }

  /** Adds a node behind all others. Those keep their places, because there are no gaps. */
  private long append(int nodeHeight, long parent) {
    int lines = layout.nodeLines(nodeHeight);
    array.ensure(lines);
    long node = array.insertAfter(array.last, lines);
    layout.initializeNode(array.nodes, node, nodeHeight, parent);
    array.linkInserted(node);
    return node;
  }

  /**
   * Adds a level of {@code parts} nodes above the nodes from {@code first} to {@code last}, buffers
   * not counted, of which each gets those that begin in its part of the leaves. Returns the parts.
   */
  private long addLevel(long first, long last, long leaves, long parts) {
    long part = -1;
    long node = 0;
    long before = 0;
    for (long child = first; child <= last; child = array.following(child)) {
      if (layout.height(array.nodes, child) != height - 1) {
        continue;
      }
      long mine = before * parts / leaves;
      if (node == 0 || mine != part) {
        node = append(height, 0);
        part = mine;
      }
      before += layout.weight(array.nodes, child);
      addChild(node, child);
    }
    return parts;
  }

  private void addChild(long node, long child) {
    MemorySegment nodes = array.nodes;
    int i = layout.count(nodes, node);
    if (i > 0) {
      layout.separator(nodes, node, i - 1, largestKey(layout.child(nodes, node, i - 1)));
    }
    layout.child(nodes, node, i, child);
    layout.count(nodes, node, i + 1);
    layout.parent(nodes, child, node);
    layout.weight(nodes, node, layout.weight(nodes, node) + layout.weight(nodes, child));
    for (int list = 0; list < layout.lists(height); list++) {
      int lines = layout.chunkLines(height, list);
      array.ensure(lines);
      long chunk = array.insertAfter(array.last, lines);
      layout.initializeChunk(array.nodes, chunk, height, list, node);
      array.linkInserted(chunk);
      layout.buffer(array.nodes, node, list, i, chunk);
    }
  }

  private long largestKey(long from) {
    MemorySegment nodes = array.nodes;
    long node = from;
    for (int at = layout.height(nodes, from); at > 1; at--) {
      node = layout.child(nodes, node, layout.count(nodes, node) - 1);
    }
    return ShuttleLayout.key(nodes, node, layout.count(nodes, node) - 1);
  }
}
