// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Entries copied to the heap, to be handed out as a run: keys in the first half of one array, their
 * values in the second. A cursor keeps it and refills it for each run, so that scans do not
 * allocate.
 */
final class RunBuffer {
  private long[] entries;
  private MemorySegment segment;
  private int count;

  RunBuffer(int capacity) {
    entries = new long[2 * capacity];
    segment = MemorySegment.ofArray(entries).asReadOnly();
  }

  void clear() {
    count = 0;
  }

  boolean isEmpty() {
    return count == 0;
  }

  boolean isFull() {
    return count == capacity();
  }

  /** Appends an entry; the buffer must not be full. */
  void add(long key, long value) {
    entries[count] = key;
    entries[capacity() + count] = value;
    count++;
  }

  /**
   * Replaces the content with the entries of {@code run}, whose stride is that of ascending runs.
   */
  void copy(LongRun run) {
    if (run.count() > capacity()) {
      entries = new long[2 * run.count()];
      segment = MemorySegment.ofArray(entries).asReadOnly();
    }
    count = run.count();
    copy(run.segment(), run.keysOffset(), 0);
    copy(run.segment(), run.valuesOffset(), capacity());
  }

  /** Makes {@code run} a window into this buffer. */
  void handOut(LongRun run) {
    run.set(segment, 0, (long) capacity() * Long.BYTES, Long.BYTES, count);
  }

  private void copy(MemorySegment source, long offset, int to) {
    MemorySegment.copy(source, ValueLayout.JAVA_LONG, offset, entries, to, count);
  }

  private int capacity() {
    return entries.length / 2;
  }
}
