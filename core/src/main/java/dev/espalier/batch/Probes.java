// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.node.Bits;

/** Some probes on their way through a virtual node: as many as stay in the first-level cache. */
final class Probes {
  /** Enough to pay for the calls that they share. */
  static final int CAPACITY = 256;

  final long[] keys = new long[CAPACITY];
  final long[] tags = new long[CAPACITY];

  /** Where each probe is in the tree; of the leaves' virtual nodes then the value found. */
  final long[] places = new long[CAPACITY];

  /**
   * Which probes' keys are there, by the probes' numbers; to be cleared before they are answered.
   */
  final long[] found = new long[Bits.words(CAPACITY)];

  final int[] slots = new int[CAPACITY];
  int count;
}
