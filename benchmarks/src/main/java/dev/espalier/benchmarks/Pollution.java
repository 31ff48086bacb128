// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongNavigable;
import dev.espalier.LongRun;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;

/**
 * Runs every variant, with its cursors, views, maps and batches, until the JIT compiler has seen
 * them all: the state of a JVM that uses several trees.
 */
public final class Pollution {
  /** Entries per variant for measurements: what a program that uses several trees goes through. */
  public static final int ENTRIES = 100_000;

  /** Entries per variant for a look at the program: all calls are made, and most are compiled. */
  public static final int FEW_ENTRIES = 2_000;

  private static final int ROUNDS = 5;
  private static final int GROUP = 100;

  private Pollution() {}

  /**
   * Runs all variants in turn, several times over.
   *
   * @param entries how many each variant gets, {@link #ENTRIES} or {@link #FEW_ENTRIES}
   * @return a sum over everything that was read, so that nothing is optimized away
   */
  public static long warmAllVariants(int entries) {
    long sum = 0;
    List<LongIndex> indexes = new ArrayList<>();
    for (TreeVariant variant : Family.all()) {
      indexes.add(variant.create(IndexOptions.DEFAULT));
      indexes.add(variant.create(IndexOptions.DEFAULT).withReadWriteLock());
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (LongIndex index : indexes) {
        index.clear();
        sum += update(index, entries);
        sum += read(index, entries) + read(index.descendingView(), entries);
        sum += read(index.tailView(0, true), entries);
        sum += readBatches(index, entries) + readMap(index.asMap(), entries);
        sum += bulkload(index, entries);
      }
    }
    indexes.forEach(LongIndex::close);
    return sum;
  }

  private static long update(LongIndex index, int count) {
    long sum = 0;
    for (long i = 0; i < count; i++) {
      sum += index.put(WorkKeys.key(i), i);
      index.set(WorkKeys.ascendingKey(i), i);
    }
    for (long i = 0; i < count; i += 2) {
      sum += index.remove(WorkKeys.key(i));
      index.delete(WorkKeys.ascendingKey(i));
    }
    return sum;
  }

  private static long read(LongNavigable entries, int count) {
    long sum = 0;
    for (long i = 0; i < count; i++) {
      sum += entries.get(WorkKeys.key(i));
    }
    LongCursor cursor = entries.cursor();
    while (cursor.next()) {
      sum += cursor.key() + cursor.value();
    }
    while (cursor.previous()) {
      sum += cursor.key();
    }
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      sum += run.key(0) + run.value(run.count() - 1);
    }
    return sum;
  }

  private static long readBatches(LongIndex index, int count) {
    long sum = 0;
    long[] values = new long[GROUP];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment answers = arena.allocate(ValueLayout.JAVA_LONG, GROUP);
      for (int from = 0; from < count; from += GROUP) {
        long[] keys = WorkKeys.keys(from, GROUP);
        index.getAll(keys, values);
        index.getAll(arena.allocateFrom(ValueLayout.JAVA_LONG, keys), answers);
        sum += values[0] + answers.getAtIndex(ValueLayout.JAVA_LONG, GROUP - 1);
      }
    }
    return sum;
  }

  private static long readMap(NavigableMap<Long, Long> map, int count) {
    long sum = 0;
    for (long i = 0; i < count; i++) {
      Long value = map.get(WorkKeys.key(i));
      sum += value == null ? 1 : value;
    }
    return sum;
  }

  private static long bulkload(LongIndex index, int count) {
    index.clear();
    index.bulkload(WorkKeys.sorted(count), 0.8, count, ProgressListener.NONE);
    return read(index, count);
  }
}
