// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;

/** What the two trees do alike: everything that is not a descent for one key or a group. */
abstract sealed class BEpsilonIndex extends AbstractIndex
    permits BEpsilonTree, BufferedRepositoryTree {
  final BEpsilonStructure tree;

  BEpsilonIndex(TreeVariant variant, BEpsilonStructure tree, IndexOptions options) {
    super(variant, tree, options);
    this.tree = tree;
    probesGoThrough(new BEpsilonLevels(tree, this));
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
    return found != missingValue || containsKey(key);
  }
}
