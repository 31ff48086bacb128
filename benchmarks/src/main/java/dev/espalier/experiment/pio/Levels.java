// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.Column;
import dev.espalier.experiment.Effort;
import java.util.List;

/** How many requests are outstanding at once (the paper's OutStd level). */
final class Levels {
  /** The levels of the paper. */
  static final List<Integer> ALL = List.of(1, 2, 4, 8, 16, 32, 64);

  static final int MOST = 64;

  static final String COLUMN = "level";

  private Levels() {}

  static Column column() {
    return Column.integer(COLUMN, "outstanding level", "");
  }

  /** Returns how many requests are made at each level: whole rounds at all levels, both ways. */
  static int requests(Effort effort) {
    int round = 2 * MOST;
    return Math.max(effort.probes() / 100 / round, 1) * round;
  }

  /** Returns a bandwidth in MiB per second. */
  static double bandwidth(double nanosPerBlock) {
    return Blocks.BYTES / nanosPerBlock * 1e9 / (1 << 20);
  }
}
