// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Carries out again what records of the log tell, in order. Writes to single keys are gathered, and
 * applied in the order of the keys, of each key the last one only.
 */
final class Replay {
  private static final int MOST_GATHERED = 1 << 26;

  /** Of the memory that the heap may have, what gathering takes at most. */
  private static final int HEAP_PART = 4;

  private final IntFunction<LongIndex> trees;
  private final int gatheredWrites;
  private final Map<Integer, SortedWrites> gathered = new HashMap<>();

  /** The index that the last write went to, as the next one mostly does. */
  private int lastId = -1;

  private @Nullable SortedWrites last;

  private long writes;

  /**
   * Begins.
   *
   * @param trees returns the tree of an index by its id
   * @param bytes of memory that writes may take while they are gathered
   */
  Replay(IntFunction<LongIndex> trees, long bytes) {
    long most = Math.min(bytes, Runtime.getRuntime().maxMemory() / HEAP_PART);
    this.gatheredWrites =
        Math.clamp(most / SortedWrites.BYTES, SortedWrites.USUAL_MOST, MOST_GATHERED);
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
      SortedWrites index = of(LogRecord.indexAt(segment, at + 1));
      at += 3;
      switch (kind) {
        case LogRecord.SET -> {
          index.set(LogRecord.longAt(segment, at), LogRecord.longAt(segment, at + 8));
          at += 16;
        }
        case LogRecord.DELETE -> {
          index.delete(LogRecord.longAt(segment, at));
          at += 8;
        }
        case LogRecord.RANGE -> {
          index.apply();
          index
              .tree()
              .removeRange(
                  LogRecord.longAt(segment, at), true, LogRecord.longAt(segment, at + 8), true);
          at += 16;
        }
        case LogRecord.CLEAR -> {
          index.clear();
          index.tree().clear();
        }
        default -> throw new IllegalArgumentException("the log has an operation of kind " + kind);
      }
      writes++;
    }
  }

  private SortedWrites of(int id) {
    SortedWrites of = last;
    if (of == null || id != lastId) {
      of = gathered.computeIfAbsent(id, any -> new SortedWrites(trees.apply(any), gatheredWrites));
      last = of;
      lastId = id;
    }
    return of;
  }

  /** Carries out what was gathered. */
  void finish() {
    gathered.values().forEach(SortedWrites::apply);
  }
}
