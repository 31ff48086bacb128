// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.IndexOptions;
import dev.espalier.memory.TracedBytes;

/**
 * Prints what rebalances and resizes of a packed memory array move, and what a trace sees of it.
 */
public final class TracedRebalances {
  private static final int ENTRY_BYTES = 16;

  private TracedRebalances() {}

  public static void main(String[] args) {
    try (PackedMemoryArray array = PackedMemoryArray.create(IndexOptions.DEFAULT)) {
      TracedBytes.print(
          "PackedMemoryArray",
          () -> {
            for (long i = 0; i < 20_000; i++) {
              array.set(i, i);
            }
          },
          () -> ENTRY_BYTES * array.rebalanceCounts().moved());
    }
  }
}
