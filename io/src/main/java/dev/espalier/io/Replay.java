// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Carries out again what records of the log tell, in order. Writes to single keys are gathered, and
 * applied in the order of the keys, of each key the last one only.
 */
final class Replay {
  /** Writes to an index that are gathered: a few MiB. */
  private static final int GATHERED = 1 << 17;

  private final IntFunction<LongIndex> trees;
  private final Map<Integer, Gathered> gathered = new HashMap<>();
  private long writes;

  /**
   * Begins.
   *
   * @param trees returns the tree of an index by its id
   */
  Replay(IntFunction<LongIndex> trees) {
    this.trees = trees;
  }

  /** Returns how many writes were carried out. */
  long writes() {
    return writes;
  }

  /** Carries out the operations that a batch tells of, now or at {@link #finish}. */
  void add(byte[] segment, int from, int length) {
    int at = from;
    while (at < from + length) {
      int kind = segment[at];
      Gathered index = of(LogRecord.indexAt(segment, at + 1));
      at += 3;
      switch (kind) {
        case LogRecord.SET -> {
          index.add(LogRecord.longAt(segment, at), LogRecord.longAt(segment, at + 8), true);
          at += 16;
        }
        case LogRecord.DELETE -> {
          index.add(LogRecord.longAt(segment, at), 0, false);
          at += 8;
        }
        case LogRecord.RANGE -> {
          index.apply();
          index.tree.removeRange(
              LogRecord.longAt(segment, at), true, LogRecord.longAt(segment, at + 8), true);
          at += 16;
        }
        case LogRecord.CLEAR -> {
          index.count = 0;
          index.tree.clear();
        }
        default -> throw new IllegalArgumentException("the log has an operation of kind " + kind);
      }
      writes++;
    }
  }

  private Gathered of(int id) {
    return gathered.computeIfAbsent(id, any -> new Gathered(trees.apply(any)));
  }

  /** Carries out what was gathered. */
  void finish() {
    gathered.values().forEach(Gathered::apply);
  }

  /** Writes to one index. */
  private static final class Gathered {
    final LongIndex tree;
    private final long[] keys = new long[GATHERED];
    private final long[] values = new long[GATHERED];
    private final boolean[] stores = new boolean[GATHERED];
    int count;

    Gathered(LongIndex tree) {
      this.tree = tree;
    }

    void add(long key, long value, boolean stored) {
      if (count == GATHERED) {
        apply();
      }
      keys[count] = key;
      values[count] = value;
      stores[count] = stored;
      count++;
    }

    void apply() {
      int[] order = LastWrites.of(keys, count);
      long[] putKeys = new long[order.length];
      long[] putValues = new long[order.length];
      int puts = 0;
      for (int write : order) {
        if (stores[write]) {
          putKeys[puts] = keys[write];
          putValues[puts++] = values[write];
        } else {
          tree.delete(keys[write]);
        }
      }
      tree.putAll(Arrays.copyOf(putKeys, puts), Arrays.copyOf(putValues, puts));
      count = 0;
    }
  }
}
