// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The cost models of the paper on the PIO B-tree, equations 4 to 9, as printed: the average time of
 * an operation. {@link PioCosts} computes numerically what they approximate.
 *
 * @param times the device
 * @param entries N: the number of entries
 * @param fanout F: the most pointers of an inner node
 * @param utilization U: how full nodes are, up to 1
 * @param batchCount bcnt: the most operations of a batch update
 */
public record PioEquations(
    DeviceTimes times, double entries, double fanout, double utilization, double batchCount) {
  /* Overview: how the equations are read where the paper leaves them open
   *
   *   7   H is that of equation 4, which counts leaves of one page, also where they have L. The sum
   *       over levels goes up to ceil(H) - 2, and G counts levels by ceil(H).
   *   9   The bracket of Search' can't be read in the copy at hand; it is the floor, as in 6. The sum
   *       begins at ceil(eta), as in 15. Both are meaningless where eta is below 1: some terms are
   *       negative then.
   */

  /**
   * Checks the parameters.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public PioEquations {
    if (!(utilization > 0 && utilization <= 1)) {
      throw new IllegalArgumentException(
          "utilization is " + utilization + "; it must be above 0, and at most 1");
    }
    if (!((fanout - 1) * utilization > 1)) {
      throw new IllegalArgumentException(
          "fanout is " + fanout + "; an average node must have more than one entry");
    }
    checkAtLeastOne("entries", entries);
    checkAtLeastOne("batchCount", batchCount);
  }

  private static void checkAtLeastOne(String name, double value) {
    if (!(value >= 1)) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be at least 1");
    }
  }

  /** Returns F', the entries of an average node. */
  public double averageFanout() {
    return (fanout - 1) * utilization;
  }

  private double log(double value) {
    return Math.log(value) / Math.log(averageFanout());
  }

  /** Returns the height of the B+-tree (equation 4). */
  public double height() {
    return log(entries);
  }

  /** Returns the cost of the B+-tree (equation 5). */
  public double bPlusTree(double insertRatio) {
    return height() * times.read() + insertRatio * times.write();
  }

  /** Returns the cost of the B+-tree with a pool of the given number of pages: M (equation 6). */
  public double bPlusTree(double insertRatio, double memoryPages) {
    double eta = log(entries / memoryPages) - 1;
    double partly = 1 - buffered(eta);
    return (Math.floor(eta) + partly) * times.read() + insertRatio * times.write();
  }

  /** Returns 1 / F'^(eta mod 1), the share of the partly buffered level that is in memory. */
  private double buffered(double eta) {
    return Math.pow(averageFanout(), -(eta - Math.floor(eta)));
  }

  /**
   * Returns how many operations of a batch update share a node: G (equation 8).
   *
   * @param level 0 for the root
   * @param height height of the tree, in levels
   */
  public double shared(double level, double height, int leafPages, double queuePages) {
    double operations = queuePages * averageFanout() / utilization;
    double nodes = entries / (Math.pow(averageFanout(), height - level) * leafPages);
    return Math.clamp(operations / nodes, 1, batchCount);
  }

  /** Returns the cost of a search of the PIO B-tree (equation 7). */
  public double pioSearch(int leafPages) {
    return (height() - 1) * times.read() + times.leafRead(leafPages);
  }

  /** Returns the cost of an insert into the PIO B-tree (equation 7). */
  public double pioInsert(int leafPages, double queuePages) {
    double levels = Math.ceil(height());
    double reads = 0;
    for (int level = 0; level <= levels - 2; level++) {
      reads += 1 / shared(level, levels, leafPages, queuePages);
    }
    return reads * times.psyncRead() + leafUpdate(levels, leafPages, queuePages);
  }

  private double leafUpdate(double levels, int leafPages, double queuePages) {
    return (times.psyncRead() + times.psyncWrite())
        / shared(levels - 1, levels, leafPages, queuePages);
  }

  /** Returns the cost of an operation of the PIO B-tree (equation 7). */
  public double pio(double insertRatio, int leafPages, double queuePages) {
    return (1 - insertRatio) * pioSearch(leafPages)
        + insertRatio * pioInsert(leafPages, queuePages);
  }

  /**
   * Returns the cost of a search of the PIO B-tree with a pool (equation 9).
   *
   * @param memoryPages M: pages of memory for pool and queue
   * @param queuePages O: those of the queue, fewer than M
   */
  public double pioSearch(int leafPages, double memoryPages, double queuePages) {
    double eta = eta(leafPages, memoryPages - queuePages);
    return (Math.floor(eta) - buffered(eta)) * times.read() + times.leafRead(leafPages);
  }

  private double eta(int leafPages, double poolPages) {
    return log(entries / (leafPages * poolPages)) - 1;
  }

  /** Returns the cost of an insert into the PIO B-tree with a pool (equation 9). */
  public double pioInsert(int leafPages, double memoryPages, double queuePages) {
    double poolPages = memoryPages - queuePages;
    double eta = eta(leafPages, poolPages);
    double levels = Math.ceil(height());
    double reads = -buffered(eta) / shared(log(poolPages) - 1, levels, leafPages, queuePages);
    for (int level = (int) Math.ceil(eta); level <= levels - 2; level++) {
      reads += 1 / shared(level, levels, leafPages, queuePages);
    }
    return reads * times.psyncRead() + leafUpdate(levels, leafPages, queuePages);
  }

  /** Returns the cost of an operation of the PIO B-tree with a pool (equation 9). */
  public double pio(double insertRatio, int leafPages, double memoryPages, double queuePages) {
    return (1 - insertRatio) * pioSearch(leafPages, memoryPages, queuePages)
        + insertRatio * pioInsert(leafPages, memoryPages, queuePages);
  }
}
