// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntry;
import dev.espalier.LongLongPredicate;
import dev.espalier.LongUpdate;
import dev.espalier.node.Bits;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.Wanted;
import dev.espalier.tree.AbstractIndex;
import dev.espalier.tree.OneLevel;
import java.util.Objects;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** A {@link ConcurrentPbPlusTree} as it was at one moment, to be read by any number of threads. */
final class SnapshotIndex extends AbstractIndex {
  final SnapshotStructure nodes;

  SnapshotIndex(SnapshotStructure nodes, IndexOptions options) {
    super(ConcurrentPbPlusTree.VARIANT, nodes, options);
    this.nodes = nodes;
    nodes.setName("snapshot of a ConcurrentPbPlusTree");
    probesGoThrough(new Probes());
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return nodes.look(key, missingValue, null);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return nodes.look(key, defaultValue, null);
  }

  @Override
  public boolean containsKey(long key) {
    return nodes.look(key, 0, Wanted.PRESENCE) != 0;
  }

  @Override
  public boolean find(long key, long[] value) {
    Objects.checkIndex(0, value.length);
    return nodes.look(key, 0, value) != 0;
  }

  /** The snapshot as one level, whose probes are answered one by one. */
  private final class Probes extends OneLevel {
    @Override
    protected void checkOpen() {
      nodes.checkOpen();
    }

    @Override
    protected long replacements() {
      return 0;
    }

    @Override
    public void answer(
        int level,
        long[] keys,
        int keysFrom,
        long[] values,
        int valuesFrom,
        int count,
        long @Nullable [] found,
        int foundFrom) {
      long[] value = new long[1];
      for (int i = 0; i < count; i++) {
        boolean isThere = find(keys[keysFrom + i], value);
        values[valuesFrom + i] = isThere ? value[0] : missingValue;
        if (found != null && isThere) {
          Bits.add(found, foundFrom + i);
        }
      }
    }
  }

  // ---------------------------------------------------------------- what it refuses

  @Override
  public long put(long key, long value) {
    throw nodes.refusal();
  }

  @Override
  public long putIfAbsent(long key, long value) {
    throw nodes.refusal();
  }

  @Override
  public void set(long key, long value) {
    throw nodes.refusal();
  }

  @Override
  public boolean insert(long key, long value) {
    throw nodes.refusal();
  }

  @Override
  public boolean replace(long key, long expected, long value) {
    throw nodes.refusal();
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    throw nodes.refusal();
  }

  @Override
  public long remove(long key) {
    throw nodes.refusal();
  }

  @Override
  public void delete(long key) {
    throw nodes.refusal();
  }

  @Override
  public boolean remove(long key, long expected) {
    throw nodes.refusal();
  }

  @Override
  public long merge(long key, long value, LongBinaryOperator function) {
    throw nodes.refusal();
  }

  @Override
  public long computeIfAbsent(long key, LongUnaryOperator function) {
    throw nodes.refusal();
  }

  @Override
  public boolean compute(long key, LongEntry entry, LongUpdate update) {
    throw nodes.refusal();
  }

  @Override
  public boolean pollFirst(LongEntry entry) {
    throw nodes.refusal();
  }

  @Override
  public boolean pollLast(LongEntry entry) {
    throw nodes.refusal();
  }

  @Override
  public long removeIf(LongLongPredicate filter) {
    throw nodes.refusal();
  }

  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    throw nodes.refusal();
  }
}
