// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import java.util.Objects;

/**
 * A node of a cache-first tree, for inspection: read once, when the view is made. Its keys are the
 * separators, one less than its children.
 */
final class CacheFirstNodeView implements NodeView {
  private final CacheFirstStructure tree;
  private final int node;
  private final int level;
  private final long[] keys;

  /** Values of a leaf, children of an inner node. */
  private final long[] payloads;

  private CacheFirstNodeView(
      CacheFirstStructure tree, int node, int level, long[] keys, long[] payloads) {
    this.tree = tree;
    this.node = node;
    this.level = level;
    this.keys = keys;
    this.payloads = payloads;
  }

  /** A count that can't be is refused: who looks at all children would not come to an end. */
  static CacheFirstNodeView of(CacheFirstStructure tree, int node, int level) {
    long at = tree.pin(node);
    try {
      int count = level == 0 ? tree.leaf.count(tree.pages, at) : tree.inner.count(tree.pages, at);
      int capacity = level == 0 ? tree.leaf.capacity : tree.inner.capacity;
      int least = level == 0 ? 0 : 1;
      if (count < least || count > capacity) {
        throw new InvariantViolationException(
            "I4", "a node of level %d has count %d of %d".formatted(level, count, capacity));
      }
      long[] keys = new long[level == 0 ? count : count - 1];
      long[] payloads = new long[count];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = tree.leaf.key(tree.pages, at, i);
      }
      for (int i = 0; i < count; i++) {
        payloads[i] =
            level == 0 ? tree.leaf.value(tree.pages, at, i) : tree.inner.child(tree.pages, at, i);
      }
      return new CacheFirstNodeView(tree, node, level, keys, payloads);
    } finally {
      tree.unpin(at, false);
    }
  }

  @Override
  public long offset() {
    return Integer.toUnsignedLong(node) << CacheLine.SHIFT;
  }

  @Override
  public int level() {
    return level;
  }

  @Override
  public int count() {
    return keys.length;
  }

  @Override
  public long bytes() {
    return tree.leaf.bytes;
  }

  @Override
  public int capacity() {
    return level == 0 ? tree.leaf.capacity : tree.inner.keySlots;
  }

  @Override
  public long key(int i) {
    return keys[Objects.checkIndex(i, keys.length)];
  }

  @Override
  public long value(int i) {
    return payloads[Objects.checkIndex(i, level == 0 ? keys.length : 0)];
  }

  @Override
  public int children() {
    return level == 0 ? 0 : payloads.length;
  }

  @Override
  public NodeView child(int i) {
    return of(tree, (int) payloads[Objects.checkIndex(i, children())], level - 1);
  }
}
