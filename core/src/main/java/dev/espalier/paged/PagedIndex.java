// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;

/**
 * What the trees whose nodes are pages do alike: everything that is not a descent for one key or a
 * group.
 */
abstract sealed class PagedIndex implements LongIndex
    permits DiskOptimizedBPlusTree, MicroIndexBPlusTree, DiskFirstFpbPlusTree {
  final PagedStructure tree;

  PagedIndex(PagedStructure tree) {
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
    return tree.meta[PagedStructure.SIZE];
  }

  @Override
  public final boolean isEmpty() {
    return size() == 0;
  }

  @Override
  public final void set(long key, long value) {
    put(key, value);
  }

  @Override
  public final void delete(long key) {
    remove(key);
  }

  @Override
  public final void clear() {
    tree.clear();
  }

  @Override
  public final void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new PagedBulkload(tree, fillFactor).load(entries, total, listener);
  }

  @Override
  public final void verify(ProgressListener listener) {
    PagedVerifier.verify(tree, listener);
  }

  @Override
  public final NodeView rootView() {
    tree.checkOpen();
    return PagedNodeView.of(tree, tree.root(), tree.height() - 1);
  }

  @Override
  public final IndexStatistics statistics() {
    return IndexStatistics.of(
        rootView(),
        size(),
        (long) tree.store.pagesInUse() * tree.store.pageBytes(),
        tree.store.committedBytes(),
        tree.store.hugePagesGranted());
  }

  @Override
  public final void flush() {
    tree.checkOpen();
    tree.store.flush();
  }

  @Override
  public final boolean isClosed() {
    return tree.store.isClosed();
  }

  /** Frees the pages. A second call does nothing. */
  @Override
  public final void close() {
    tree.modifications.changes++;
    tree.store.close();
  }
}
