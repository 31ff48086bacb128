// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Trace;
import java.util.Arrays;

/**
 * Simulates two levels of cache, a TLB and a pipelined memory under the accesses of an index: give
 * it to {@link Trace#to}, run operations, and read the {@link #counters}. Nothing in it depends on
 * time or chance, so the same operations on the same index give the same figures on every machine.
 *
 * <p>An access takes some hundred nanoseconds to simulate at most. Not safe for use by several
 * threads.
 */
public final class MemoryHierarchy implements Trace.Listener {
  /* Overview
   *
   *   The processor executes in order, one access after the other, and waits for every line that it
   *   reads or writes, until it is in the first-level cache. It does not wait for prefetches. So no
   *   misses overlap but those of prefetches with each other and with what follows them; a processor
   *   of today that executes out of order overlaps more.
   *
   *   The memory begins with a miss as soon as it is asked, and delivers lines in the order asked: at
   *   max(time + T1, delivery of the line before + Tnext) (thesis 3.1, T1 and Tnext). While
   *   as many lines as there are miss handlers are under way, whoever asks for one more waits.
   *
   *   Caches replace the least recently used line of a set (the Itanium's not-recently-used bits
   *   approximate that). A line takes its slot when it is asked for, and is expected there until it
   *   is delivered; an access in between waits for the rest of the time. Writes fetch their line as
   *   reads do; writing back costs nothing. The levels are filled together, and replace on their own.
   *
   *   A TLB miss of an access stalls for the page walk; that of a prefetch delays its line, or drops
   *   the prefetch (TlbShape.PrefetchMiss).
   *
   *   Pages are numbered in the order of first touch, and the caches are indexed by these numbers, as
   *   by physical addresses. Where the system puts an index thus does not matter, as long as it lies
   *   at the same place within a page: a JVM that traces aligns the memory of every index to 2 MiB.
   */

  private final HierarchyShape shape;
  private final int lineShift;
  private final int pageShift;
  private final PageNumbers pages = new PageNumbers();
  private final LruSets tlb;
  private final LruSets l1;
  private final LruSets l2;

  /** When each miss handler is free again; they are taken in turn, so in order of these times. */
  private final long[] handlersFree;

  private int nextHandler;

  /** When the memory delivers the line last asked for. */
  private long lastDelivery;

  private long now;

  private long accesses;
  private long l1Misses;
  private long l2Misses;
  private long prefetches;
  private long uselessPrefetches;
  private long droppedPrefetches;
  private long memoryLines;
  private long tlbMisses;
  private long stallCycles;
  private long busyCycles;

  /**
   * Makes a hierarchy with empty caches.
   *
   * @throws IllegalArgumentException if the sets of a cache or of the TLB are not a power of two
   */
  public MemoryHierarchy(HierarchyShape shape) {
    this.shape = shape;
    this.lineShift = Integer.numberOfTrailingZeros(shape.lineBytes());
    this.pageShift = Integer.numberOfTrailingZeros(shape.tlb().pageBytes());
    this.tlb = shape.tlb().empty();
    this.l1 = shape.l1().ofLines(shape.lineBytes());
    this.l2 = shape.l2().ofLines(shape.lineBytes());
    this.handlersFree = new long[shape.missHandlers()];
  }

  /** Returns the shape that it was made with. */
  public HierarchyShape shape() {
    return shape;
  }

  // ---------------------------------------------------------------- accesses

  @Override
  public void read(long address, int bytes) {
    access(address, bytes);
  }

  @Override
  public void write(long address, int bytes) {
    access(address, bytes);
  }

  private void access(long address, int bytes) {
    int lineBytes = shape.lineBytes();
    long end = address + bytes;
    for (long at = address; at < end; at = (at & -lineBytes) + lineBytes) {
      accessLine(at);
    }
  }

