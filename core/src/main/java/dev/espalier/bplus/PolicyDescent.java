// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.bplus.PbPlusChoices.NodeSearch;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;

/**
 * Operations on one key as {@link PbPlusTree}'s, but with the prefetch policy, search and
 * localities that were chosen: every node is fetched, then searched (thesis 3.6, chapter 5). Apart
 * from the default descent, which these questions at every node would slow down.
 */
final class PolicyDescent {
  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final InnerNode inner;
  private final NodePrefetcher leafPrefetcher;
  private final NodePrefetcher innerPrefetcher;
  private final NodeSearch search;
  private final Locality queryLocality;
  private final Locality insertLocality;
  private final long missingValue;

  PolicyDescent(BPlusStructure tree, PbPlusChoices choices) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.leafPrefetcher = NodePrefetcher.of(choices.searchPrefetch(), leaf);
    this.innerPrefetcher = NodePrefetcher.of(choices.searchPrefetch(), inner);
    this.search = choices.search();
    this.queryLocality = choices.localities().query();
    this.insertLocality = choices.localities().insert();
    this.missingValue = tree.options.missingValue();
  }

  // ---------------------------------------------------------------- search

  long getOrDefault(long key, long defaultValue) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    return tree.holds(node, slot, key) ? leaf.value(nodes, node, slot) : defaultValue;
  }

  boolean containsKey(long key) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    return tree.holds(node, searchLeaf(nodes, node, key), key);
  }

  private long findLeaf(MemorySegment nodes, long key) {
    long base = tree.base;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      innerPrefetcher.prefetch(nodes, base, node, queryLocality);
      node = inner.child(nodes, node, searchInner(nodes, node, key));
    }
    leafPrefetcher.prefetch(nodes, base, node, queryLocality);
    return node;
  }

  private int searchInner(MemorySegment nodes, long node, long key) {
    return switch (search) {
      case LINEAR -> Keys.lowerBoundLinear(nodes, node, inner.keySlots, key);
      case BINARY -> Keys.lowerBoundBinary(nodes, node, inner.count(nodes, node), key);
      case SIMD -> Keys.lowerBound(nodes, node, inner.keySlots, key);
    };
  }

  private int searchLeaf(MemorySegment nodes, long node, long key) {
    return switch (search) {
      case LINEAR -> Keys.lowerBoundLinear(nodes, node, leaf.keySlots, key);
      case BINARY -> Keys.lowerBoundBinary(nodes, node, leaf.count(nodes, node), key);
      case SIMD -> Keys.lowerBound(nodes, node, leaf.keySlots, key);
    };
  }

  // ---------------------------------------------------------------- insert

  long put(long key, long value) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (tree.holds(node, slot, key)) {
      long previous = leaf.value(nodes, node, slot);
      leaf.value(nodes, node, slot, value);
      return previous;
    }
    tree.insertAt(node, slot, key, value);
    return missingValue;
  }

  long putIfAbsent(long key, long value) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (tree.holds(node, slot, key)) {
      return leaf.value(nodes, node, slot);
    }
    tree.insertAt(node, slot, key, value);
    return missingValue;
  }

  private long findPath(MemorySegment nodes, long key) {
    long base = tree.base;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      innerPrefetcher.prefetch(nodes, base, node, insertLocality);
      int slot = searchInner(nodes, node, key);
      tree.pathNode[level] = node;
      tree.pathSlot[level] = slot;
      node = inner.child(nodes, node, slot);
    }
    leafPrefetcher.prefetch(nodes, base, node, insertLocality);
    return node;
  }

  // ---------------------------------------------------------------- delete

  long remove(long key) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (!tree.holds(node, slot, key)) {
      return missingValue;
    }
    long previous = leaf.value(nodes, node, slot);
    tree.removeAt(node, slot);
    return previous;
  }
}
