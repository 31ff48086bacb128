// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.Region;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory for the pages of files, up to a hard limit: frames of one size in one native region, in
 * huge pages where they are granted. The system gives the memory as pages come. Several indexes may
 * share a pool and its limit.
 *
 * <p>Files that are opened without a pool share one for each page size. Together these take a
 * quarter of the memory that the process may use (that of the machine, or of its control group if
 * it is limited), less what pools made by {@link #create} have; {@code -Despalier.pool=} followed
 * by bytes ({@code 2G}) or a part of that memory ({@code 40%}) sets it instead. It is 16 MiB at
 * least, and a page size that comes when all is used up gets 16 MiB more. Where a control group has
 * a limit, they do not grow beyond that while seven eighths of the limit are taken, or will be when
 * the heap has grown, unless the property says how large they are. Their memory goes back to the
 * system when the last file with that page size is closed.
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

  /** What a pool has that an index asks for without saying how large. */
  private static final long OWN_BYTES = 64L << 20;

  /** Most batches of changed pages that are written at once, by as many threads. */
  private static final int MOST_ROOMS = 4;

  /** What part of the pool the rooms for more than one batch may take. */
  private static final int ROOMS_PART = 32;

  /** How long a thread waits for a frame, in milliseconds, when others have pinned them all. */
  static final int PATIENCE_MILLIS = 1000;

  private final Region region;
  private final boolean isShared;

  /** Ends the account of the memory: when the pool is closed, or after it was dropped. */
  private final Cleaner.Cleanable endOnce;

  // The parts, which stores call themselves.
  final Frames frames;
  final Replacement replacement;
  final WavesInFlight inFlight;
  final Waves waves;
  final Invalidation invalidation;
  final WriteBack writeBack;

  // What follows changes under the lock of the frames.

  private final List<PooledPageStore> stores = new ArrayList<>();
  private boolean closed;

  /** Makes a pool that owns a region; if the system refuses more memory, closes it. */
  private BufferPool(
      Layout layout,
      Region region,
      SharedPools.@Nullable Share share,
      WriteRoom.Memory roomMemory) {
    this.region = region;
    this.isShared = share != null;
    this.frames =
        new Frames(
            region.segment(),
            Integer.numberOfTrailingZeros(layout.pageBytes),
            share == null ? layout.count : share.sureFrames(),
            share == null ? () -> true : share::take);
    this.endOnce = Dropped.once(this, share == null ? SharedPools.countOwn(layout.bytes()) : share);
    try {
      this.writeBack =
          new WriteBack(frames, region.arena(), roomMemory, layout.rooms, layout.gathered);
      this.replacement = new Replacement(frames, writeBack);
      this.inFlight = new WavesInFlight(frames, replacement);
      this.waves = new Waves(frames, replacement, writeBack, inFlight);
      this.invalidation = new Invalidation(frames, replacement, writeBack, inFlight);
    } catch (RuntimeException | Error refused) {
      region.close();
      endOnce.clean();
      throw refused;
    }
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
    Layout layout = Layout.of(bytes, pageBytes);
    Region region = Region.ofPages(layout.frameBytes(), hugePages);
    return new BufferPool(layout, region, null, WriteRoom::ofSystem);
  }

  /**
   * Makes the pool that an index has which asks for one of its own.
   *
   * @param bytes as the options say; more if that is not even room for a few pages
   */
  static BufferPool own(long bytes, int pageBytes) {
    long wanted = bytes == FileOptions.SHARED_POOL ? OWN_BYTES : bytes;
    return create(Math.max(wanted, leastBytes(pageBytes)), pageBytes);
  }

  /**
   * Makes a pool that takes its frames from what several have together.
   *
   * @param bytes as many as it may have at most; fewer if the system refuses so many, or has to
   *     clear them first
   */
  static BufferPool shared(SharedPools pools, long bytes, int pageBytes) {
    long least = Math.max(PoolMemory.LEAST_BYTES, leastBytes(pageBytes));
    Layout wanted = Layout.of(Math.max(bytes, least), pageBytes);
    Layout smallest = Layout.of(least, pageBytes);
    Region region =
        Region.ofPagesUpTo(wanted.frameBytes(), smallest.frameBytes(), HugePages.WHEN_GROWN);
    SharedPools.Share share = pools.new Share(pageBytes, smallest.frameBytes());
    return new BufferPool(wanted, region, share, WriteRoom::ofSystem);
  }

  private static long leastBytes(int pageBytes) {
    return (MIN_FRAMES + 1L) * pageBytes;
  }

  /** How the memory of a pool is divided. */
  private record Layout(int count, int pageBytes, int rooms, int gathered) {
    static Layout of(long bytes, int pageBytes) {
      long total = bytes / pageBytes;
      int gathered = Math.clamp(total / 16, 1, Math.max(1, WriteBack.MOST_BYTES / pageBytes));
      int rooms = Math.clamp(total / ROOMS_PART / gathered, 1, MOST_ROOMS);
      int count = Math.clamp(total - (long) rooms * gathered, 1, Integer.MAX_VALUE >>> 1);
      return new Layout(count, pageBytes, rooms, gathered);
    }

    long frameBytes() {
      return (long) count * pageBytes;
    }

    long bytes() {
      return frameBytes() + (long) rooms * gathered * pageBytes;
    }
  }

  /**
   * Makes a pool of a given number of frames, which may be few even if several threads write at
   * once.
   *
   * @param rooms how many batches may be written at once
   * @param gathered most pages of each
   */
  static BufferPool withRooms(int count, int pageBytes, int rooms, int gathered) {
    return withRooms(count, pageBytes, rooms, gathered, WriteRoom::ofSystem);
  }

  /**
   * Makes such a pool.
   *
   * @param roomMemory where the memory to gather what is written comes from
   */
  static BufferPool withRooms(
      int count, int pageBytes, int rooms, int gathered, WriteRoom.Memory roomMemory) {
    Layout layout = new Layout(count, pageBytes, rooms, gathered);
    Region region = Region.ofPages(layout.frameBytes(), HugePages.OFF);
    return new BufferPool(layout, region, null, roomMemory);
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

  /**
   * Returns the bytes of memory that the frames and the room to gather what is written take at
   * most.
   */
  public long bytes() {
    return (long) (frames.count + writeBack.roomPages()) * pageBytes();
  }

  /** Returns how many of these bytes the pool has whatever other pools take. */
  long sureBytes() {
    return (long) (frames.sure + writeBack.roomPages()) * pageBytes();
  }

  /** Returns the bytes of the frames that have, or had, a page; the system gave no others. */
  public long usedBytes() {
    return (long) frames.inUse() * pageBytes();
  }

  /** Tells whether this is a pool of files that were opened without one. */
  boolean isShared() {
    return isShared;
  }

  /**
   * Returns how many bytes the pages of all files may take that are opened without a pool, while
   * the pools are open that are now.
   *
   * @throws IllegalArgumentException if the system property {@code espalier.pool} makes no sense
   */
  public static long mostSharedBytes() {
    return SharedPools.ofProcess().mostBytes();
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
    return Math.clamp(frames.sure / 4, 3, Wave.MOST_PAGES);
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
          inFlight.count(),
          inFlight.mostReads());
    } finally {
      frames.lock.unlock();
    }
  }

  /** Returns how large the pool is, how full, and what it has done. O(frames). */
  public PoolStatistics statistics() {
    long frameBytes = (long) frames.count * pageBytes();
    long most = isShared ? Math.min(frameBytes, mostSharedBytes()) : frameBytes;
    return new PoolStatistics(isShared, pageBytes(), most, usedBytes(), counters());
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

  /** Removes a store, all of whose pages were {@linkplain Invalidation#forget forgotten}. */
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
      endOnce.clean();
    } finally {
      frames.lock.unlock();
    }
  }
}
