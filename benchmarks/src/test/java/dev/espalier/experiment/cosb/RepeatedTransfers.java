// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.experiment.Effort;
import dev.espalier.simulation.TwoLevelMemory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@link RepeatedTransfersTest} starts: prints a line for each count of one structure's
 * transfers, whose memory is each time elsewhere.
 */
final class RepeatedTransfers {
  static final int COUNTS = 4;
  private static final Effort EFFORT = new Effort(100_000, 20_000, 1);
  private static final int BLOCK_BYTES = 4 << 10;
  private static final int MEMORY_BYTES = 40 * BLOCK_BYTES;

  private RepeatedTransfers() {}

  /** Takes no arguments. */
  public static void main(String[] args) {
    for (CountedStructure structure : CountedStructure.all()) {
      List<List<Long>> counts = new ArrayList<>();
      for (int i = 0; i < COUNTS; i++) {
        try (Arena arena = Arena.ofConfined()) {
          for (int other = 0; other < i; other++) {
            arena.allocate((1L << 20) * (other + 3 * i));
          }
          counts.add(
              TransferCount.work(
                      structure,
                      EFFORT,
                      () -> List.of(new TwoLevelMemory(MEMORY_BYTES, BLOCK_BYTES)))
                  .body()
                  .get());
        }
      }
      System.out.println(structure.label() + " " + counts);
    }
  }
}