  private void accessLine(long address) {
    accesses++;
    long page = pages.of(address >>> pageShift);
    int entry = tlb.find(page);
    if (entry < 0) {
      tlbMisses++;
      waitUntil(walk(page));
    } else {
      waitUntil(tlb.readyTime(entry));
    }
    long line = line(page, address);
    int slot = l1.find(line);
    if (slot >= 0) {
      waitUntil(l1.readyTime(slot));
    } else {
      l1Misses++;
      long before = memoryLines;
      waitUntil(fetch(line, now));
      l2Misses += memoryLines - before;
    }
    work();
  }

  /**
   * {@inheritDoc}
   *
   * <p>These are lines of 64 bytes, as trees count them; wider lines of this hierarchy that hold
   * them are fetched once.
   */
  @Override
  public void prefetch(long address, int lines) {
    int lineBytes = shape.lineBytes();
    long start = address & -CacheLine.BYTES;
    long end = start + ((long) lines << CacheLine.SHIFT);
    for (long at = start; at < end; at = (at & -lineBytes) + lineBytes) {
      prefetchLine(at);
    }
  }

  private void prefetchLine(long address) {
    prefetches++;
    long page = pages.of(address >>> pageShift);
    int entry = tlb.find(page);
    if (entry < 0) {
      tlbMisses++;
    }
    if (entry < 0 && shape.tlb().prefetchMiss() == TlbShape.PrefetchMiss.DROP) {
      droppedPrefetches++;
    } else {
      long translated = entry < 0 ? walk(page) : tlb.readyTime(entry);
      long line = line(page, address);
      if (l1.find(line) >= 0) {
        uselessPrefetches++;
      } else {
        fetch(line, translated);
      }
    }
    work();
  }

  private long line(long page, long address) {
    long place = (page << pageShift) | (address & (shape.tlb().pageBytes() - 1));
    return place >>> lineShift;
  }

  private void work() {
    busyCycles += shape.busyCycles();
    now += shape.busyCycles();
  }

  private void waitUntil(long time) {
    if (time > now) {
      stallCycles += time - now;
      now = time;
    }
  }

  // ---------------------------------------------------------------- misses

  /** Enters a page into the TLB and returns when its translation is known. */
  private long walk(long page) {
    long known = now + shape.tlb().missCycles();
    tlb.put(page, known);
    return known;
  }

  /**
   * Brings a line into the first-level cache, not before {@code start}, and returns when it is
   * there. It may be in the second level.
   */
  private long fetch(long line, long start) {
    int slot = l2.find(line);
    long ready;
    if (slot >= 0) {
      ready = Math.max(Math.max(now, start) + shape.l2HitCycles(), l2.readyTime(slot));
    } else {
      ready = deliver(start);
      l2.put(line, ready);
    }
    l1.put(line, ready);
    return ready;
  }

  /** Asks the memory for a line, not before {@code start}, and returns when it delivers it. */
  private long deliver(long start) {
    memoryLines++;
    waitUntil(handlersFree[nextHandler]);
    lastDelivery = Math.max(Math.max(now, start) + shape.t1(), lastDelivery + shape.tnext());
    handlersFree[nextHandler] = lastDelivery;
    nextHandler = (nextHandler + 1) % handlersFree.length;
    return lastDelivery;
  }

  // ---------------------------------------------------------------- counters

  /** Returns what has been counted so far. */
  public HierarchyCounters counters() {
    return new HierarchyCounters(
        accesses,
        l1Misses,
        l2Misses,
        prefetches,
        uselessPrefetches,
        droppedPrefetches,
        memoryLines,
        tlbMisses,
        stallCycles,
        busyCycles);
  }

  /** Counts from 0 again; caches and TLB keep what they hold. */
  public void reset() {
    accesses = 0;
    l1Misses = 0;
    l2Misses = 0;
    prefetches = 0;
    uselessPrefetches = 0;
    droppedPrefetches = 0;
    memoryLines = 0;
    tlbMisses = 0;
    stallCycles = 0;
    busyCycles = 0;
  }

  /** Empties caches and TLB, and forgets what is under way; counters stay. */
  public void flush() {
    pages.clear();
    tlb.clear();
    l1.clear();
    l2.clear();
    Arrays.fill(handlersFree, now);
    lastDelivery = now;
  }
}
