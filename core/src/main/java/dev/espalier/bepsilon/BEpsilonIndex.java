// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.NodeView;
import dev.espalier.support.BatchArguments;

/** What the two trees do alike: everything that is not a descent for one key or a group. */
abstract sealed class BEpsilonIndex implements LongIndex
    permits BEpsilonTree, BufferedRepositoryTree {
  final BEpsilonStructure tree;

  BEpsilonIndex(BEpsilonStructure tree) {
    this.tree = tree;
  }

  @Override
  public final long missingValue() {
    tree.checkOpen();
    return tree.options.missingValue();
  }

  // ---------------------------------------------------------------- size

  /**
   * Returns the exact number of entries. It is known as long as every write has looked at what was
   * there ({@code put}, {@code putIfAbsent}, {@code remove}). After a {@code set}, {@code delete},
   * {@code add} or {@code putAll} the next call takes a pass over all entries, and the result is
   * kept until the next such write.
   */
  @Override
  public final long size() {
    long known = tree.size();
    if (known >= 0) {
      return known;
    }
    long entries = countRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true);
    tree.counted(entries);
    return entries;
  }

  /**
   * Returns the number of entries if it is known, or else of those that are in leaves, whatever the
   * messages that are still above them will do to it.
   */
  @Override
  public final long sizeEstimate() {
    long known = tree.size();
    return known >= 0 ? known : tree.meta[BEpsilonStructure.LEAF_ENTRIES];
  }

  @Override
  public final boolean isEmpty() {
    long known = tree.size();
    return known >= 0 ? known == 0 : !cursor().first();
  }

  // ---------------------------------------------------------------- write

  @Override
  public final long put(long key, long value) {
    long previous = get(key);
    tree.put(key, value, isThere(key, previous));
    return previous;
  }

  @Override
  public final long putIfAbsent(long key, long value) {
    tree.store.beforeChange();
    long previous = get(key);
    if (!isThere(key, previous)) {
      tree.put(key, value, false);
    }
    return previous;
  }

  /** Stores a value without a look at what is there: one page is touched by most calls. */
  @Override
  public final void set(long key, long value) {
    tree.writeBlind(Message.PUT, key, value);
  }

  /**
   * Adds {@code delta} to the value of {@code key}, or stores it if the key has none, without a
   * look at what is there. As {@link #set}; a sum that overflows wraps around.
   *
   * @throws dev.espalier.memory.MemoryLimitException if the index may not grow further; it is then
   *     as it was before the call
   */
  public final void add(long key, long delta) {
    tree.writeBlind(Message.ADD, key, delta);
  }

  /** Stores all without a look at what is there. */
  @Override
  public final void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      set(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public final long remove(long key) {
    tree.store.beforeChange();
    long previous = get(key);
    if (isThere(key, previous)) {
      tree.remove(key);
    }
    return previous;
  }

  /** Removes a key without a look whether it is there: one page is touched by most calls. */
  @Override
  public final void delete(long key) {
    tree.writeBlind(Message.DELETE, key, 0);
  }

  /** Tells whether a key is there whose {@code get} has answered {@code found}. */
  private boolean isThere(long key, long found) {
    return found != tree.options.missingValue() || containsKey(key);
  }

  @Override
  public final void clear() {
    tree.clear();
  }

  // ---------------------------------------------------------------- the rest

  @Override
  public final LongCursor cursor() {
    tree.checkOpen();
    return new BEpsilonCursor(tree);
  }

  @Override
  public final void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new BEpsilonBulkload(tree, fillFactor, size()).load(entries, total, listener);
  }

  @Override
  public final void verify(ProgressListener listener) {
    BEpsilonVerifier.verify(tree, listener);
  }

  @Override
  public final NodeView rootView() {
    tree.checkOpen();
    return BEpsilonNodeView.of(tree, tree.root(), tree.height() - 1);
  }

  /** Takes a second pass where {@link #size} does. */
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
