// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PageTimes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Measures how long a device takes for random pages, depending on how many are asked for at once
 * (the micro-benchmark of PIO 3.6), in a file of its own.
 *
 * <p>Each figure is the median of the rounds that fit into a twentieth of a second. On a device
 * that is so slow that all figures together would take too long, the last ones are not measured:
 * twice as many pages then count as twice as long.
 */
final class DeviceMeasurement {
  /** Sizes of pages that a PIO B-tree may have. */
  static final List<Integer> PAGE_SIZES = List.of(4 << 10, 8 << 10, 16 << 10);

  /** What positions are multiples of, whatever the engine. */
  static final int BLOCK_BYTES = 4 << 10;

  private static final int FILE_BYTES = 64 << 20;
  private static final int FILL_BYTES = 1 << 20;

  /** How long filling the file may take; what is there by then will do. */
  private static final long FILL_NANOS = 1_500_000_000L;

  /** After this time, only what has to be measured is still measured. */
  private static final long MOST_NANOS = 7_000_000_000L;

  private static final long FIGURE_NANOS = 50_000_000L;
  private static final int LEAST_ROUNDS = 3;
  private static final int MOST_ROUNDS = 1000;
  private static final int SEED = 36;

  private final PageFile file;
  private final LongSupplier clock;
  private final long start;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private int filled;

  /**
   * Prepares a measurement.
   *
   * @param file empty, and opened for blocks of {@link #BLOCK_BYTES}
   * @param clock nanoseconds
   */
  DeviceMeasurement(PageFile file, LongSupplier clock) {
    this.file = file;
    this.clock = clock;
    this.start = clock.getAsLong();
  }

  /**
   * Measures. Takes less than ten seconds on any device that reads or writes a page in 20 ms.
   *
   * @param device what the profile calls it
   * @throws PageFileException if the device fails, or has no room for 64 MiB
   */
  DeviceProfile measure(String device) {
    int largest = PageTimes.MOST_AT_ONCE * PAGE_SIZES.getLast();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(largest, BLOCK_BYTES);
      fill(memory);
      List<PageTimes> pages = new ArrayList<>();
      for (int pageBytes : PAGE_SIZES) {
        pages.add(
            new PageTimes(
                pageBytes, figures(memory, pageBytes, false), figures(memory, pageBytes, true)));
      }
      return new DeviceProfile(device, pages);
    }
  }

  /** Fills the file with noise: reading what was never written, or is all zeros, takes no time. */
  private void fill(MemorySegment memory) {
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      memory.set(JAVA_LONG, at, random.nextLong());
    }
    file.grow(FILE_BYTES);
    IoBatch batch = new IoBatch(memory, 1);
    do {
      batch.clear();
      batch.add(filled, 0, FILL_BYTES);
      file.write(batch);
      filled += FILL_BYTES;
    } while (filled < FILE_BYTES && elapsed() < FILL_NANOS);
    file.force();
  }

  private long elapsed() {
    return clock.getAsLong() - start;
  }

  /** Returns the times of 1, 2, 4 and so on pages. */
  private List<Double> figures(MemorySegment memory, int pageBytes, boolean writes) {
    List<Double> figures = new ArrayList<>();
    for (int group = 0; group < PageTimes.GROUPS; group++) {
      boolean mayEnd = group > 0 && elapsed() + 2 * figures.getLast() > MOST_NANOS;
      figures.add(mayEnd ? 2 * figures.getLast() : figure(memory, 1 << group, pageBytes, writes));
    }
    return figures;
  }

  private double figure(MemorySegment memory, int pages, int pageBytes, boolean writes) {
    IoBatch batch = new IoBatch(memory, pages);
    long[] rounds = new long[MOST_ROUNDS];
    int count = 0;
    long begin = clock.getAsLong();
    long end;
    do {
      batch.clear();
      for (int i = 0; i < pages; i++) {
        long position = (long) random.nextInt(filled / pageBytes) * pageBytes;
        batch.add(position, (long) i * pageBytes, pageBytes);
      }
      long before = clock.getAsLong();
      if (writes) {
        file.write(batch);
      } else {
        file.read(batch);
      }
      end = clock.getAsLong();
      rounds[count++] = end - before;
    } while (count < MOST_ROUNDS
        && (end - begin < FIGURE_NANOS || (count < LEAST_ROUNDS && elapsed() < MOST_NANOS)));
    Arrays.sort(rounds, 0, count);
    return Math.max(rounds[count / 2], 1); // A clock may stand still.
  }
}
