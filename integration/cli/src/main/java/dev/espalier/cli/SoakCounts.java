// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** What the threads of a soak have done so far. */
final class SoakCounts {
  /** Calls that were compared, but of batches each key. */
  final LongAdder operations = new LongAdder();

  final LongAdder keysInBatches = new LongAdder();
  final LongAdder images = new LongAdder();
  final LongAdder copies = new LongAdder();

  /** Stores whose pages lie behind good checksums. */
  final LongAdder lyingStores = new LongAdder();

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d operations, %,d of them keys of batches, %,d images of crashes, %,d damaged copies,"
            + " %,d stores with lying pages",
        operations.sum(),
        keysInBatches.sum(),
        images.sum(),
        copies.sum(),
        lyingStores.sum());
  }
}
