// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.util.Arrays;
import java.util.List;

/**
 * Adds up how long a page store on a device would take, behind a buffer pool: how trees on pages
 * are compared on devices that are not at hand. The pages are in memory; only transfers take time.
 *
 * <p>What one call reads is a wave of requests made together. Changed pages that have to make room
 * for it are written before, in a wave of their own, as reads and writes are not mixed. Reading
 * ahead is a wave, too, and is waited for. Pages that were just allocated are not read.
 *
 * <p>For one thread at a time, readers included.
 */
public final class TimedPageStore extends ForwardingPageStore {
  /** How long a device takes for requests that are made together. */
  public interface Device {
    /** Returns the nanoseconds that it takes to read so many pages, at least one. */
    double readNanos(int pages, int pageBytes);

    /** Returns the nanoseconds that it takes to write so many pages, at least one. */
    double writeNanos(int pages, int pageBytes);
  }

  /**
   * What has been transferred.
   *
   * @param read pages read
   * @param readWaves calls that read some
   * @param written pages written
   * @param writeWaves waves of writes
   */
  public record Transfers(long read, long readWaves, long written, long writeWaves) {}

  /** As many as a device takes at once. */
  private static final int MOST_IN_WAVE = 64;

  /** Frames that a tree may not pin, so that there is always one to be found. */
  private static final int SPARE_FRAMES = 2;

  private final List<Device> devices;
  private final double[] nanos;
  private final boolean readsAhead;
  private final int leastWritten;
  private final int pageShift;
  private final WriteBackPool pool;
  private long read;
  private long readWaves;
  private long written;
  private long writeWaves;

  /**
   * Stands before {@code store}, and closes it. The pool is empty.
   *
   * @param frames pages of the pool, at least 8
   * @param leastWritten a page that has to make room is written together with others, in a wave of
   *     so many if that many have changed; with 1, only those are written that have to make room
   * @param readsAhead whether hints to read ahead are heeded
   * @param devices that the same transfers are timed on
   */
  public TimedPageStore(
      MemoryPageStore store,
      int frames,
      int leastWritten,
      boolean readsAhead,
      List<? extends Device> devices) {
    super(store);
    this.devices = List.copyOf(devices);
    this.nanos = new double[devices.size()];
    this.readsAhead = readsAhead;
    this.leastWritten = leastWritten;
    this.pageShift = Integer.numberOfTrailingZeros(store.pageBytes());
    this.pool = new WriteBackPool(frames);
  }

  // ---------------------------------------------------------------- counters

  /** Returns the nanoseconds that all transfers take on a device, which is one of those given. */
  public double nanos(Device device) {
    return nanos[devices.indexOf(device)];
  }

  /** Returns what has been transferred since the start or the last {@link #resetCounters}. */
  public Transfers transfers() {
    return new Transfers(read, readWaves, written, writeWaves);
  }

  /** Sets times and counts to 0; the pool stays as it is. */
  public void resetCounters() {
    Arrays.fill(nanos, 0);
    read = 0;
    readWaves = 0;
    written = 0;
    writeWaves = 0;
  }

  /** Empties the pool, as when a file is opened; changed pages are forgotten to be so. */
  public void clearPool() {
    pool.clear();
  }

  private void chargeReads(int pages) {
    if (pages == 0) {
      return;
    }
    read += pages;
    readWaves++;
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] += devices.get(i).readNanos(pages, pageBytes());
    }
  }

  private void chargeWrites(int pages) {
    for (int left = pages; left > 0; left -= MOST_IN_WAVE) {
      int some = Math.min(left, MOST_IN_WAVE);
      written += some;
      writeWaves++;
      for (int i = 0; i < nanos.length; i++) {
        nanos[i] += devices.get(i).writeNanos(some, pageBytes());
      }
    }
  }

  // ---------------------------------------------------------------- pool

  /** Makes room for a page if it is not there. Returns how many pages are to be read for it. */
  private int bring(int page) {
    return pool.bring(page) ? 0 : 1;
  }

  /** Writes what had to make room since the last call, with others if there are to be more. */
  private void writeEvicted() {
    int evicted = pool.takeEvicted();
    if (evicted > 0) {
      chargeWrites(evicted + pool.clean(leastWritten - evicted));
    }
  }

  @Override
  public long pin(int page) {
    int missing = bring(page);
    pool.pin(page);
    writeEvicted();
    chargeReads(missing);
    return super.pin(page);
  }

  @Override
  public long pinFresh(int page) {
    bring(page);
    pool.pin(page);
    writeEvicted();
    return super.pinFresh(page);
  }

  @Override
  public void pinAll(long[] pages, int from, int count) {
    int missing = 0;
    for (int i = from; i < from + count; i++) {
      missing += bring((int) pages[i]);
      pool.pin((int) pages[i]);
    }
    writeEvicted();
    chargeReads(missing);
    super.pinAll(pages, from, count);
  }

  @Override
  public void unpin(long offset, boolean changed) {
    pool.unpin((int) (offset >>> pageShift) + 1, changed);
    super.unpin(offset, changed);
  }

  @Override
  public int mostPins() {
    return pool.frames() - SPARE_FRAMES;
  }

  @Override
  public boolean pagesStay() {
    return false;
  }

  @Override
  public void readAhead(int[] pages, int from, int count) {
    if (!readsAhead) {
      return;
    }
    int missing = 0;
    for (int i = from; i < from + Math.min(count, mostPins()); i++) {
      missing += bring(pages[i]);
    }
    writeEvicted();
    chargeReads(missing);
  }

  @Override
  public void wontNeed(int page) {
    pool.wontNeed(page);
  }

  @Override
  public int allocate() {
    int page = super.allocate();
    bring(page);
    writeEvicted();
    return page;
  }

  @Override
  public void free(int page) {
    super.free(page);
    pool.drop(page);
  }

  @Override
  public void clear() {
    super.clear();
    pool.clear();
  }

  @Override
  public void flush() {
    chargeWrites(pool.clean(Integer.MAX_VALUE));
    super.flush();
  }
}
