// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A page store in native memory: all pages lie in one region, up to a hard limit. Pinning is mere
 * arithmetic. Nothing is read, counted or checked, and pinning a page that was never allocated
 * gives an offset that may be outside the memory.
 *
 * <p>The region grows as {@link NodeMemory} does: it doubles by copying while it is small, then
 * moves into reserved address space. Freed pages are reused, the most recently freed one first. A
 * store {@linkplain #besideReaders beside readers} reserves its address space at once, so that it
 * does not move within 16 GiB.
 */
public final class MemoryPageStore implements PageStore {
  /** The smallest page size, in bytes. Pages below 4 KiB are useful in tests only. */
  public static final int MIN_PAGE_BYTES = 256;

  /** The largest page size, in bytes. */
  public static final int MAX_PAGE_BYTES = 64 << 10;

  private final int pageShift;
  private final long limit;
  private final HugePages hugePages;
  private final long[] meta = new long[META_WORDS];

  private Runnable metaTask = () -> {};
  private Region region;

  /** Where {@link #take} has to stop and {@link #grow}. */
  private long end;

  private PageAllocation numbers = new PageAllocation();

  /**
   * Creates a store without pages.
   *
   * @param pageBytes size of a page in bytes: a power of two from {@link #MIN_PAGE_BYTES} to {@link
   *     #MAX_PAGE_BYTES}
   * @param limit the most bytes the store may ever hold, at least one page
   * @param hugePages whether to ask for huge pages
   */
  public MemoryPageStore(int pageBytes, long limit, HugePages hugePages) {
    this(pageBytes, limit, hugePages, false);
  }

  private MemoryPageStore(int pageBytes, long limit, HugePages hugePages, boolean isBesideReaders) {
    checkPageBytes(pageBytes);
    if (limit < pageBytes) {
      throw new IllegalArgumentException(
          "limit is " + limit + " bytes; it must be at least one page, " + pageBytes + " bytes");
    }
    this.pageShift = Integer.numberOfTrailingZeros(pageBytes);
    this.limit = Math.min(limit, Region.MOST_RESERVED_BYTES);
    this.hugePages = hugePages;
    this.region = first(isBesideReaders);
    this.end = region.endFor(0);
  }

  /**
   * Creates a store without pages for a tree that others read while it grows. If the store must
   * move nevertheless, it keeps the memory it has outgrown until it is closed or cleared.
   *
   * @param pageBytes size of a page in bytes, as for other stores
   * @param limit the most bytes the store may ever hold, at least one page; memory it has outgrown
   *     is not counted
   * @param hugePages whether to ask for huge pages
   */
  public static MemoryPageStore besideReaders(int pageBytes, long limit, HugePages hugePages) {
    return new MemoryPageStore(pageBytes, limit, hugePages, true);
  }

  /**
   * Announces that others read the tree while it grows, from now on. When memory moves, the old
   * memory is kept, and the new memory is in reserved address space.
   */
  public void expectReaders() {
    region.expectReaders();
  }

  private Region first(boolean isBesideReaders) {
    return Region.first(pageBytes(), limit, isBesideReaders);
  }

  /**
   * Checks a page size.
   *
   * @throws IllegalArgumentException if {@code pageBytes} is not a power of two from {@link
   *     #MIN_PAGE_BYTES} to {@link #MAX_PAGE_BYTES}
   */
  public static void checkPageBytes(int pageBytes) {
    if (Integer.bitCount(pageBytes) != 1
        || pageBytes < MIN_PAGE_BYTES
        || pageBytes > MAX_PAGE_BYTES) {
      throw new IllegalArgumentException(
          "pageBytes is "
              + pageBytes
              + "; it must be a power of two from "
              + MIN_PAGE_BYTES
              + " to "
              + MAX_PAGE_BYTES);
    }
  }

  @Override
  public int pageBytes() {
    return 1 << pageShift;
  }

  @Override
  public MemorySegment segment() {
    return region.segment();
  }

  @Override
  public long[] meta() {
    metaTask.run();
    return meta;
  }

  @Override
  public void whenMetaIsWanted(Runnable task) {
    metaTask = task;
  }

  // ---------------------------------------------------------------- allocate

  @Override
  public int allocate() {
    int page = numbers.next();
    take(page, 1);
    return page;
  }

  @Override
  public int allocate(int count) {
    int first = numbers.next(count);
    take(first, count);
    return first;
  }

  private void take(int first, int count) {
    long needed = (first - 1L + count) << pageShift;
    if (needed > end) {
      grow(needed);
    }
    numbers.take(first, count);
  }

  private void grow(long needed) {
    if (needed > limit) {
      throw new MemoryLimitException(
          "the index needs " + needed + " bytes of native memory, but its limit is " + limit);
    }
    region = region.grown(needed, (long) numbers.top() << pageShift, limit, limit, hugePages);
    end = region.endFor(needed);
  }

  @Override
  public void free(int page) {
    numbers.giveBack(page);
  }

  @Override
  public void clear() {
    region = region.replacedBy(first(region.isBesideReaders()));
    end = region.endFor(0);
    numbers.clear();
    Arrays.fill(meta, 0);
  }

  /**
   * Frees the pages of this store, and takes over the pages and the {@link #meta} of another store.
   * The other store must not be used or closed afterwards.
   *
   * @throws IllegalStateException if this store is closed; the other is then closed, too
   */
  public void adopt(MemoryPageStore other) {
    region = region.replacedBy(other.region);
    end = other.end;
    numbers = other.numbers;
    System.arraycopy(other.meta(), 0, meta, 0, meta.length);
  }

  /**
   * Creates an empty store with pages of the same size.
   *
   * @param limit the most bytes the new store may ever hold
   */
  public MemoryPageStore another(long limit) {
    return new MemoryPageStore(pageBytes(), limit, hugePages, region.isBesideReaders());
  }

  /** Returns the most bytes that this store may hold. */
  public long limit() {
    return limit;
  }

  // ---------------------------------------------------------------- pin

  @Override
  public long pin(int page) {
    return (page - 1L) << pageShift;
  }

  @Override
  public long pinFresh(int page) {
    return pin(page);
  }

  @Override
  public void pinAll(long[] pages, int from, int count) {
    for (int i = from; i < from + count; i++) {
      pages[i] = (pages[i] - 1) << pageShift;
    }
  }

  @Override
  public void unpin(long offset, boolean changed) {
    // Pages never move but with the whole region.
  }

  /** Returns where the page is: all pages are always there. */
  @Override
  public long look(int page) {
    return pin(page);
  }

  @Override
  public long offset(long look) {
    return look;
  }

  @Override
  public boolean isStill(long look) {
    return true;
  }

  @Override
  public int mostPins() {
    return Integer.MAX_VALUE;
  }

  @Override
  public boolean pagesStay() {
    return true;
  }

  @Override
  public boolean allocationMoves() {
    return (long) numbers.next() << pageShift > region.segment().byteSize();
  }

  @Override
  public void beforeChange() {
    // Trees find out themselves that the region is closed: at the first access.
  }

  @Override
  public void leftHalfway(Throwable cause) {
    // Only misuse by several threads fails halfway here, and promises nothing.
  }

  @Override
  public void flush() {
    // There is nothing but memory.
  }

  // ---------------------------------------------------------------- inspect

  @Override
  public int pagesInUse() {
    return numbers.inUse();
  }

  @Override
  public boolean hasRoom(long extent, long more) {
    int most = (int) Math.min(limit >>> pageShift, Integer.MAX_VALUE);
    return extent + more <= most - numbers.inUse() && extent <= numbers.largestGap(most);
  }

  @Override
  public boolean isInUse(int page) {
    return numbers.isInUse(page);
  }

  @Override
  public long committedBytes() {
    return region.committedBytes((long) numbers.top() << pageShift);
  }

  @Override
  public boolean hugePagesGranted() {
    return region.hasHugePages();
  }

  @Override
  public boolean isClosed() {
    return region.isClosed();
  }

  @Override
  public void close() {
    region.close();
  }
}
