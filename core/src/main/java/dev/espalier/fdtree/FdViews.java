// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;

/** Shows the head tree and the runs as nodes, one below the other. */
final class FdViews {
  private final FdStructure tree;
  private final RunPage layout;

  FdViews(FdStructure tree) {
    this.tree = tree;
    this.layout = tree.layout;
  }

  /** Returns the head tree as one node, with all of its elements. */
  NodeView head() {
    int[] leaves = tree.head.leaves();
    int[] ends = new int[leaves.length];
    int count = 0;
    for (int i = 0; i < leaves.length; i++) {
      long page = pin(leaves[i]);
      count += layout.count(tree.pages, page);
      tree.store.unpin(page, false);
      ends[i] = count;
    }
    int capacity = leaves.length * layout.capacity;
    return node(
        leaves[0], leaves.length, 0, count, capacity, (i, key) -> readHead(leaves, ends, i, key));
  }

  private NodeView run(int number) {
    Run run = tree.runs[number];
    long capacity = (long) run.pages() * layout.capacity;
    if (run.elements() < 0 || run.elements() > capacity) {
      throw new InvariantViolationException(
          "I2",
          "run %d has %d elements in %d pages".formatted(number, run.elements(), run.pages()));
    }
    return node(
        run.firstPage(),
        run.pages(),
        number,
        (int) Math.min(run.elements(), Integer.MAX_VALUE),
        (int) Math.min(capacity, Integer.MAX_VALUE),
        (i, key) -> read(run.firstPage() + i / layout.capacity, i % layout.capacity, key));
  }

  private interface Words {
    long read(int element, boolean key);
  }

  private NodeView node(
      int firstPage, int pages, int number, int count, int capacity, Words words) {
    return NodeView.withEntries(
            (firstPage - 1L) * layout.bytes,
            (long) pages * layout.bytes,
            tree.depth - number,
            count,
            capacity,
            i -> words.read(i, true),
            i -> words.read(i, false))
        .over(number < tree.depth ? 1 : 0, i -> run(number + 1));
  }

  private long readHead(int[] leaves, int[] ends, int element, boolean key) {
    int leaf = 0;
    while (leaf < leaves.length - 1 && ends[leaf] <= element) {
      leaf++;
    }
    return read(leaves[leaf], leaf == 0 ? element : element - ends[leaf - 1], key);
  }

  private long read(int number, int slot, boolean key) {
    long page = pin(number);
    long word = key ? RunPage.key(tree.pages, page, slot) : layout.value(tree.pages, page, slot);
    tree.store.unpin(page, false);
    return word;
  }

  private long pin(int page) {
    if (!tree.store.isInUse(page)) {
      throw new InvariantViolationException("I6", "page " + page + " is not in use");
    }
    return tree.store.pin(page);
  }
}
