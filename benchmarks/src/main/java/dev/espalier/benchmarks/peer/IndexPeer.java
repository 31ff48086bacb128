// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.benchmarks.Sums;
import java.util.function.Function;

/** A tree of Espalier's. */
public final class IndexPeer implements Peer {
  private final LongIndex index;

  // Cursors are meant to be kept; the range scans seek with theirs again and again.
  private final LongCursor cursor;

  /** Makes an empty tree. */
  public IndexPeer(Function<IndexOptions, ? extends LongIndex> factory) {
    index = factory.apply(IndexOptions.DEFAULT.withMissingValue(MISSING));
    cursor = index.cursor();
  }

  /** Returns the tree. */
  public LongIndex index() {
    return index;
  }

  @Override
  public long get(long key) {
    return index.get(key);
  }

  @Override
  public void getAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    index.getAll(keys, keysFrom, values, valuesFrom, count);
  }

  @Override
  public void put(long key, long value) {
    index.put(key, value);
  }

  @Override
  public void set(long key, long value) {
    index.set(key, value);
  }

  @Override
  public void remove(long key) {
    index.remove(key);
  }

  @Override
  public void bulkload(LongEntrySource entries, long total) {
    index.bulkload(entries, 1.0, total, ProgressListener.NONE);
  }

  @Override
  public long scanEntries() {
    LongCursor all = index.cursor();
    long sum = 0;
    while (all.next()) {
      sum += all.key() + all.value();
    }
    return sum;
  }

  @Override
  public long scanRuns() {
    return Sums.ofRuns(index.cursor());
  }

  @Override
  public long scanRange(long from, int count) {
    long sum = 0;
    boolean more = cursor.ceiling(from);
    for (int i = 0; i < count && more; i++) {
      sum += cursor.key() + cursor.value();
      more = cursor.next();
    }
    return sum;
  }

  @Override
  public long size() {
    return index.size();
  }

  @Override
  public long bytes() {
    return index.statistics().usedBytes();
  }

  @Override
  public void close() {
    index.close();
  }
}
