// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.batch.AnswerConsumer;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The result buffer of order-preserving access (buffering paper, 4.3), where a simulator sees it:
 * for each probe, by its sequence number, what it was and what it found. The library's own is on
 * the Java heap.
 */
final class ResultBuffer implements AnswerConsumer.Bulk, AutoCloseable {
  private static final int ENTRY_BYTES = 2 * Long.BYTES;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment entries;

  /** Makes room for so many probes. */
  ResultBuffer(int probes) {
    entries = Region.scratch(arena, (long) probes * ENTRY_BYTES);
  }

  /** Notes a probe before it goes into the buffers of the tree. */
  void expect(int sequence, long probe) {
    Words.putLong(entries, (long) sequence * ENTRY_BYTES, probe);
  }

  @Override
  public void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
    for (int i = from; i < to; i++) {
      Words.putLong(entries, tags[i] * ENTRY_BYTES + Long.BYTES, values[i]);
    }
  }

  /** Reads all probes and their answers in order, and returns the sum of the answers. */
  long deliver(int probes) {
    long sum = 0;
    for (long entry = 0; entry < (long) probes * ENTRY_BYTES; entry += ENTRY_BYTES) {
      Words.getLong(entries, entry);
      sum += Words.getLong(entries, entry + Long.BYTES);
    }
    return sum;
  }

  @Override
  public void close() {
    arena.close();
  }
}
