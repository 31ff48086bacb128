// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import dev.espalier.inspect.NodeView;
import java.util.Objects;

/**
 * A node of the directory, or of the array as a leaf, for inspection. The delta is not shown;
 * entries that were removed since the last rebuild are.
 *
 * @param depth 0 for the root
 * @param number the node's number among those of its depth
 */
record CssNodeView(CssStructure tree, int depth, long number) implements NodeView {

  @Override
  public long offset() {
    long offset = number * bytes();
    return level() == 0 ? offset : tree.directory.levelOffset[depth] + offset;
  }

  @Override
  public long bytes() {
    return (long) tree.directory.keySlots * Long.BYTES;
  }

  @Override
  public int level() {
    return tree.directory.levels - depth;
  }

  @Override
  public int count() {
    if (level() > 0) {
      return children() - 1;
    }
    long first = number * tree.directory.keySlots;
    return Math.clamp(tree.array.count - first, 0, tree.directory.keySlots);
  }

  @Override
  public int capacity() {
    return level() == 0 ? tree.directory.keySlots : tree.directory.fanOut - 1;
  }

  @Override
  public long key(int i) {
    Objects.checkIndex(i, count());
    return level() == 0
        ? tree.array.key(number * tree.directory.keySlots + i)
        : tree.directory.separator(depth, number, i);
  }

  @Override
  public long value(int i) {
    Objects.checkIndex(i, level() == 0 ? count() : 0);
    return tree.array.value(number * tree.directory.keySlots + i);
  }

  @Override
  public int children() {
    return level() == 0 ? 0 : tree.directory.children(depth, number);
  }

  @Override
  public NodeView child(int i) {
    Objects.checkIndex(i, children());
    return new CssNodeView(tree, depth + 1, number * tree.directory.fanOut + i);
  }
}
