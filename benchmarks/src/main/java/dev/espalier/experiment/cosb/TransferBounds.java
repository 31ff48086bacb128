// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

/**
 * Block transfers of one operation by the bounds of the structures' papers, without the constants
 * that the O leaves open.
 *
 * <p>Of a search, only what lies beyond fast memory is transferred: with M entries in fast memory,
 * a path of log N steps has log (N / M) + 1 that read a block.
 *
 * @param search transfers of a search
 * @param insert transfers of an insert, amortized
 */
record TransferBounds(double search, double insert) {

  /** The bounds of one structure. */
  @FunctionalInterface
  interface Formula {
    /** Evaluates them. */
    TransferBounds at(Model model);
  }

  /**
   * The model's parameters.
   *
   * @param entries N, entries of the index
   * @param memoryEntries M, entries that fast memory has room for
   * @param blockEntries B, entries that a block has room for
   */
  record Model(double entries, double memoryEntries, double blockEntries) {

    /** Returns how many levels of a fanout are transferred: those larger than fast memory. */
    private double levels(double fanout) {
      return log(fanout + 1, Math.max(1, entries / memoryEntries)) + 1;
    }

    /** Returns the steps by halving, or the levels of growth 2, that are transferred. */
    private double halvings() {
      return levels(1);
    }

    private double rebalance() {
      double log = log(2, entries);
      return log * log / blockEntries;
    }
  }

  /** The B-tree: both go from the root to a leaf. */
  static TransferBounds bTree(Model model) {
    double levels = model.levels(model.blockEntries);
    return new TransferBounds(levels, levels);
  }

  /** The COLA of growth 2, and the buffered repository tree: log N, and (log N) / B. */
  static TransferBounds binary(Model model) {
    double levels = model.halvings();
    return new TransferBounds(levels, levels / model.blockEntries);
  }

  /** The deamortized COLA without lookahead pointers, which searches each level as a whole. */
  static TransferBounds withoutPointers(Model model) {
    double levels = model.halvings();
    double stepsOfLargest = log(2, model.entries / model.blockEntries);
    return new TransferBounds(levels * stepsOfLargest, levels / model.blockEntries);
  }

  /**
   * The B^&epsilon;-tree, and the lookahead array of that growth.
   *
   * @param fanout B^&epsilon;
   */
  static Formula ofFanout(int fanout) {
    return model -> {
      double levels = model.levels(fanout);
      return new TransferBounds(levels, levels * fanout / model.blockEntries);
    };
  }

  /** The shuttle tree, with 1 for what Theta stands for in its exponent. */
  static TransferBounds shuttle(Model model) {
    double levels = model.levels(model.blockEntries);
    double logLog = log(2, log(2, model.blockEntries));
    double gain = Math.pow(model.blockEntries, 1 / (logLog * logLog));
    return new TransferBounds(levels, levels / gain + model.rebalance());
  }

  /** The cache-oblivious B-tree: an insert searches, and moves entries of the array. */
  static TransferBounds cacheObliviousBTree(Model model) {
    double levels = model.levels(model.blockEntries);
    return new TransferBounds(levels, levels + model.rebalance());
  }

  /** The array alone is searched by halving. */
  static TransferBounds packedMemoryArray(Model model) {
    double steps = model.halvings();
    return new TransferBounds(steps, steps + model.rebalance());
  }

  private static double log(double base, double of) {
    return Math.log(of) / Math.log(base);
  }
}
