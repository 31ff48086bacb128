// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import dev.espalier.LongEntrySource;
import java.util.List;

/**
 * Merges several sorted runs into one, with one entry of each key. The runs' readers are a binary
 * heap, with the one that has the next pair on top. Each entry takes O(log runs) time.
 */
final class RunMerge implements LongEntrySource {
  private final RunReader[] heap;
  private final Duplicates duplicates;
  private int readers;
  private long key;
  private long value;
  private long dropped;

  /** Merges runs; each reader is before its first pair. */
  RunMerge(List<RunReader> runs, Duplicates duplicates) {
    this.heap = runs.toArray(RunReader[]::new);
    this.duplicates = duplicates;
    for (RunReader run : runs) {
      if (run.next()) {
        heap[readers++] = run;
      }
    }
    for (int parent = readers / 2 - 1; parent >= 0; parent--) {
      siftDown(parent);
    }
  }

  @Override
  public boolean next() {
    if (readers == 0) {
      return false;
    }
    key = heap[0].key();
    value = heap[0].value();
    advanceTop();
    while (readers > 0 && heap[0].key() == key) {
      value = Pairs.choose(duplicates, key, value, heap[0].value());
      dropped++;
      advanceTop();
    }
    return true;
  }

  private void advanceTop() {
    if (!heap[0].next()) {
      readers--;
      heap[0] = heap[readers];
    }
    siftDown(0);
  }

  private void siftDown(int from) {
    int parent = from;
    RunReader sinking = heap[parent];
    while (2 * parent + 1 < readers) {
      int child = 2 * parent + 1;
      if (child + 1 < readers && heap[child + 1].isBefore(heap[child])) {
        child++;
      }
      if (!heap[child].isBefore(sinking)) {
        break;
      }
      heap[parent] = heap[child];
      parent = child;
    }
    heap[parent] = sinking;
  }

  @Override
  public long key() {
    return key;
  }

  @Override
  public long value() {
    return value;
  }

  /** Returns how many entries were dropped so far because another has the same key. */
  long dropped() {
    return dropped;
  }
}
