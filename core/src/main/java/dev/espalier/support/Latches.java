// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The latches and versions of pages, by number of page. They stand beside the store, so that they
 * outlive a page's stay in memory and never get into a file (decision 28).
 *
 * <p>Each page has one word:
 *
 * <pre>
 *  63                                        2    1          0
 *  | version                                 | changing | latched |
 * </pre>
 *
 * The latch is for writers only; one who holds it may let minutes pass. Readers go by the version,
 * which grows with every change, and wait for nothing but the copying of bytes in that page.
 */
public final class Latches {
  private static final long LATCHED = 1;
  private static final long CHANGING = 2;
  private static final long VERSION = 4;

  private static final int CHUNK_SHIFT = 10;
  private static final int IN_CHUNK = (1 << CHUNK_SHIFT) - 1;

  /** Looks at a word before a thread gives way: more than a change of one page takes. */
  private static final int SPINS = 256;

  private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final BooleanSupplier isClosed;

  /** Chunks of words, which stay; the array of them is replaced when it grows. */
  private volatile long[] @Nullable [] chunks = {};

  /**
   * Makes latches, none of which is held.
   *
   * @param isClosed tells those who wait that they need not
   */
  public Latches(BooleanSupplier isClosed) {
    this.isClosed = isClosed;
  }

  private long[] chunk(int page) {
    long[] @Nullable [] all = chunks;
    int number = page >>> CHUNK_SHIFT;
    long @Nullable [] chunk = number < all.length ? all[number] : null;
    return chunk != null ? chunk : add(number);
  }

  private synchronized long[] add(int number) {
    long[] @Nullable [] all = chunks;
    if (number >= all.length) {
      all = Arrays.copyOf(all, number + 1 + all.length / 2);
      chunks = all;
    }
    long @Nullable [] chunk = all[number];
    if (chunk == null) {
      chunk = new long[IN_CHUNK + 1];
      all[number] = chunk;
    }
    return chunk;
  }

  // ---------------------------------------------------------------- read

  /** Returns the version of a page that is about to be read, when nobody is changing it. */
  public long version(int page) {
    long[] chunk = chunk(page);
    for (int tries = 0; ; tries++) {
      long word = (long) WORD.getAcquire(chunk, page & IN_CHUNK);
      if ((word & CHANGING) == 0) {
        return word & ~LATCHED;
      }
      pause(tries);
    }
  }

  /** Tells whether all that was read of a page since it had a version was of that version. */
  public boolean isStill(int page, long version) {
    VarHandle.acquireFence();
    return ((long) WORD.getOpaque(chunk(page), page & IN_CHUNK) & ~LATCHED) == version;
  }

  // ---------------------------------------------------------------- write

  /** Waits until no other writer has the latch of a page, and takes it. */
  public void latch(int page) {
    long[] chunk = chunk(page);
    for (int tries = 0; ; tries++) {
      long word = (long) WORD.getVolatile(chunk, page & IN_CHUNK);
      if ((word & LATCHED) == 0
          && WORD.compareAndSet(chunk, page & IN_CHUNK, word, word | LATCHED)) {
        return;
      }
      pause(tries);
    }
  }

  /** Gives a latch back; only its holder changes the word, so there is nothing to compare with. */
  public void unlatch(int page) {
    long[] chunk = chunk(page);
    long word = (long) WORD.getOpaque(chunk, page & IN_CHUNK);
    WORD.setRelease(chunk, page & IN_CHUNK, word & ~LATCHED);
  }

  /**
   * Keeps readers off a page, whose latch this thread has, while its bytes change. Whoever changes
   * them waits for nothing until {@link #endChange}.
   */
  public void beginChange(int page) {
    long[] chunk = chunk(page);
    long word = (long) WORD.getOpaque(chunk, page & IN_CHUNK);
    WORD.setOpaque(chunk, page & IN_CHUNK, word | CHANGING);
    VarHandle.releaseFence();
  }

  /** Lets readers see the page as it is now. */
  public void endChange(int page) {
    long[] chunk = chunk(page);
    long word = (long) WORD.getOpaque(chunk, page & IN_CHUNK);
    WORD.setRelease(chunk, page & IN_CHUNK, (word & ~CHANGING) + VERSION);
  }

  // ---------------------------------------------------------------- wait

  /** Waits a little, and longer after many tries. */
  private void pause(int tries) {
    pause(tries, isClosed);
  }

  static void pause(int tries, BooleanSupplier isClosed) {
    if (tries < SPINS) {
      Thread.onSpinWait();
      return;
    }
    if (isClosed.getAsBoolean()) {
      throw new IllegalStateException("the index is closed");
    }
    LockSupport.parkNanos(NAP_NANOS);
  }
}
