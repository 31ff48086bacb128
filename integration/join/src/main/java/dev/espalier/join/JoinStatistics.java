// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.batch.ProbeChoice;
import java.util.Optional;

/**
 * Counters of what a join has done since it was last opened.
 *
 * @param rowsIn number of rows read from the outer side
 * @param rowsOut number of rows of output
 * @param batches number of batches read from the outer side
 * @param largestBatch number of rows of the largest of these batches
 * @param choice the lookup method of the last batch and why it was chosen, if the join had a choice
 */
public record JoinStatistics(
    long rowsIn, long rowsOut, long batches, int largestBatch, Optional<ProbeChoice> choice) {

  /** Returns the mean number of rows per batch read from the outer side, or 0 if none was read. */
  public double meanBatch() {
    return batches == 0 ? 0 : (double) rowsIn / batches;
  }
}
