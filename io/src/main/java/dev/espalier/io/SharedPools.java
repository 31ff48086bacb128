// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The pools of files that were opened without one: one for each page size, from the first file that
 * is open to the last.
 */
final class SharedPools {
  /* Overview
   *
   * All pools together take frames from one sum. So files of one page size can have all of it, and
   * no part has to be set aside for others. A pool that comes when the sum is used up still gets
   * PoolMemory.LEAST_BYTES. So the bound is the sum and, for each further page size, as much as that.
   *
   * Pools that a program makes itself are taken off the sum, unless the property says what it is.
   * Neither does the default grow while the control group of the process is short of memory: other
   * processes in it have what was meant for the pools, or the heap will have it (decision 74). How
   * that is, is looked up again for each LOOK_BYTES that pools ask for.
   *
   * A pool is held weakly here and strongly by its files: if all of them are dropped without being
   * closed, it goes with them.
   */

  private static final AtomicLong OWN_BYTES = new AtomicLong();

  /** So few that not much is taken between two looks, so many that a look costs a page little. */
  static final long LOOK_BYTES = 4L << 20;

  private static @Nullable SharedPools ofProcess;

  private final PoolMemory memory;

  /** Tells how many bytes pools have that are not shared. */
  private final LongSupplier ownBytes;

  /** Looks up whether the process is short of memory. */
  private final BooleanSupplier lookUp;

  /** What was found at the last look. */
  private volatile boolean isShort;

  /** Bytes of all frames that pools asked for, whether they got them or not. */
  private final AtomicLong askedBytes = new AtomicLong();

  /** Bytes of all frames that shared pools have in use. */
  private final AtomicLong usedBytes = new AtomicLong();

  private final Map<Integer, Users> pools = new HashMap<>();

  /** A pool, and how many files were opened with it and not closed. */
  private static final class Users {
    final WeakReference<BufferPool> pool;
    int count;

    Users(BufferPool pool) {
      this.pool = new WeakReference<>(pool);
    }
  }

  SharedPools(PoolMemory memory, LongSupplier ownBytes, BooleanSupplier lookUp) {
    this.memory = memory;
    this.ownBytes = ownBytes;
    this.lookUp = lookUp;
  }

  /**
   * Returns those of this process.
   *
   * @throws IllegalArgumentException if the property that says how large they are makes no sense
   */
  static synchronized SharedPools ofProcess() {
    SharedPools pools = ofProcess;
    if (pools == null) {
      ProcessMemory process = ProcessMemory.of(Path.of("/"));
      PoolMemory memory = PoolMemory.of(System.getProperty(PoolMemory.PROPERTY), process.bytes());
      pools = new SharedPools(memory, OWN_BYTES::get, () -> process.isShort(heapToCome()));
      ofProcess = pools;
    }
    return pools;
  }

  /** Returns how many bytes the heap may still grow. */
  private static long heapToCome() {
    Runtime runtime = Runtime.getRuntime();
    return Math.max(0, runtime.maxMemory() - runtime.totalMemory());
  }

  /** Counts the memory of a pool that is not shared; returns what ends that, once. */
  static Runnable countOwn(long bytes) {
    OWN_BYTES.addAndGet(bytes);
    return () -> OWN_BYTES.addAndGet(-bytes);
  }

  /** Returns what the system property or the memory of the process allows. */
  PoolMemory memory() {
    return memory;
  }

  /** Returns how many bytes the frames of all shared pools may have now. */
  long mostBytes() {
    return memory.isAsked()
        ? memory.bytes()
        : Math.max(PoolMemory.LEAST_BYTES, memory.bytes() - ownBytes.getAsLong());
  }

  /** Returns how many bytes the frames of all shared pools have in use. */
  long usedBytes() {
    return usedBytes.get();
  }

  // ---------------------------------------------------------------- users

  /** Returns the pool for pages of a size; {@link #release} is to follow. */
  synchronized BufferPool acquire(int pageBytes) {
    Users users = pools.get(pageBytes);
    BufferPool pool = users == null ? null : users.pool.get();
    if (users == null || pool == null) {
      pool = BufferPool.shared(this, memory.bytes(), pageBytes);
      users = new Users(pool);
      pools.put(pageBytes, users);
    }
    users.count++;
    return pool;
  }

  /** Gives back a pool; the last user's call frees its memory. */
  @SuppressWarnings("ReferenceEquality") // A pool is only ever itself.
  synchronized void release(BufferPool pool) {
    Users users = pools.get(pool.pageBytes());
    if (users != null && users.pool.get() == pool && --users.count == 0) {
      pools.remove(pool.pageBytes());
      pool.close();
    }
  }

  // ---------------------------------------------------------------- frames

  /** Tells whether a pool may have more than it has for sure, as far as the process has memory. */
  private boolean mayGrow(long pageBytes) {
    if (memory.isAsked()) {
      return true;
    }
    long asked = askedBytes.getAndAdd(pageBytes);
    if (asked / LOOK_BYTES != (asked + pageBytes) / LOOK_BYTES || asked == 0) {
      isShort = lookUp.getAsBoolean();
    }
    return !isShort;
  }

  /** What one pool has taken of the sum; holds no pool, so that it can outlive a dropped one. */
  final class Share implements Runnable {
    private final long pageBytes;
    private final long leastBytes;
    private final AtomicLong taken = new AtomicLong();

    /**
     * Begins with nothing.
     *
     * @param leastBytes what the pool may take whatever the others have
     */
    Share(long pageBytes, long leastBytes) {
      this.pageBytes = pageBytes;
      this.leastBytes = leastBytes;
    }

    /** Returns how many frames the pool may take whatever the others have. */
    int sureFrames() {
      return (int) (leastBytes / pageBytes);
    }

    /** Takes room for one more frame if there is any; under the lock of the pool's frames. */
    boolean take() {
      boolean isSure = taken.get() + pageBytes <= leastBytes;
      if (!isSure && !mayGrow(pageBytes)) {
        return false;
      }
      if (usedBytes.addAndGet(pageBytes) > mostBytes() && !isSure) {
        usedBytes.addAndGet(-pageBytes);
        return false;
      }
      taken.addAndGet(pageBytes);
      return true;
    }

    /** Gives back everything, when the pool is gone. */
    @Override
    public void run() {
      usedBytes.addAndGet(-taken.getAndSet(0));
    }
  }
}
