// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads segments of the log one after another. While the records of one are carried out, the device
 * reads the next ones.
 */
final class LogReadAhead implements AutoCloseable {
  /** Most segments that are under way at once. */
  private static final int MOST_SEGMENTS = 4;

  /** Most bytes that are under way; a larger segment is read when it is asked for. */
  private static final long MOST_BYTES = 16 << 20;

  private final LongFunction<@Nullable LogSegment> segments;
  private final Arena arena = Arena.ofShared();
  private final ArrayDeque<Reading> underWay = new ArrayDeque<>();
  private final ArrayDeque<Reading> unused = new ArrayDeque<>();
  private byte[] contents = {};

  /**
   * Begins.
   *
   * @param segments returns the segment of a number, null if there is none
   */
  LogReadAhead(LongFunction<@Nullable LogSegment> segments) {
    this.segments = segments;
  }

  /** A segment that is being read. */
  private static final class Reading {
    final MemorySegment memory;
    final IoBatch batch;
    LogSegment segment;

    Reading(MemorySegment memory, LogSegment segment) {
      this.memory = memory;
      this.batch = new IoBatch(memory, 1);
      this.segment = segment;
    }

    void start() {
      batch.clear();
      batch.add(0, 0, (int) segment.bytes);
      segment.file.startRead(batch);
    }
  }

  /**
   * Returns all bytes of a segment, in an array that the next call fills again.
   *
   * @throws PageFileException if they can't be read
   */
  byte[] contents(LogSegment segment) {
    if (underWay.isEmpty() || underWay.getFirst().segment != segment) {
      finishAll();
      start(segment);
    }
    long bytes = segment.bytes;
    for (long next = segment.number + underWay.size(); underWay.size() < MOST_SEGMENTS; next++) {
      LogSegment following = segments.apply(next);
      if (following == null || (bytes += following.bytes) > MOST_BYTES) {
        break;
      }
      start(following);
    }
    Reading first = underWay.removeFirst();
    unused.add(first);
    segment.file.finish(first.batch);
    if (contents.length != segment.bytes) {
      contents = new byte[(int) segment.bytes];
    }
    MemorySegment.copy(first.memory, JAVA_BYTE, 0, contents, 0, contents.length);
    return contents;
  }

  private void start(LogSegment segment) {
    Reading reading = unused.poll();
    if (reading == null || reading.memory.byteSize() != segment.bytes) {
      reading = new Reading(arena.allocate(segment.bytes, LogBuffer.BLOCK_BYTES), segment);
    }
    reading.segment = segment;
    reading.start();
    underWay.add(reading);
  }

  /** Waits for what is under way; if it fails, nobody asked for it. */
  private void finishAll() {
    for (Reading reading; (reading = underWay.poll()) != null; unused.add(reading)) {
      try {
        reading.segment.file.finish(reading.batch);
      } catch (PageFileException _) {
        // Whoever asks for the segment reads it again, and is told.
      }
    }
  }

  /** Waits for what is under way, and gives the memory back. */
  @Override
  public void close() {
    finishAll();
    arena.close();
  }
}
