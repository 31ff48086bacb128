// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How much room there is at the end of the log until its segment or its buffer ends. It changes
 * under the lock of the log, but can be looked at without.
 *
 * <p>Room is made before a record is appended, so that appending does not fail. Those who are about
 * to append have promised what they need at the {@link WriterGate}. Whoever makes room hides what
 * there is, and then looks at what was promised; all others look at what there is after they have
 * promised. So either the one sees the promise, or the other sees no room, and waits for the lock.
 */
final class LogRoom {
  /** The most bytes that several writers may need together. */
  static final long MOST_NEEDED = LogBuffer.BYTES - LogBuffer.BLOCK_BYTES;

  private static final VarHandle LEFT;

  static {
    try {
      LEFT = MethodHandles.lookup().findVarHandle(LogRoom.class, "left", long.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private long end;
  private long segmentBytes;

  /** How far the buffer reaches for certain; it may have been written since, and reach further. */
  private long bufferEnd;

  private volatile long left;

  /**
   * Returns how many bytes promised records take at most.
   *
   * @param promised what {@link WriterGate#sum} has returned
   * @param endsBlocks whether a force ends a block, as may happen before each record but one
   */
  static long needed(long promised, boolean endsBlocks) {
    int ends = endsBlocks ? WriterGate.writers(promised) - 1 : 0;
    return WriterGate.bytes(promised) + (long) ends * LogBuffer.BLOCK_BYTES;
  }

  /** Tells whether there is room for some bytes; without the lock. */
  boolean has(long bytes) {
    return bytes <= left;
  }

  /** Lets others see no room until it is noted again. */
  void hide() {
    left = 0;
  }

  /** Lets nothing more into the segment, whose last record is about to be appended. */
  void close() {
    segmentBytes = 0;
  }

  /** Tells whether the segment has its last record, or is about to get it. */
  boolean isClosed() {
    return segmentBytes == 0;
  }

  /** Begins another segment, with room for some bytes. */
  void begin(long bytes) {
    segmentBytes = bytes;
  }

  /** Tells whether some bytes from an offset on are beyond the segment. */
  boolean isBeyond(long from, long bytes) {
    return from + bytes > segmentBytes;
  }

  /** Returns where the next record goes, or the last one of a segment that is closed. */
  long end() {
    return end;
  }

  /** Notes how far the buffer reaches. */
  void note(LogBuffer buffer) {
    bufferEnd = buffer.end() + buffer.room();
    if (!isClosed()) {
      noteEnd(buffer);
    }
  }

  /** Notes where the next record goes. */
  void noteEnd(LogBuffer buffer) {
    end = buffer.end();
    LEFT.setRelease(this, Math.min(segmentBytes, bufferEnd) - end);
  }
}
