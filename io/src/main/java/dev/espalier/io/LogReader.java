// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the segments of a log one after another, in chunks. While the records of one chunk are
 * carried out, the device reads the next chunks, including those of the next segment. It has a few
 * chunks in memory, however large a segment is, and one record.
 */
final class LogReader implements AutoCloseable {
  private static final int CHUNK_BYTES = 1 << 20;

  /** Chunks that are read at once. */
  private static final int CHUNKS = 8;

  /** A record that says that it is larger has its checksum looked at first. */
  private static final int CHECKED_FIRST_BYTES = 8 << 20;

  /** A number of an epoch that is further ahead is none. */
  private static final int MOST_EPOCHS_AHEAD = 1 << 16;

  private final LongFunction<@Nullable LogSegment> segments;
  private final Arena arena = Arena.ofShared();
  private final int chunkBytes;
  private int chunks;
  private final ArrayDeque<Chunk> unused = new ArrayDeque<>();
  private final ArrayDeque<Chunk> underWay = new ArrayDeque<>();

  /** The segment and the offset of the chunk that is started next; null after the last one. */
  private @Nullable LogSegment next;

  private long nextOffset;

  /** The bytes of a part of the segment that is open: so many, from an offset on. */
  private byte[] bytes = {};

  private int loaded;
  private long base;
  private @Nullable LogSegment segment;
  private LogRecord.@Nullable Place place;
  private final long storeId;

  /**
   * Begins.
   *
   * @param storeId of the store whose records count
   * @param segments returns the segment of a number, null if there is none
   * @param mostBytes the bytes of the largest segment, so that no more memory is taken than a short
   *     log needs
   */
  LogReader(long storeId, LongFunction<@Nullable LogSegment> segments, long mostBytes) {
    this.storeId = storeId;
    this.segments = segments;
    this.chunkBytes = Math.clamp(mostBytes, LogBuffer.BLOCK_BYTES, CHUNK_BYTES);
  }

  /** Begins to read segments one by one. */
  LogReader(long storeId) {
    this(storeId, _ -> null, CHUNK_BYTES);
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
   * Turns to a segment, of which nothing before an offset is asked for. This is fast if it is the
   * beginning of the segment that follows the one before.
   */
  void open(LogSegment opened, long offset) {
    long from = offset & -LogBuffer.BLOCK_BYTES;
    while (!underWay.isEmpty()
        && (underWay.getFirst().segment != opened || underWay.getFirst().batch.position(0) != 0)) {
      dropFirst();
    }
    if (underWay.isEmpty() || from > chunkBytes) {
      while (!underWay.isEmpty()) {
        dropFirst();
      }
      next = from < opened.bytes ? opened : null;
      nextOffset = from;
      base = from;
    } else {
      base = 0;
    }
    segment = opened;
    place = new LogRecord.Place(storeId, opened.number, opened.recordHeaderBytes);
    loaded = 0;
  }

  /** Returns the array with the bytes of the record that was read last. */
  byte[] bytes() {
    return bytes;
  }

  /** Returns where in {@link #bytes} the payload of the record at an offset, read last, begins. */
  int payload(long offset) {
    return (int) (offset - base) + place().headerBytes();
  }

  /** Returns where the record at an offset ends. */
  long end(long offset, LogRecord.Header record) {
    return offset + LogRecord.logBytes(record.length(), place().headerBytes());
  }

  private LogSegment segment() {
    return Objects.requireNonNull(segment);
  }

  private LogRecord.Place place() {
    return Objects.requireNonNull(place);
  }

  /**
   * Reads the record at an offset of the segment, which is not before that of the last one.
   *
   * @param checked whether its checksum has to fit, as always but in tests
   * @return what it says, null if none begins there
   * @throws PageFileException if it can't be read
   */
  LogRecord.@Nullable Header record(long offset, boolean checked) {
    int headerBytes = place().headerBytes();
    if (!load(offset, headerBytes)) {
      return null;
    }
    int length = LogRecord.intAt(bytes, (int) (offset - base));
    if (length < 1 || length > segment().bytes - headerBytes - offset) {
      return null;
    }
    if (length > CHECKED_FIRST_BYTES && checked && !fits(offset, length)) {
      return null;
    }
    load(offset, headerBytes + length);
    return LogRecord.read(bytes, (int) (offset - base), loaded, offset, place(), checked);
  }

  /**
   * Returns the offset of the first whole record from an offset on that is of an epoch and has a
   * sequence number above a given one, or is of a later epoch; -1 if there is none.
   */
  long find(long from, int epoch, long above) {
    int headerBytes = place().headerBytes();
    for (long at = from; load(at, headerBytes); ) {
      int index = (int) (at - base);
      int ahead = LogRecord.epochAt(bytes, index) - epoch;
      boolean isCandidate =
          ahead == 0
              ? LogRecord.sequenceAt(bytes, index) > above
              : ahead > 0 && ahead < MOST_EPOCHS_AHEAD;
      LogRecord.Header record = isCandidate ? record(at, true) : null;
      if (record != null) {
        return at;
      }
      at += LogRecord.ALIGNMENT;
    }
    return -1;
  }

  /** Tells whether a large record has its checksum, before memory for all of it is taken. */
  private boolean fits(long offset, int length) {
    int index = (int) (offset - base);
    int headerBytes = place().headerBytes();
    CRC32C crc = LogRecord.seeded(place(), offset, length);
    crc.update(bytes, index + 8, headerBytes - 8);
    int stated = LogRecord.intAt(bytes, index + 4);
    long at = offset + headerBytes;
    long end = at + length;
    try (Arena own = Arena.ofShared()) {
      MemorySegment memory = own.allocate(CHUNK_BYTES, LogBuffer.BLOCK_BYTES);
      IoBatch batch = new IoBatch(memory, 1);
      while (at < end) {
        long first = at & -LogBuffer.BLOCK_BYTES;
        int count = (int) Math.min(CHUNK_BYTES, segment().bytes - first);
        batch.clear();
        batch.add(first, 0, count);
        segment().file.read(batch);
        long until = Math.min(end, first + count);
        crc.update(memory.asSlice(at - first, until - at).asByteBuffer());
        at = until;
      }
    }
    return (int) crc.getValue() == stated;
  }

  /**
   * Loads some bytes from an offset on, and forgets those before it if room is needed.
   *
   * @return whether the segment has so many
   */
  private boolean load(long offset, int count) {
    if (offset > segment().bytes - count) {
      return false;
    }
    long end = offset + count;
    while (base + loaded < end) {
      startNext();
      Chunk chunk = underWay.removeFirst();
      unused.add(chunk);
      fileOf(chunk).finish(chunk.batch);
      makeRoom(offset, chunk.length, count);
      MemorySegment.copy(chunk.memory, JAVA_BYTE, 0, bytes, loaded, chunk.length);
      loaded += chunk.length;
    }
    return true;
  }

  private void makeRoom(long offset, int more, int count) {
    if (loaded + more <= bytes.length) {
      return;
    }
    int kept = (int) Math.max(0, base + loaded - offset);
    int dropped = loaded - kept;
    byte[] from = bytes;
    if (kept + more > bytes.length) {
      bytes = new byte[Math.max(kept + more, count + 2 * chunkBytes)];
    }
    System.arraycopy(from, dropped, bytes, 0, kept);
    base += dropped;
    loaded = kept;
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
