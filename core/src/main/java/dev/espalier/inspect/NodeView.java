// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A node of any tree, to look at: cold code only. Valid until the index is next changed.
 *
 * <p>A structure makes the view of its root; children are made when they are asked for.
 */
public final class NodeView {
  private final long offset;
  private final long bytes;
  private final int level;
  private final int count;
  private final int capacity;
  private final IntToLongFunction keys;
  private final @Nullable IntToLongFunction values;
  private final int children;
  private final IntFunction<NodeView> child;

  private NodeView(
      long offset,
      long bytes,
      int level,
      int count,
      int capacity,
      IntToLongFunction keys,
      @Nullable IntToLongFunction values,
      int children,
      IntFunction<NodeView> child) {
    this.offset = offset;
    this.bytes = bytes;
    this.level = level;
    this.count = count;
    this.capacity = capacity;
    this.keys = keys;
    this.values = values;
    this.children = children;
    this.child = child;
  }

  // ---------------------------------------------------------------- for the structures

  /** Returns a leaf: {@code count} entries, by their slots. */
  public static NodeView leaf(
      long offset,
      long bytes,
      int count,
      int capacity,
      IntToLongFunction keys,
      IntToLongFunction values) {
    return withEntries(offset, bytes, 0, count, capacity, keys, values);
  }

  /** Returns a node with entries on any level, without children so far. */
  public static NodeView withEntries(
      long offset,
      long bytes,
      int level,
      int count,
      int capacity,
      IntToLongFunction keys,
      IntToLongFunction values) {
    return new NodeView(offset, bytes, level, count, capacity, keys, values, 0, NodeView::noChild);
  }

  /** Returns an inner node: separators by their slots, and one child more. */
  public static NodeView inner(
      long offset,
      long bytes,
      int level,
      int separators,
      int capacity,
      IntToLongFunction keys,
      IntFunction<NodeView> child) {
    return separators(offset, bytes, level, separators, capacity, keys).over(separators + 1, child);
  }

  /** Returns an inner node: separators by their slots, without children so far. */
  public static NodeView separators(
      long offset, long bytes, int level, int count, int capacity, IntToLongFunction keys) {
    return new NodeView(offset, bytes, level, count, capacity, keys, null, 0, NodeView::noChild);
  }

  /** Returns this node with children. */
  public NodeView over(int number, IntFunction<NodeView> newChild) {
    return new NodeView(offset, bytes, level, count, capacity, keys, values, number, newChild);
  }

  private static NodeView noChild(int i) {
    throw new IndexOutOfBoundsException(i);
  }

  /**
   * Returns a node's count. One that can't be is refused: a walk over all children would not end.
   *
   * @param invariant number of the invariant that bounds it, such as {@code I4}
   * @throws InvariantViolationException if the count is below {@code least} or above {@code most}
   */
  public static int checkedCount(
      String invariant, long node, int level, int count, int least, int most) {
    if (count < least || count > most) {
      throw new InvariantViolationException(
          invariant,
          "the node @%d of level %d has count %d of %d".formatted(node, level, count, most));
    }
    return count;
  }

  // ---------------------------------------------------------------- for those who look

  /** Returns the node's place in memory, in bytes from the start of its index's memory. */
  public long offset() {
    return offset;
  }

  /** Returns the node's bytes. */
  public long bytes() {
    return bytes;
  }

  /** Returns the level: 0 for leaves, and at least one more than any child's elsewhere. */
  public int level() {
    return level;
  }

  /** Tells whether the node holds entries, with values, rather than separators. */
  public boolean holdsEntries() {
    return values != null;
  }

  /** Returns the number of keys. */
  public int count() {
    return count;
  }

  /** Returns the most keys the node can hold. */
  public int capacity() {
    return capacity;
  }

  /** Returns key {@code i}: of an entry, or a separator. */
  public long key(int i) {
    return keys.applyAsLong(Objects.checkIndex(i, count));
  }

  /** Returns value {@code i}; of nodes that hold entries only. */
  public long value(int i) {
    if (values == null) {
      throw new IndexOutOfBoundsException("value " + i + " of a node that holds no entries");
    }
    return values.applyAsLong(Objects.checkIndex(i, count));
  }

  /** Returns the number of children: none in a leaf. */
  public int children() {
    return children;
  }

  /** Returns child {@code i}; inner nodes only. */
  public NodeView child(int i) {
    return child.apply(Objects.checkIndex(i, children));
  }
}
