// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;

/** The end of a probe's way: the virtual nodes of the leaves, where probes are answered. */
final class LeafVisits {
  private final TreeLevels tree;
  private final AnswerSink sink;
  private final int height;
  private final int top;
  private long changes;

  /**
   * Makes it for the tree as it is.
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

  /** Tells whether nodes changed that have buffers, so that places which were noted are void. */
  boolean placesAreVoid() {
    return tree.changesAbove(top) != changes;
  }

  /** Takes note that no places are kept any more; of an outdated tree none ever will be. */
  void forgetPlaces() {
    if (!isOutdated()) {
      changes = tree.changesAbove(top);
    }
  }

  /** Tells whether the tree's height has changed. */
  boolean isOutdated() {
    return tree.height() != height;
  }

  /** Answers the probes of a leaves' virtual node, from the one numbered {@code from} on. */
  void answer(Probes probes, int from, long place) {
    answer(probes, from, top, place);
  }

  /** Answers probes that no buffer is kept for, from the one numbered {@code from} on. */
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
