// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.node.Bits;

/**
 * A group of probes on their way through a virtual node, small enough for the first-level cache.
 */
final class Probes {
  /** Enough to outweigh the cost of the calls that they share. */
  static final int CAPACITY = 256;

  final long[] keys = new long[CAPACITY];
  final long[] tags = new long[CAPACITY];

  /** The place of each probe in the tree; in the virtual nodes of leaves, later the value found. */
  final long[] places = new long[CAPACITY];

  /** Which keys are present, by number of the probe. To be cleared before probes are answered. */
  final long[] found = new long[Bits.words(CAPACITY)];

  final int[] slots = new int[CAPACITY];
  int count;
}
