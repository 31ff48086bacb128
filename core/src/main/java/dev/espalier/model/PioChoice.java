// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.util.Locale;

/**
 * The proportions of a PIO B-tree that cost least for some work on a device (PIO 3.6).
 *
 * @param pageBytes size of a page
 * @param leafPages L
 * @param queuePages O, the pages of the operation queue
 * @param pioMax the most pages that are read at once
 * @param poolShare the part of the memory that the queue leaves to the pool
 * @param nanos average time of an operation, as modelled
 * @param reason the whole choice and the reason for it, in a sentence
 */
public record PioChoice(
    int pageBytes,
    int leafPages,
    int queuePages,
    int pioMax,
    double poolShare,
    double nanos,
    String reason) {
  /** The most operations of a batch update: bcnt of the paper's experiments. */
  public static final int BATCH_COUNT = 5000;

  /** Nodes are about so full after random inserts. */
  private static final double UTILIZATION = 0.7;

  /** Fewer pages of memory are no pool for a tree that reads many at once. */
  private static final int LEAST_PAGES = 32;

  /**
   * Chooses all proportions of a new tree: those with the least cost, among the measured page sizes
   * of which memory has room for 32 pages, or else the smallest one, and powers of two for L and O.
   */
  public static PioChoice of(DeviceProfile device, PioWork work) {
    PioChoice best = ofPages(device, work, device.pages().getFirst().pageBytes());
    for (PageTimes times : device.pages()) {
      boolean hasRoom = work.memoryBytes() / times.pageBytes() >= LEAST_PAGES;
      PioChoice choice = hasRoom ? ofPages(device, work, times.pageBytes()) : best;
      best = choice.nanos < best.nanos ? choice : best;
    }
    return best;
  }

  /** Chooses L, O and PioMax for a new tree in pages of one size. */
  public static PioChoice ofPages(DeviceProfile device, PioWork work, int pageBytes) {
    int pioMax = device.times(pageBytes).pioMax();
    PioCosts costs = costs(device, work, pageBytes, pioMax);
    return of(costs, costs.choose(work.insertRatio()), pioMax, work, device);
  }

  /**
   * Chooses O and PioMax for an existing tree.
   *
   * @param leafPages L of the tree, from 1 to 16
   */
  public static PioChoice ofTree(DeviceProfile device, PioWork work, int pageBytes, int leafPages) {
    int pioMax = device.times(pageBytes).pioMax();
    PioCosts costs = costs(device, work, pageBytes, pioMax);
    return of(costs, costs.chooseQueue(work.insertRatio(), leafPages), pioMax, work, device);
  }

  private static PioCosts costs(DeviceProfile device, PioWork work, int pageBytes, int pioMax) {
    long memoryPages = Math.clamp(work.memoryBytes() / pageBytes, 2, Integer.MAX_VALUE);
    return new PioCosts(
        device.times(pageBytes).times(pioMax),
        work.entries(),
        pageBytes,
        UTILIZATION,
        (int) memoryPages,
        BATCH_COUNT,
        0);
  }

  private static PioChoice of(
      PioCosts costs, PioCosts.Choice choice, int pioMax, PioWork work, DeviceProfile device) {
    String reason =
        String.format(
            Locale.ROOT,
            "pages of %d bytes, up to %d of them read at once: for %d entries, %.0f%% updates and"
                + " %d KiB of memory on %s, %s (times in ns)",
            costs.pageBytes(),
            pioMax,
            work.entries(),
            100 * work.insertRatio(),
            work.memoryBytes() >> 10,
            device.device(),
            choice.reason());
    return new PioChoice(
        costs.pageBytes(),
        choice.leafPages(),
        choice.queuePages(),
        pioMax,
        1 - (double) choice.queuePages() / costs.memoryPages(),
        choice.cost(),
        reason);
  }
}
