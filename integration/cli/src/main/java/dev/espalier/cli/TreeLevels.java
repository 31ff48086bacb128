// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts the nodes of a tree level by level, in one pass. */
final class TreeLevels {
  private final ProgressListener listener;
  private final long pages;
  private final long[] nodes;
  private final long[] bytes;
  private final long[] keys;
  private final long[] slots;
  private long visited;

  private TreeLevels(int height, ProgressListener listener, long pages) {
    this.listener = listener;
    this.pages = pages;
    this.nodes = new long[height];
    this.bytes = new long[height];
    this.keys = new long[height];
    this.slots = new long[height];
  }

  /**
   * What is on a level.
   *
   * @param level 0 for that of the leaves
   * @param bytes of the nodes
   * @param keys in all of them
   * @param slots there are for keys
   */
  record Level(int level, long nodes, long bytes, long keys, long slots) {

    /** Returns keys per slot, from 0 to 1. */
    double fill() {
      return slots == 0 ? 0 : (double) keys / slots;
    }

    Map<String, Object> toJson() {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("level", level);
      object.put("nodes", nodes);
      object.put("bytes", bytes);
      object.put("keys", keys);
      object.put("fill", fill());
      return object;
    }
  }

  /**
   * Counts.
   *
   * @param pages that the tree has, for the listener
   * @return the levels, from the root's to that of the leaves
   */
  static List<Level> count(NodeView root, long pages, ProgressListener listener) {
    TreeLevels counts = new TreeLevels(root.level() + 1, listener, pages);
    counts.visit(root);
    List<Level> levels = new ArrayList<>();
    for (int level = root.level(); level >= 0; level--) {
      levels.add(
          new Level(
              level,
              counts.nodes[level],
              counts.bytes[level],
              counts.keys[level],
              counts.slots[level]));
    }
    return levels;
  }

  private void visit(NodeView node) {
    int level = node.level();
    nodes[level]++;
    bytes[level] += node.bytes();
    keys[level] += node.count();
    slots[level] += node.capacity();
    visited++;
    listener.onProgress(visited, Math.max(visited, pages));
    for (int i = 0; i < node.children(); i++) {
      visit(node.child(i));
    }
  }
}
