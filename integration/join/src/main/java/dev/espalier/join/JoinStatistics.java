// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.batch.ProbeChoice;
import java.util.Optional;

/**
 * What a join has done since it was opened.
 *
 * @param rowsIn rows read from the outer side
 * @param rowsOut rows given
 * @param batches batches read from the outer side
 * @param largestBatch rows of the largest of them
 * @param choice how the last batch was probed and why, if the join had the choice
 */
public record JoinStatistics(
    long rowsIn, long rowsOut, long batches, int largestBatch, Optional<ProbeChoice> choice) {

  /** Returns the rows per batch read from the outer side, or 0 before the first. */
  public double meanBatch() {
    return batches == 0 ? 0 : (double) rowsIn / batches;
  }
}
