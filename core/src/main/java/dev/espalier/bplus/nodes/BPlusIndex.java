// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;

/** What all B+-trees do alike: everything that is not a descent for one key. */
public abstract class BPlusIndex implements LongIndex {
  public final BPlusStructure tree;

  protected BPlusIndex(BPlusStructure tree) {
    this.tree = tree;
  }

  @Override
  public final long missingValue() {
    tree.checkOpen();
    return tree.options.missingValue();
  }

  @Override
  public final long size() {
    tree.checkOpen();
    return tree.size;
  }

  @Override
  public final boolean isEmpty() {
    return size() == 0;
  }

  @Override
  public final void clear() {
    tree.clear();
  }

  @Override
  public final void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new BPlusBulkload(tree, fillFactor).load(entries, total, listener);
  }

  @Override
  public final void verify(ProgressListener listener) {
    BPlusVerifier.verify(tree, listener);
  }

  @Override
  public final NodeView rootView() {
    tree.checkOpen();
    return new BPlusNodeView(tree, tree.root, tree.height - 1);
  }

  @Override
  public final IndexStatistics statistics() {
    return IndexStatistics.of(rootView(), tree.size, tree.memory);
  }

  @Override
  public final boolean isClosed() {
    return tree.memory.isClosed();
  }

  @Override
  public final void close() {
    tree.memory.close();
  }
}
