// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.espalier.memory.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The bytes at the end of the log that are not all written yet: those of one segment from some
 * block on. Two regions of memory take turns, so that one can be written while the other is filled.
 * For one thread at a time, except for writing and for filling places.
 */
final class LogBuffer implements AutoCloseable {
  /** Bytes of each memory: a write that a disk does in about a millisecond. */
  static final int BYTES = 1 << 20;

  /** Blocks are written whole. */
  static final int BLOCK_BYTES = 4096;

  private final Arena arena = Arena.ofShared();
  private MemorySegment filling;
  private MemorySegment writing;

  /** Where in the segment the first byte of the memory is. */
  private long start;

  private int used;

  private IoBatch batch;
  private IoBatch other;

  /**
   * Takes both memories.
   *
   * @throws dev.espalier.memory.MemoryLimitException if the system refuses
   */
  LogBuffer() {
    try {
      filling = Region.ofArena(arena, BYTES, BLOCK_BYTES);
      writing = Region.ofArena(arena, BYTES, BLOCK_BYTES);
      batch = new IoBatch(writing, 1);
      other = new IoBatch(filling, 1);
    } catch (RuntimeException | Error refused) {
      arena.close();
      throw refused;
    }
  }

  /** Begins another segment. */
  void begin() {
    start = 0;
    used = 0;
  }

  /** Returns where in the segment the next byte goes. */
  long end() {
    return start + used;
  }

  /** Returns how many bytes fit before some have to be written. */
  int room() {
    return BYTES - used;
  }

  void add(byte[] bytes, int from, int length) {
    MemorySegment.copy(bytes, from, filling, JAVA_BYTE, used, length);
    used += length;
  }

  /**
   * Fills a place behind the bytes that were added, for one of many threads.
   *
   * @param at how many bytes behind them it begins
   */
  void fill(
      int at,
      SetRecord record,
      long sequence,
      int epoch,
      long checkpoint,
      long forced,
      int index,
      long key,
      long value) {
    record.writeTo(
        filling, used + (long) at, sequence, epoch, checkpoint, forced, index, key, value);
  }

  /** Fills such a place with a record. */
  void fill(int at, LogRecord record) {
    record.writeTo(filling, used + (long) at);
  }

  /** Adds bytes that were filled. */
  void skip(int count) {
    used += count;
  }

  void addZeros(int count) {
    filling.asSlice(used, count).fill((byte) 0);
    used += count;
  }

  /**
   * Returns what writes the last block as far as it is filled, followed by a mark; all before it
   * has been handed over.
   */
  IoBatch withMark(LogRecord mark) {
    MemorySegment blocks = Arena.ofAuto().allocate(2L * BLOCK_BYTES, BLOCK_BYTES);
    MemorySegment.copy(filling, 0, blocks, 0, used);
    mark.writeTo(blocks, used);
    IoBatch batch = new IoBatch(blocks, 1);
    batch.add(start, 0, (int) LogRecord.nextBlock((long) used + mark.logBytes()));
    return batch;
  }

  /** Fills the last block with zeros, so that it is not written again. */
  void endBlock() {
    addZeros(-used & (BLOCK_BYTES - 1));
  }

  /**
   * Hands over what is to be written, up to the end; the last block, if it is not full, stays to be
   * written again.
   */
  void take() {
    MemorySegment full = filling;
    filling = writing;
    writing = full;
    IoBatch swapped = batch;
    batch = other;
    other = swapped;
    int kept = used % BLOCK_BYTES;
    int written = used - kept;
    batch.clear();
    if (kept > 0) {
      writing.asSlice(used, BLOCK_BYTES - kept).fill((byte) 0);
    }
    if (used > 0) {
      batch.add(start, 0, kept == 0 ? written : written + BLOCK_BYTES);
    }
    MemorySegment.copy(writing, written, filling, 0, kept);
    start += written;
    used = kept;
  }

  /** Writes what was handed over. */
  void write(PageFile segment) {
    if (batch.count() > 0) {
      segment.write(batch);
    }
  }

  /** Writes what was handed over once more, after that has failed. */
  void writeAgain(PageFile segment) {
    batch.repeat();
    write(segment);
  }

  /** Begins to write what was handed over; nothing more is handed over before that has ended. */
  void startWrite(PageFile segment) {
    if (batch.count() > 0) {
      segment.startWrite(batch);
    }
  }

  /** Waits for {@link #startWrite}. */
  void finishWrite(PageFile segment) {
    if (batch.count() > 0) {
      segment.finish(batch);
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
