// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;

/** What the trees of this package do alike: everything that is not a descent for one key. */
abstract sealed class BPlusIndex implements LongIndex permits BPlusTree, PbPlusTree {
  final BPlusStructure tree;

  BPlusIndex(BPlusStructure tree) {
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
  public final long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    checkRange(from, to);
    tree.checkOpen();
    boolean startsAboveAll = !fromInclusive && from == Long.MAX_VALUE;
    boolean endsBelowAll = !toInclusive && to == Long.MIN_VALUE;
    if (startsAboveAll || endsBelowAll) {
      return 0;
    }
    long low = fromInclusive ? from : from + 1;
    long high = toInclusive ? to : to - 1;
    BPlusCursor cursor = new BPlusCursor(tree, 0);
    return low <= high && cursor.ceiling(low) ? cursor.countUpTo(high) : 0;
  }

  @Override
  public final long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    long before = countRange(from, fromInclusive, to, toInclusive);
    if (before == tree.size) {
      tree.clear();
      return before;
    }
    BPlusCursor cursor = new BPlusCursor(tree, 0);
    for (long left = before; left > 0; left--) {
      if (fromInclusive) {
        cursor.ceiling(from);
      } else {
        cursor.higher(from);
      }
      cursor.remove();
    }
    return before;
  }

  private static void checkRange(long from, long to) {
    if (from > to) {
      throw new IllegalArgumentException("from is " + from + ", above to, which is " + to);
    }
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
