// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of a node of any tree, for printers and statistics. Too slow for searches. Valid
 * until the index changes.
 *
 * <p>An index creates the view of its root; views of children are created on demand.
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

  /**
   * Returns the view of a leaf.
   *
   * @param keys returns the key in a slot
   * @param values returns the value in a slot
   */
  public static NodeView leaf(
      long offset,
      long bytes,
      int count,
      int capacity,
      IntToLongFunction keys,
      IntToLongFunction values) {
    return withEntries(offset, bytes, 0, count, capacity, keys, values);
  }

  /**
   * Returns the view of a node with entries on any level, without children; {@link #over} adds
   * them.
   */
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

  /** Returns the view of an inner node that has one child more than separators. */
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

  /** Returns the view of an inner node, without children; {@link #over} adds them. */
  public static NodeView separators(
      long offset, long bytes, int level, int count, int capacity, IntToLongFunction keys) {
    return new NodeView(offset, bytes, level, count, capacity, keys, null, 0, NodeView::noChild);
  }

  /**
   * Returns this view with children.
   *
   * @param number the number of children
   * @param newChild creates the view of a child
   */
  public NodeView over(int number, IntFunction<NodeView> newChild) {
    return new NodeView(offset, bytes, level, count, capacity, keys, values, number, newChild);
  }

  private static NodeView noChild(int i) {
    throw new IndexOutOfBoundsException(i);
  }

  /**
   * Returns the count of a node if the count is possible. With an impossible count, a walk over all
   * children might not end.
   *
   * @param invariant number of the invariant that limits the count, such as {@code I4}
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

  /** Returns the offset of the node in the memory of its index, in bytes. */
  public long offset() {
    return offset;
  }

  /** Returns the size of the node in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Returns the level: 0 for leaves; otherwise at least one more than that of any child. */
  public int level() {
    return level;
  }

  /** Returns whether the node holds entries, which have values, rather than separators. */
  public boolean holdsEntries() {
    return values != null;
  }

  /** Returns the number of keys. */
  public int count() {
    return count;
  }

  /** Returns the most keys that the node can hold. */
  public int capacity() {
    return capacity;
  }

  /**
   * Returns key {@code i}, of an entry or a separator.
   *
   * @throws IndexOutOfBoundsException if there is no key {@code i}
   */
  public long key(int i) {
    return keys.applyAsLong(Objects.checkIndex(i, count));
  }

  /**
   * Returns value {@code i}.
   *
   * @throws IndexOutOfBoundsException if there is no entry {@code i}, or the node holds separators
   */
  public long value(int i) {
    if (values == null) {
      throw new IndexOutOfBoundsException("value " + i + " of a node that holds no entries");
    }
    return values.applyAsLong(Objects.checkIndex(i, count));
  }

  /** Returns the number of children, 0 for a leaf. */
  public int children() {
    return children;
  }

  /**
   * Returns the view of child {@code i}.
   *
   * @throws IndexOutOfBoundsException if there is no child {@code i}
   */
  public NodeView child(int i) {
    return child.apply(Objects.checkIndex(i, children));
  }
}
