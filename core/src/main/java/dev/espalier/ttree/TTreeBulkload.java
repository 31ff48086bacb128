// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;

/**
 * Fills an empty structure from sorted entries: first all nodes, in key order and chained through
 * their right children, then the links of a tree as flat as can be.
 */
final class TTreeBulkload {
  private final TTreeStructure tree;
  private final TTreeNode layout;
  private final double entriesPerNode;

  /** The next node to be linked into the tree. */
  private long nextInChain;

  TTreeBulkload(TTreeStructure tree, double fillFactor) {
    tree.checkOpen();
    BulkloadInput.checkStart(fillFactor, tree.size);
    this.tree = tree;
    this.layout = tree.layout;
    this.entriesPerNode = layout.capacity * fillFactor;
  }

  /** Loads everything; the structure is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    try {
      fillNodes(new BulkloadInput(entries, total, listener));
    } catch (RuntimeException | Error failed) {
      tree.clear();
      throw failed;
    }
    tree.modifications.changes++;
    tree.levelChanges.changedAll();
  }

  private void fillNodes(BulkloadInput input) {
    long first = tree.root;
    long node = first;
    long numberOfNodes = 1;
    long endOfNode = Math.round(entriesPerNode);
    int count = 0;
    while (input.next()) {
      long key = input.key();
      if (input.loaded() > endOfNode) {
        layout.count(tree.nodes, node, count);
        long next = tree.allocate();
        layout.initialize(tree.nodes, next, 0);
        layout.child(tree.nodes, node, RIGHT, next);
        node = next;
        count = 0;
        endOfNode = Math.round(++numberOfNodes * entriesPerNode);
      }
      layout.entry(tree.nodes, node, count++, key, input.value());
    }
    layout.count(tree.nodes, node, count);
    nextInChain = first;
    tree.root = linkSubtree(numberOfNodes, 0);
    tree.size = input.loaded();
    input.finish();
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
