// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

/**
 * Block transfers of one operation by the bounds of the structures' papers, without the constants
 * that the O leaves open.
 *
 * @param search transfers of a search
 * @param insert transfers of an insert, amortized
 */
record TransferBounds(double search, double insert) {

  /** The bounds of one structure. */
  @FunctionalInterface
  interface Formula {
    /**
     * Evaluates them.
     *
     * @param entries N, entries of the index
     * @param blockEntries B, entries that a block has room for
     */
    TransferBounds at(double entries, double blockEntries);
  }

  /** The B-tree: both go from the root to a leaf. */
  static TransferBounds bTree(double entries, double blockEntries) {
    double levels = levels(entries, blockEntries);
    return new TransferBounds(levels, levels);
  }

  /** The COLA of growth 2, and the buffered repository tree: log N, and (log N) / B. */
  static TransferBounds binary(double entries, double blockEntries) {
    double levels = log(2, entries);
    return new TransferBounds(levels, levels / blockEntries);
  }

  /** The deamortized COLA without lookahead pointers, which searches each level as a whole. */
  static TransferBounds withoutPointers(double entries, double blockEntries) {
    double levels = log(2, entries);
    return new TransferBounds(levels * levels, levels / blockEntries);
  }

  /**
   * The B^&epsilon;-tree, and the lookahead array of that growth.
   *
   * @param fanout B^&epsilon;
   */
  static Formula ofFanout(int fanout) {
    return (entries, blockEntries) -> {
      double levels = levels(entries, fanout);
      return new TransferBounds(levels, levels * fanout / blockEntries);
    };
  }

  /** The shuttle tree, with 1 for what Theta stands for in its exponent. */
  static TransferBounds shuttle(double entries, double blockEntries) {
    double levels = levels(entries, blockEntries);
    double logLog = log(2, log(2, blockEntries));
    double gain = Math.pow(blockEntries, 1 / (logLog * logLog));
    return new TransferBounds(levels, levels / gain + rebalance(entries, blockEntries));
  }

  /** The cache-oblivious B-tree: an insert searches, and moves entries of the array. */
  static TransferBounds cacheObliviousBTree(double entries, double blockEntries) {
    double levels = levels(entries, blockEntries);
    return new TransferBounds(levels, levels + rebalance(entries, blockEntries));
  }

  /** The array alone is searched by halving. */
  static TransferBounds packedMemoryArray(double entries, double blockEntries) {
    double steps = log(2, entries);
    return new TransferBounds(steps, steps + rebalance(entries, blockEntries));
  }

  private static double rebalance(double entries, double blockEntries) {
    double log = log(2, entries);
    return log * log / blockEntries;
  }

  /** log to the base of {@code fanout + 1}. */
  private static double levels(double entries, double fanout) {
    return log(fanout + 1, entries);
  }

  private static double log(double base, double of) {
    return Math.log(of) / Math.log(base);
  }
}
