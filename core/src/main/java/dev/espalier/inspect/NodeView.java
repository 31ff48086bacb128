// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

/** A node of any tree, to look at: cold code only. Valid until the index is next changed. */
public interface NodeView {

  /** Returns the node's place in memory, in bytes from the start of its index's memory. */
  long offset();

  /** Returns the node's bytes. */
  long bytes();

  /** Returns the level: 0 for leaves, and one more per level up. */
  int level();

  /** Returns the number of keys. */
  int count();

  /** Returns the most keys the node can hold. */
  int capacity();

  /** Returns key {@code i}: of an entry in a leaf, a separator in an inner node. */
  long key(int i);

  /** Returns value {@code i}; leaves only. */
  long value(int i);

  /** Returns the number of children: none in a leaf. */
  int children();

  /** Returns child {@code i}; inner nodes only. */
  NodeView child(int i);
}
