// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Trace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Native memory for cursors, which are not closed: the garbage collector frees it when nothing
 * refers to it. To allocate a piece by itself takes microseconds, and more for the collector, so
 * that making a cursor would take longer than a short scan. So pieces are cut from slabs, one slab
 * after the other; a slab is freed when no piece of it is left, so that a cursor that stays keeps
 * one.
 */
public final class CursorMemory {
  /** Bytes of a slab. */
  static final int SLAB_BYTES = 256 << 10;

  /** Larger pieces are not cut from slabs, but allocated by themselves. */
  static final int MOST_BYTES = SLAB_BYTES / 8;

  /** How many slabs there are to cut from; a power of two. Threads share one by their numbers. */
  static final int SLABS = 8;

  private static final AtomicReferenceArray<@Nullable Slab> CURRENT =
      new AtomicReferenceArray<>(SLABS);

  private CursorMemory() {}

  /** Memory that pieces are cut from, and up to where it was. */
  private record Slab(MemorySegment memory, AtomicInteger end) {
    Slab() {
      this(Arena.ofAuto().allocate(SLAB_BYTES, CacheLine.BYTES), new AtomicInteger());
    }
  }

  /** Returns so many bytes, all zero, for longs. */
  public static MemorySegment allocate(long bytes) {
    // Whoever traces is to see memory that nothing else has had.
    if (bytes > MOST_BYTES || Trace.ON) {
      return Arena.ofAuto().allocate(bytes, Long.BYTES);
    }
    int taken = (int) (bytes + CacheLine.BYTES - 1) & -CacheLine.BYTES;
    int place = (int) Thread.currentThread().threadId() & (SLABS - 1);
    while (true) {
      Slab slab = CURRENT.get(place);
      if (slab != null) {
        int from = slab.end.getAndAdd(taken);
        if (from + taken <= SLAB_BYTES) {
          return slab.memory.asSlice(from, bytes);
        }
      }
      CURRENT.compareAndSet(place, slab, new Slab());
    }
  }
}
