// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.Region;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory for the pages of files, up to a hard limit: frames of one size in one native region, in
 * huge pages where they are granted. Several indexes may share a pool and its limit; each index
 * that is opened without a pool has its own.
 *
 * <p>Pages that are no longer needed make room for others: first those that were declared so, then
 * by CLOCK. Changed pages are written first, many at once and in the order of their numbers; other
 * threads find frames meanwhile, and in pools of 64 MiB or more, up to four of them write at once.
 *
 * <p>Many threads may use a pool at once. A thread pins up to a quarter of the frames at a time; if
 * there are not enough for all threads, they wait for one another, and a thread that finds no free
 * frame for {@value #PATIENCE_MILLIS} ms gets an {@link IllegalStateException}.
 */
public final class BufferPool implements AutoCloseable {
  /** Fewest frames: a few pins of three, and one to be read ahead. */
  public static final int MIN_FRAMES = 8;

  /** The most bytes that a pool may have: 256 GiB. */
  public static final long MOST_BYTES = 1L << 38;

  /** Most batches of changed pages that are written at once, by as many threads. */
  private static final int MOST_ROOMS = 4;

  /** What part of the pool the rooms for more than one batch may take. */
  private static final int ROOMS_PART = 32;

  /** How long a thread waits for a frame, in milliseconds, when others have pinned them all. */
  static final int PATIENCE_MILLIS = 1000;

  private final Region region;

  // The parts, which stores call themselves.
  final Frames frames;
  final Replacement replacement;
  final Waves waves;
  final WriteBack writeBack;

  // What follows changes under the lock of the frames.

  private final List<PooledPageStore> stores = new ArrayList<>();
  private boolean closed;

  private BufferPool(int count, int pageBytes, int rooms, int gathered, HugePages hugePages) {
    int pageShift = Integer.numberOfTrailingZeros(pageBytes);
    this.region = Region.ofPages((long) count << pageShift, hugePages);
    this.frames = new Frames(region.segment(), pageShift);
    this.writeBack = new WriteBack(frames, region.arena(), rooms, gathered);
    this.replacement = new Replacement(frames, writeBack);
    this.waves = new Waves(frames, replacement, writeBack);
  }

  /**
   * Makes an empty pool.
   *
   * @param bytes the bytes of memory that the pool may take, including the room to gather what is
   *     written; at least {@link #MIN_FRAMES} pages and one more
   * @param pageBytes the bytes of a page, the same in all files; a power of two
   */
  public static BufferPool create(long bytes, int pageBytes) {
    return create(bytes, pageBytes, HugePages.WHEN_GROWN);
  }

  /** Makes an empty pool, as {@link #create(long, int)} does, with or without huge pages. */
  public static BufferPool create(long bytes, int pageBytes, HugePages hugePages) {
    MemoryPageStore.checkPageBytes(pageBytes);
    if (bytes / pageBytes < MIN_FRAMES + 1 || bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "bytes is %d: a pool has room for %d pages of %d bytes and for one more, and %d bytes at most"
              .formatted(bytes, MIN_FRAMES, pageBytes, MOST_BYTES));
    }
    long total = bytes / pageBytes;
    int gathered = Math.clamp(total / 16, 1, Math.max(1, WriteBack.MOST_BYTES / pageBytes));
    int rooms = Math.clamp(total / ROOMS_PART / gathered, 1, MOST_ROOMS);
    int count = Math.clamp(total - (long) rooms * gathered, 1, Integer.MAX_VALUE >>> 1);
    return new BufferPool(count, pageBytes, rooms, gathered, hugePages);
  }

  /**
   * Makes a pool of a given number of frames, which may be few even if several threads write at
   * once.
   *
   * @param rooms how many batches may be written at once
   * @param gathered most pages of each
   */
  static BufferPool withRooms(int count, int pageBytes, int rooms, int gathered) {
    return new BufferPool(count, pageBytes, rooms, gathered, HugePages.OFF);
  }

  // ---------------------------------------------------------------- inspect

  /** Returns the bytes of a page. */
  public int pageBytes() {
    return frames.pageBytes();
  }

  /** Returns the number of pages that fit into the pool. */
  public int frames() {
    return frames.count;
  }

  /** Returns the bytes of memory that the frames and the room to gather what is written take. */
  public long bytes() {
    return (long) (frames.count + writeBack.roomPages()) * pageBytes();
  }

  /** Tells whether {@link #close} was called. */
  boolean isClosed() {
    frames.lock.lock();
    try {
      return closed;
    } finally {
      frames.lock.unlock();
    }
  }

  /** Returns how many pins one thread may hold at once: a quarter of the frames, three at least. */
  int mostPins() {
    return Math.clamp(frames.count / 4, 3, Waves.MOST_PAGES);
  }

  boolean hasHugePages() {
    return region.hasHugePages();
  }

  /** Returns exact counts of what the pool has done so far. O(frames). */
  public PoolCounters counters() {
    frames.lock.lock();
    try {
      return new PoolCounters(
          frames.hits(),
          waves.misses(),
          waves.readAheads(),
          replacement.readAheadsWasted(),
          writeBack.written(),
          writeBack.requests(),
          replacement.evictions(),
          waves.count(),
          waves.mostInFlight());
    } finally {
      frames.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- stores

  /**
   * Takes the lock of the frames while nobody writes, and so keeps everybody from writing: the
   * contents of the files then agree with what is known of them.
   */
  void lockWithoutWrites() {
    frames.lock.lock();
    writeBack.awaitAll();
  }

  /**
   * Adds a store to those that use the pool.
   *
   * @throws IllegalStateException if the pool is closed
   */
  void enter(PooledPageStore store) {
    frames.lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the pool is closed");
      }
      stores.add(store);
    } finally {
      frames.lock.unlock();
    }
  }

  /** Removes a store, all of whose pages were {@linkplain Waves#forget forgotten}. */
  void leave(PooledPageStore store) {
    frames.lock.lock();
    try {
      stores.remove(store);
    } finally {
      frames.lock.unlock();
    }
  }

  /**
   * Frees the memory. A second call does nothing.
   *
   * @throws IllegalStateException if an index still uses the pool
   */
  @Override
  public void close() {
    frames.lock.lock();
    try {
      if (!stores.isEmpty()) {
        throw new IllegalStateException(
            "the pool is still used by " + stores.getFirst().file.path());
      }
      closed = true;
      region.close();
    } finally {
      frames.lock.unlock();
    }
  }
}
