// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/**
 * Counts what is asked of a page store, and how many pages a buffer pool before it would have read:
 * how trees on pages are compared without a disk, as in fpB+ 4.3.
 *
 * <p>The pool has a given number of frames and replaces pages by CLOCK. It is simulated: only the
 * numbers of pages are kept. It does not know which pages are pinned, so it should have some frames
 * more than are pinned at once. A page that was just given out is in it without being read.
 *
 * <p>For one thread at a time, readers included.
 */
public final class CountingPageStore extends ForwardingPageStore {
  /** Frames of a pool that reads each page once. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  private final ClockPool pool;
  private long pins;
  private long reads;
  private long readAheads;
  private long allocated;
  private long freed;

  /**
   * Stands before {@code store}, and closes it. The pool is empty.
   *
   * @param frames pages that the pool can hold, or {@link #UNLIMITED}
   */
  public CountingPageStore(PageStore store, int frames) {
    super(store);
    this.pool = new ClockPool(frames);
  }

  /** Returns what has been counted since the start or the last {@link #resetCounters}. */
  public PageCounters counters() {
    return new PageCounters(pins, reads, readAheads, allocated, freed);
  }

  /** Sets all counters to 0; the pool stays as it is. */
  public void resetCounters() {
    pins = 0;
    reads = 0;
    readAheads = 0;
    allocated = 0;
    freed = 0;
  }

  /** Empties the pool, as when a file is opened: every page is read when it is next used. */
  public void clearPool() {
    pool.clear();
  }

  @Override
  public int allocate() {
    int page = super.allocate();
    allocated++;
    pool.use(page);
    return page;
  }

  @Override
  public int allocate(int count) {
    int first = super.allocate(count);
    allocated += count;
    return first;
  }

  @Override
  public void free(int page) {
    super.free(page);
    freed++;
    pool.drop(page);
  }

  @Override
  public void clear() {
    super.clear();
    pool.clear();
  }

  @Override
  public long pin(int page) {
    pins++;
    use(page);
    return super.pin(page);
  }

  @Override
  public long pinFresh(int page) {
    pins++;
    pool.use(page);
    return super.pinFresh(page);
  }

  @Override
  public void pinAll(long[] pages, int from, int count) {
    for (int i = from; i < from + count; i++) {
      use((int) pages[i]);
    }
    pins += count;
    super.pinAll(pages, from, count);
  }

  @Override
  public void readAhead(int[] pages, int from, int count) {
    for (int i = from; i < from + count; i++) {
      use(pages[i]);
    }
    readAheads += count;
    super.readAhead(pages, from, count);
  }

  private void use(int page) {
    if (!pool.use(page)) {
      reads++;
    }
  }
}
