// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;

/** The end of the path of a probe: the virtual nodes of the leaves, where probes are answered. */
final class LeafVisits {
  private final TreeLevels tree;
  private final AnswerSink sink;
  private final int height;
  private final int top;
  private long changes;

  /**
   * Creates leaf visits for the current height of the tree.
   *
   * @throws IllegalArgumentException if the virtual nodes are not for a tree of this height
   */
  LeafVisits(TreeLevels tree, VirtualNodes nodes, AnswerSink sink) {
    this.tree = tree;
    this.sink = sink;
    this.height = tree.height();
    if (nodes.treeHeight() != height) {
      throw new IllegalArgumentException(
          "the virtual nodes " + nodes + " are not for a tree of " + height + " levels");
    }
    this.top = nodes.topLevel(nodes.buffers());
    this.changes = tree.changesAbove(top);
  }

  /**
   * Returns whether nodes that have buffers have changed, so that noted places are no longer valid.
   */
  boolean placesAreVoid() {
    return tree.changesAbove(top) != changes;
  }

  /**
   * Notes that no places are kept any more. If the height of the tree has changed, none will ever
   * be kept again.
   */
  void forgetPlaces() {
    if (!isOutdated()) {
      changes = tree.changesAbove(top);
    }
  }

  /** Returns whether the height of the tree has changed. */
  boolean isOutdated() {
    return tree.height() != height;
  }

  /** Answers the probes of a virtual node of the leaves, from number {@code from}. */
  void answer(Probes probes, int from, long place) {
    answer(probes, from, top, place);
  }

  /** Answers probes from the root, without buffers, from number {@code from}. */
  void answerFromRoot(Probes probes, int from) {
    answer(probes, from, tree.height() - 1, tree.root());
  }

  private void answer(Probes probes, int from, int level, long place) {
    int done = from;
    for (int i = from; i < probes.count; i++) {
      if (probes.tags[i] < 0) {
        answerRun(probes, done, i, level, place);
        sink.operate(probes.keys[i], probes.tags[i]);
        done = i + 1;
      }
    }
    answerRun(probes, done, probes.count, level, place);
  }

  private void answerRun(Probes probes, int from, int to, int level, long place) {
    if (from == to) {
      return;
    }
    boolean fromRoot = placesAreVoid();
    Arrays.fill(probes.places, from, to, fromRoot ? tree.root() : place);
    int begin = fromRoot ? tree.height() - 1 : level;
    Arrays.fill(probes.found, 0);
    tree.answer(begin, probes.keys, from, probes.places, from, to - from, probes.found, from);
    sink.answered(probes.tags, probes.keys, probes.places, probes.found, from, to);
  }
}
