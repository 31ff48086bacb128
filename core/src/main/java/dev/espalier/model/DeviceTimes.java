// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.util.List;

/**
 * The latencies of a device that the cost models of the PIO B-tree use (PIO 3.5), in any unit.
 *
 * @param read P_r: a random read of one page
 * @param write P_w: a random write of one page
 * @param leafReads P_r(L): a read of all pages of a leaf, for leaves of 1, 2, 4, 8 and so on pages;
 *     at least one
 * @param psyncRead P'_r: a page's share of the reads that are made together
 * @param psyncWrite P'_w: a page's share of the writes that are made together
 */
public record DeviceTimes(
    double read, double write, List<Double> leafReads, double psyncRead, double psyncWrite) {

  /**
   * Checks the times.
   *
   * @throws IllegalArgumentException if one is not positive and finite, or if {@code leafReads} is
   *     empty
   */
  public DeviceTimes {
    check("read", read);
    check("write", write);
    check("psyncRead", psyncRead);
    check("psyncWrite", psyncWrite);
    leafReads = List.copyOf(leafReads);
    if (leafReads.isEmpty()) {
      throw new IllegalArgumentException("leafReads is empty; it must have a time for one page");
    }
    leafReads.forEach(time -> check("leafReads", time));
  }

  private static void check(String name, double time) {
    if (!(time > 0 && time < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " is " + time + "; it must be positive and finite");
    }
  }

  /** Returns the most pages of a leaf that there is a time for: a power of two. */
  public int mostLeafPages() {
    return 1 << (leafReads.size() - 1);
  }

  /**
   * Returns the time to read all pages of a leaf. Between two powers of two, it is interpolated
   * linearly.
   *
   * @param pages from 1 to {@link #mostLeafPages}
   */
  public double leafRead(int pages) {
    if (pages < 1 || pages > mostLeafPages()) {
      throw new IllegalArgumentException(
          "pages is %d; it must be from 1 to %d".formatted(pages, mostLeafPages()));
    }
    int power = Integer.highestOneBit(pages);
    int below = Integer.numberOfTrailingZeros(power);
    double time = leafReads.get(below);
    return pages == power
        ? time
        : time + (leafReads.get(below + 1) - time) * (pages - power) / power;
  }
}
