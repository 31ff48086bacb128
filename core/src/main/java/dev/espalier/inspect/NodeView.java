// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

/** A node of any tree, to look at: cold code only. Valid until the index is next changed. */
public interface NodeView {

  /** Returns the node's place in memory, in bytes from the start of its index's memory. */
  long offset();

  /** Returns the node's bytes. */
  long bytes();

  /** Returns the level: 0 for leaves, and at least one more than any child's elsewhere. */
  int level();

  /** Tells whether the node holds entries, with values, rather than separators. */
  default boolean holdsEntries() {
    return level() == 0;
  }

  /** Returns the number of keys. */
  int count();

  /** Returns the most keys the node can hold. */
  int capacity();

  /** Returns key {@code i}: of an entry, or a separator. */
  long key(int i);

  /** Returns value {@code i}; of nodes that hold entries only. */
  long value(int i);

  /** Returns the number of children: none in a leaf. */
  int children();

  /** Returns child {@code i}; inner nodes only. */
  NodeView child(int i);
}
