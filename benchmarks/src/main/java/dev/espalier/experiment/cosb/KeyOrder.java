// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

/** The order in which keys are written: it gives the key that is written as number {@code n}. */
enum KeyOrder {
  RANDOM("random"),
  ASCENDING("ascending");

  private final String label;

  KeyOrder(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** Returns a key; different numbers have different keys. */
  long key(long number) {
    return this == ASCENDING ? number : scattered(number);
  }

  /**
   * Returns what SplitMix64 (Steele, Lea, Flood 2014) makes of a number: each long comes out of one
   * number, and they look like independent ones. The multiples of an odd number would not do: they
   * spread evenly, so that all leaves of a tree fill up and split at the same time.
   */
  static long scattered(long number) {
    long mixed = (number + 1) * 0x9e37_79b9_7f4a_7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }
}
