// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.experiment.Sums;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.Region;
import java.lang.foreign.ValueLayout;

/** As many bytes as some entries have, one after the other in memory, added up as scans do it. */
final class SequentialRead {
  private SequentialRead() {}

  /**
   * Returns nanoseconds per entry, the second time that the bytes are read.
   *
   * @throws IllegalStateException if the sum is wrong
   */
  static double nanosPerEntry(int entries) {
    long longs = 2L * entries;
    Region memory = Region.ofPages(longs * Long.BYTES, HugePages.WHEN_GROWN);
    try {
      for (long i = 0; i < longs; i++) {
        memory.segment().setAtIndex(ValueLayout.JAVA_LONG, i, i);
      }
      long first = Sums.of(memory.segment(), 0, longs);
      long start = System.nanoTime();
      long second = Sums.of(memory.segment(), 0, longs);
      long time = System.nanoTime() - start;
      if (first != longs * (longs - 1) / 2 || second != first) {
        throw new IllegalStateException("the sum is " + first + ", and then " + second);
      }
      return (double) time / entries;
    } finally {
      memory.close();
    }
  }
}
