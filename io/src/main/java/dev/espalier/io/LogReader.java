// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the segments of a log one after another, in chunks. While the records of one chunk are
 * carried out, the device reads the next chunks, including those of the next segment.
 */
final class LogReader implements AutoCloseable {
  private static final int CHUNK_BYTES = 1 << 20;

  /** Chunks that are read at once. */
  private static final int CHUNKS = 8;

  private final LongFunction<@Nullable LogSegment> segments;
  private final Arena arena = Arena.ofShared();
  private final int chunkBytes;
  private int chunks;
  private final ArrayDeque<Chunk> unused = new ArrayDeque<>();
  private final ArrayDeque<Chunk> underWay = new ArrayDeque<>();

  /** The segment and the offset of the chunk that is started next; null after the last one. */
  private @Nullable LogSegment next;

  private long nextOffset;

  /** The bytes of the segment that is open, as far as they were loaded. */
  private byte[] bytes = {};

  private int loaded;
  private int segmentBytes;

  /**
   * Begins.
   *
   * @param segments returns the segment of a number, null if there is none
   * @param mostBytes the bytes of the largest segment, so that no more memory is taken than a short
   *     log needs
   */
  LogReader(LongFunction<@Nullable LogSegment> segments, long mostBytes) {
    this.segments = segments;
    this.chunkBytes = (int) Math.min(CHUNK_BYTES, mostBytes);
  }

  /** Memory, and what is read into it. */
  private static final class Chunk {
    final MemorySegment memory;
    final IoBatch batch;
    @Nullable LogSegment segment;
    int length;

    Chunk(MemorySegment memory) {
      this.memory = memory;
      this.batch = new IoBatch(memory, 1);
    }
  }

  /**
   * Turns to a segment, of which nothing is loaded yet. This is fast if the segment follows the one
   * before.
   *
   * @return the array into which its bytes are loaded; beyond the segment it has zeros. The next
   *     call may return it again.
   */
  byte[] open(LogSegment segment) {
    while (!underWay.isEmpty() && underWay.getFirst().segment != segment) {
      dropFirst();
    }
    if (underWay.isEmpty()) {
      next = segment;
      nextOffset = 0;
    }
    segmentBytes = (int) segment.bytes;
    loaded = 0;
    if (bytes.length < segmentBytes) {
      bytes = new byte[segmentBytes + segmentBytes / 2];
    } else {
      Arrays.fill(bytes, (byte) 0);
    }
    return bytes;
  }

  /**
   * Loads the segment's record at an offset, if one begins there.
   *
   * @throws PageFileException if it can't be read
   */
  void loadRecord(int offset) {
    load(offset + LogRecord.HEADER_BYTES);
    int length = LogRecord.lengthAt(bytes, offset);
    if (length > 0 && length <= segmentBytes - offset) {
      load(offset + LogRecord.logBytes(length));
    }
  }

  /** Loads what lies before an offset, if it is in the segment. */
  private void load(int end) {
    while (loaded < Math.min(end, segmentBytes)) {
      startNext();
      Chunk chunk = underWay.removeFirst();
      unused.add(chunk);
      fileOf(chunk).finish(chunk.batch);
      MemorySegment.copy(chunk.memory, JAVA_BYTE, 0, bytes, loaded, chunk.length);
      loaded += chunk.length;
    }
  }

  private void startNext() {
    while (next != null && (chunks < CHUNKS || !unused.isEmpty())) {
      Chunk chunk = unused.isEmpty() ? newChunk() : unused.removeFirst();
      chunk.segment = next;
      chunk.length = (int) Math.min(chunkBytes, next.bytes - nextOffset);
      chunk.batch.clear();
      chunk.batch.add(nextOffset, 0, chunk.length);
      next.file.startRead(chunk.batch);
      underWay.add(chunk);
      nextOffset += chunk.length;
      if (nextOffset == next.bytes) {
        next = segments.apply(next.number + 1);
        nextOffset = 0;
      }
    }
  }

  private Chunk newChunk() {
    chunks++;
    return new Chunk(arena.allocate(chunkBytes, LogBuffer.BLOCK_BYTES));
  }

  private static PageFile fileOf(Chunk chunk) {
    return Objects.requireNonNull(chunk.segment).file;
  }

  /** Waits for a chunk that nobody asks for any more. */
  private void dropFirst() {
    Chunk chunk = underWay.removeFirst();
    unused.add(chunk);
    try {
      fileOf(chunk).finish(chunk.batch);
    } catch (PageFileException _) {
      // Whoever opens its segment reads it again, and is told.
    }
  }

  /** Waits for what is under way, and gives the memory back. */
  @Override
  public void close() {
    while (!underWay.isEmpty()) {
      dropFirst();
    }
    arena.close();
  }
}
