// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import java.util.concurrent.CancellationException;

/**
 * Fills an empty structure from sorted entries: first all nodes, in key order and chained through
 * their right children, then the links of a tree as flat as can be.
 */
final class TTreeBulkload {
  private static final long REPORT_EVERY = 4096;

  private final TTreeStructure tree;
  private final TTreeNode layout;
  private final double entriesPerNode;

  /** The next node to be linked into the tree. */
  private long nextInChain;

  TTreeBulkload(TTreeStructure tree, double fillFactor) {
    if (!(fillFactor >= 0.5 && fillFactor <= 1)) {
      throw new IllegalArgumentException(
          "fillFactor is " + fillFactor + "; it must be from 0.5 to 1");
    }
    this.tree = tree;
    this.layout = tree.layout;
    this.entriesPerNode = layout.capacity * fillFactor;
  }

  /** Loads everything; the structure is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    tree.checkOpen();
    if (tree.size != 0) {
      throw new IllegalStateException(
          "bulkload fills an empty index, but this one has " + tree.size + " entries");
    }
    try {
      fillNodes(entries, total, listener);
    } catch (RuntimeException | Error failed) {
      tree.clear();
      throw failed;
    }
    tree.modifications.changes++;
  }

  private void fillNodes(LongEntrySource entries, long total, ProgressListener listener) {
    long first = tree.root;
    long node = first;
    long numberOfNodes = 1;
    long endOfNode = Math.round(entriesPerNode);
    int count = 0;
    long loaded = 0;
    long previous = 0;
    while (entries.next()) {
      long key = entries.key();
      if (loaded > 0 && key <= previous) {
        throw new IllegalArgumentException(
            "entries are not in ascending key order: key "
                + key
                + " of entry "
                + loaded
                + " (counted from 0) comes after "
                + previous);
      }
      if (loaded == endOfNode) {
        layout.count(tree.nodes, node, count);
        long next = tree.allocate();
        layout.initialize(tree.nodes, next, 0);
        layout.child(tree.nodes, node, RIGHT, next);
        node = next;
        count = 0;
        endOfNode = Math.round(++numberOfNodes * entriesPerNode);
      }
      layout.entry(tree.nodes, node, count++, key, entries.value());
      previous = key;
      if (++loaded % REPORT_EVERY == 0 && !listener.onProgress(loaded, total)) {
        throw new CancellationException("bulkload cancelled after " + loaded + " entries");
      }
    }
    layout.count(tree.nodes, node, count);
    nextInChain = first;
    tree.root = linkSubtree(numberOfNodes, 0);
    tree.size = loaded;
    listener.onProgress(loaded, total);
  }

  /**
   * Makes the next {@code numberOfNodes} nodes of the chain a subtree; returns its root, or 0. The
   * left side, which has one node more or as many, is never the less high.
   */
  private long linkSubtree(long numberOfNodes, long parent) {
    if (numberOfNodes == 0) {
      return 0;
    }
    long onTheLeft = numberOfNodes / 2;
    long left = linkSubtree(onTheLeft, 0);
    long node = nextInChain;
    nextInChain = layout.child(tree.nodes, node, RIGHT);
    layout.child(tree.nodes, node, LEFT, left);
    if (left != 0) {
      layout.parent(tree.nodes, left, node);
    }
    layout.child(tree.nodes, node, RIGHT, linkSubtree(numberOfNodes - onTheLeft - 1, node));
    layout.parent(tree.nodes, node, parent);
    layout.height(tree.nodes, node, 1 + layout.height(tree.nodes, left));
    return node;
  }
}
