// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;

/** What both COLAs do alike: everything that is not a search for one key or a group. */
abstract sealed class ColaIndex extends AbstractIndex permits Cola, DeamortizedCola {
  private final MessageLevels levels;

  ColaIndex(TreeVariant variant, MessageLevels levels, IndexOptions options) {
    super(variant, levels, options);
    this.levels = levels;
  }

  /** A value that is found whatever is asked for in its place. */
  @Override
  public final boolean containsKey(long key) {
    return getOrDefault(key, 0) != 0 || getOrDefault(key, 1) != 1;
  }

  /** Tells whether a key has no entry, whose {@code get} has answered {@code found}. */
  private boolean isAbsent(long key, long found) {
    return found == missingValue && !containsKey(key);
  }

  // ---------------------------------------------------------------- write

  @Override
  public final long put(long key, long value) {
    long previous = get(key);
    boolean isNew = isAbsent(key, previous);
    levels.put(key, value, isNew);
    return previous;
  }

  @Override
  public final long putIfAbsent(long key, long value) {
    long previous = get(key);
    if (isAbsent(key, previous)) {
      levels.put(key, value, true);
    } else {
      levels.change.begin();
    }
    return previous;
  }

  @Override
  public final void set(long key, long value) {
    levels.writeBlind(key, value, true);
  }

  @Override
  public final void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    levels.checkOpen();
    for (int i = 0; i < count; i++) {
      set(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public final long remove(long key) {
    long previous = get(key);
    if (isAbsent(key, previous)) {
      levels.change.begin();
    } else {
      levels.remove(key);
    }
    return previous;
  }

  @Override
  public final void delete(long key) {
    levels.writeBlind(key, 0, false);
  }
}
