// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import com.sun.management.OperatingSystemMXBean;
import dev.espalier.ffi.SystemCallException;
import dev.espalier.ffi.VirtualMemory;
import dev.espalier.memory.CacheLine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * Measures {@link MemoryTimes}.
 *
 * <p>With loads at random places of a region far larger than the last-level cache, in the kind of
 * memory that indexes use: huge pages where they are granted. T1 is the time per load where each
 * address depends on the load before. For Tnext, a group of lines takes the place of each single
 * one: loads within a group are independent, the next group's addresses depend on their sum.
 */
final class MemoryLatency {
  /** Larger than most processors' caches, and still touched in less than a second. */
  private static final long MAX_REGION_BYTES = 1L << 30;

  /** So many times the last-level cache make cache hits rare: one access in this many. */
  private static final int CACHE_MULTIPLE = 16;

  private static final long MIN_REGION_BYTES = 1L << 26;
  private static final long HUGE_PAGE_BYTES = 2L << 20;
  private static final long SMALL_PAGE_BYTES = 4096;

  /** Lines per group: more than a processor fetches at a time, so that the rate is what counts. */
  private static final int GROUP = 16;

  /**
   * More lines than a memory delivers within one latency. Noise in T1 can make the difference that
   * Tnext is taken from tiny or negative; this bounds it.
   */
  private static final int MAX_LINES_PER_LATENCY = 256;

  private static final int STEPS = 1 << 17;
  private static final int RUNS = 7;

  /** Multiplier and increment of Knuth's MMIX generator, whose high bits are used. */
  private static final long MULTIPLIER = 6364136223846793005L;

  private static final long INCREMENT = 1442695040888963407L;

  /** The golden ratio's fraction: its multiples fall evenly and far from each other. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private MemoryLatency() {}

  /** Measures this machine, in a second or two; in nanoseconds. */
  static MemoryTimes measure() {
    return measure(regionBytes(CacheSizes.ofThisMachine().lastLevelBytes(), freeBytes()));
  }

  /**
   * Measures in a region of a certain size.
   *
   * @param regionBytes a power of two, at least the size of two lines
   */
  static MemoryTimes measure(long regionBytes) {
    if (Long.bitCount(regionBytes) != 1 || regionBytes < 2 * CacheLine.BYTES) {
      throw new IllegalArgumentException(
          "regionBytes is " + regionBytes + "; it must be a power of two and hold two lines");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment region = allocate(regionBytes, arena);
      for (long page = 0; page < regionBytes; page += SMALL_PAGE_BYTES) {
        region.set(ValueLayout.JAVA_LONG, page, 0);
      }
      double t1 = medianNanosPerStep(region, 1);
      double group = medianNanosPerStep(region, GROUP);
      double tnext = (group - t1) / (GROUP - 1);
      return new MemoryTimes(t1, Math.max(tnext, t1 / MAX_LINES_PER_LATENCY));
    }
  }

  /** The largest power of two that is not above any of the bounds. */
  static long regionBytes(long lastLevelBytes, long freeBytes) {
    long wanted = lastLevelBytes == 0 ? MAX_REGION_BYTES : CACHE_MULTIPLE * lastLevelBytes;
    long bytes = Math.min(Math.min(wanted, MAX_REGION_BYTES), freeBytes / 2);
    return Long.highestOneBit(Math.max(bytes, MIN_REGION_BYTES));
  }

  private static long freeBytes() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getFreeMemorySize();
  }

  private static MemorySegment allocate(long bytes, Arena arena) {
    if (VirtualMemory.isAvailable()) {
      try {
        MemorySegment region = VirtualMemory.reserve(bytes, HUGE_PAGE_BYTES, arena);
        VirtualMemory.adviseHugePages(region);
        return region;
      } catch (SystemCallException refused) {
        // A limit on address space; what follows may still fit.
      }
    }
    return arena.allocate(bytes, CacheLine.BYTES);
  }

  private static double medianNanosPerStep(MemorySegment region, int group) {
    double[] nanos = new double[RUNS];
    long place = walk(region, group, 0); // The JIT compiler's run.
    for (int run = 0; run < RUNS; run++) {
      long start = System.nanoTime();
      place = walk(region, group, place);
      nanos[run] = (double) (System.nanoTime() - start) / STEPS;
    }
    region.set(ValueLayout.JAVA_LONG, 0, place); // A use, or the loads could be left out.
    Arrays.sort(nanos);
    return nanos[RUNS / 2];
  }

  private static long walk(MemorySegment region, int group, long start) {
    int shift = Long.SIZE - Long.numberOfTrailingZeros(region.byteSize() / CacheLine.BYTES);
    long place = start;
    for (int step = 0; step < STEPS; step++) {
      long sum = 0;
      for (int i = 0; i < group; i++) {
        long line = (place + i * GOLDEN) >>> shift;
        sum += region.get(ValueLayout.JAVA_LONG, line << CacheLine.SHIFT);
      }
      place = place * MULTIPLIER + INCREMENT + sum;
    }
    return place;
  }
}
