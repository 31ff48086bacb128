// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.ClosedRange;
import dev.espalier.tree.AbstractIndex;

/**
 * What the trees of linked pages have in common as indexes: all writes are {@link BLinkWriter}'s.
 */
abstract class LinkedIndex extends AbstractIndex implements ConcurrentLongIndex {
  /** Keys of {@link #putAll} that are looked up together. */
  private static final int GROUP = 64;

  final BLinkStructure tree;
  private final BLinkWriter writer;

  LinkedIndex(TreeVariant variant, BLinkStructure tree, IndexOptions options) {
    super(variant, tree, options);
    this.tree = tree;
    this.writer = new BLinkWriter(tree);
  }

  @Override
  public final long put(long key, long value) {
    return writer.put(key, value, true, missingValue);
  }

  @Override
  public final long putIfAbsent(long key, long value) {
    return writer.put(key, value, false, missingValue);
  }

  @Override
  public final void set(long key, long value) {
    put(key, value);
  }

  /**
   * Looks a group of keys up together, which fetches the pages that they belong in, and then puts
   * one after the other.
   */
  @Override
  public final void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    int most = Math.min(count, Math.min(GROUP, tree.store.mostPins()));
    long[] before = new long[most];
    for (int done = 0; done < count; done += most) {
      int group = Math.min(most, count - done);
      if (group > 1) {
        getAll(keys, keysFrom + done, before, 0, group);
      }
      for (int i = done; i < done + group; i++) {
        put(keys[keysFrom + i], values[valuesFrom + i]);
      }
    }
  }

  @Override
  public final long remove(long key) {
    return writer.remove(key, missingValue);
  }

  @Override
  public final void delete(long key) {
    remove(key);
  }

  @Override
  public final boolean insert(long key, long value) {
    return writer.insert(key, value);
  }

  @Override
  public final boolean replace(long key, long expected, long value) {
    return writer.replace(key, expected, value);
  }

  @Override
  public final boolean remove(long key, long expected) {
    return writer.removeIf(key, expected);
  }

  /** Removes what is of the range in each leaf at one moment, leaf by leaf. */
  @Override
  public final long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    tree.checkOpen();
    return range.isEmpty() ? 0 : new BLinkCut(tree, range.first(), range.last()).remove();
  }
}
