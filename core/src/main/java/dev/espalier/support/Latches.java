// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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

  private static final int CHUNK_SHIFT = 7;
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
    return isStill(chunk(page), page, version);
  }

  /**
   * As {@link #version}, for many pages that are about to be read together.
   *
   * @param count at most 64
   * @param versions where the version of each page goes
   */
  public void versions(int[] pages, int count, long[] versions) {
    long[] @Nullable [] all = chunks;
    int before = -1;
    for (int i = 0; i < count; i++) {
      int page = pages[i];
      if (page == before) {
        versions[i] = versions[i - 1];
        continue;
      }
      before = page;
      long @Nullable [] chunk =
          page >>> CHUNK_SHIFT < all.length ? all[page >>> CHUNK_SHIFT] : null;
      long word = chunk == null ? CHANGING : (long) WORD.getOpaque(chunk, page & IN_CHUNK);
      versions[i] = (word & CHANGING) == 0 ? word & ~LATCHED : version(page);
    }
    VarHandle.acquireFence();
  }

  /**
   * As {@link #isStill}, for pages whose versions {@link #versions} has returned, all of which have
   * been read since.
   *
   * @return which pages are of that version still, as a bit set
   */
  public long areStill(int[] pages, int count, long[] versions) {
    VarHandle.acquireFence();
    long[] @Nullable [] all = chunks;
    long still = 0;
    for (int i = 0; i < count; i++) {
      long[] chunk = Objects.requireNonNull(all[pages[i] >>> CHUNK_SHIFT]);
      long word = (long) WORD.getOpaque(chunk, pages[i] & IN_CHUNK);
      still |= (word & ~LATCHED) == versions[i] ? 1L << i : 0;
    }
    return still;
  }

  /** Returns the words of a page and its neighbours, for those who look at one page often. */
  public long[] wordsOf(int page) {
    return chunk(page);
  }

  /**
   * As {@link #isStill(int, long)}.
   *
   * @param words as {@link #wordsOf} returns them
   */
  public static boolean isStill(long[] words, int page, long version) {
    VarHandle.acquireFence();
    return ((long) WORD.getOpaque(words, page & IN_CHUNK) & ~LATCHED) == version;
  }

  /**
   * As {@link #isStill(long[], int, long)}, for one who has read nothing of the page itself since:
   * that what happened before is seen is all that matters, so compiled code may look once for
   * several calls between which nothing happens.
   */
  public static boolean isStillPlain(long[] words, int page, long version) {
    return (words[page & IN_CHUNK] & ~LATCHED) == version;
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

  /**
   * Takes the latch of a page, unless another writer has it, or the version of the page is another.
   */
  public boolean latchIfStill(int page, long version) {
    return WORD.compareAndSet(chunk(page), page & IN_CHUNK, version, version | LATCHED);
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
    Waits.nap(NAP_NANOS);
  }
}
