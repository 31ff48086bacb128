// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Progress;
import java.util.ArrayList;
import java.util.List;

/**
 * Trees of the same keys in nodes of different widths, all there at once to be measured in turn.
 */
final class KeyTrees implements AutoCloseable {
  private final List<KeyTree> trees = new ArrayList<>();

  KeyTrees(List<Integer> widths, int entries, Progress progress) {
    for (int width : widths) {
      progress.show("building", (double) trees.size() / widths.size());
      trees.add(new KeyTree(width, entries));
    }
  }

  /** Returns the trees, in the order of their widths. */
  List<KeyTree> all() {
    return trees;
  }

  @Override
  public void close() {
    trees.forEach(KeyTree::close);
  }
}
