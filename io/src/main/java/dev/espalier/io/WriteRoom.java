// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Room for copies of changed pages of one store, which are written at once. They are gathered in
 * the order of their positions and sealed, and neighbours are written by one request.
 */
final class WriteRoom {
  /** Where the memory for the copies of one batch comes from. */
  @FunctionalInterface
  interface Memory {
    /** Takes memory, to be freed with an arena. */
    MemorySegment take(Arena arena, long bytes);
  }

  /** What O_DIRECT wants of memory addresses. */
  private static final long ALIGNMENT = 4096;

  private final Frames frames;
  private final int pageBytes;
  private final MemorySegment copies;
  private final IoBatch batch;

  /** {@linkplain Frames#key Keys} of the frames whose pages were gathered. */
  private final long[] keys;

  /** Where in the file each of these pages goes. */
  private final long[] positions;

  private int count;

  /** Where in the file the next request begins, and of how many pages it is so far. */
  private long requestPosition;

  private int requestPages;

  /**
   * Takes memory for copies.
   *
   * @param capacity most pages
   */
  WriteRoom(Frames frames, Arena arena, Memory memory, int capacity) {
    this.frames = frames;
    this.pageBytes = frames.pageBytes();
    this.copies = memory.take(arena, (long) capacity * pageBytes);
    this.batch = new IoBatch(copies, capacity);
    this.keys = new long[capacity];
    this.positions = new long[capacity];
  }

  /** Takes memory from the system. */
  static MemorySegment ofSystem(Arena arena, long bytes) {
    return Region.ofArena(arena, bytes, ALIGNMENT);
  }

  /** Returns how many pages were gathered. */
  int count() {
    return count;
  }

  int frame(int i) {
    return Frames.frameOf(keys[i]);
  }

  int page(int i) {
    return Frames.pageOf(keys[i]);
  }

  /** Returns where in the file a page goes. */
  long position(int i) {
    return positions[i];
  }

  /** Returns the checksum with which a page was sealed. */
  int checksum(int i) {
    return PageSeal.checksumOf(copies, i, pageBytes);
  }

  /** Copies the page of a frame on which a {@linkplain Frames#beginWrite write has begun}. */
  void add(PooledPageStore store, int frame) {
    long to = (long) count * pageBytes;
    MemorySegment.copy(frames.memory(), frames.offset(frame), copies, to, pageBytes);
    frames.clear(frame, Frames.BUSY);
    long position = store.seal(copies, to, frames.page(frame));
    if (position != requestPosition + (long) requestPages * pageBytes) {
      endRequest();
      requestPosition = position;
    }
    keys[count] = frames.key(frame);
    positions[count] = position;
    requestPages++;
    count++;
  }

  private void endRequest() {
    if (requestPages > 0) {
      long offset = (long) (count - requestPages) * pageBytes;
      batch.add(requestPosition, offset, requestPages * pageBytes);
    }
    requestPages = 0;
  }

  /** Ends gathering; returns the number of requests. */
  int endRequests() {
    endRequest();
    return batch.count();
  }

  /** Writes what was gathered, and waits for it. */
  void write(PageFile file) {
    file.write(batch);
  }

  /** Forgets what was gathered. */
  void clear() {
    batch.clear();
    requestPages = 0;
    count = 0;
  }
}
