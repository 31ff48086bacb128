// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.batch.ProbeChoice;
import java.util.Optional;

/** Whether a join is open, and what it has done since it was opened. */
final class JoinProgress {
  private boolean isOpen;
  private boolean isAtEnd;
  private long rowsIn;
  private long rowsOut;
  private long batches;
  private int largestBatch;

  /** Opens a join, after its outer side. */
  void open(Runnable outer) {
    if (isOpen) {
      throw new IllegalStateException("the join is open already");
    }
    outer.run();
    isOpen = true;
    isAtEnd = false;
    rowsIn = 0;
    rowsOut = 0;
    batches = 0;
    largestBatch = 0;
  }

  void checkOpen() {
    if (!isOpen) {
      throw new IllegalStateException("the join is not open");
    }
  }

  /** Returns whether the outer side has no more rows. */
  boolean isAtEnd() {
    return isAtEnd;
  }

  /**
   * Notes a batch of the outer side.
   *
   * @param rows the number of rows that the outer side says it has returned
   * @param batchSize the most that it may return
   * @return the number of rows
   */
  int read(int rows, int batchSize) {
    if (rows < 0 || rows > batchSize) {
      throw new IllegalStateException(
          "the outer side returned " + rows + " rows for a batch of " + batchSize);
    }
    if (rows == 0) {
      isAtEnd = true;
    } else {
      rowsIn += rows;
      batches++;
      largestBatch = Math.max(largestBatch, rows);
    }
    return rows;
  }

  /** Notes a batch of output. Returns whether it has rows. */
  boolean giveOut(int rows) {
    rowsOut += rows;
    return rows > 0;
  }

  JoinStatistics statistics(Optional<ProbeChoice> choice) {
    return new JoinStatistics(rowsIn, rowsOut, batches, largestBatch, choice);
  }

  /** Notes that the join is closed. Returns whether it was open. */
  boolean close() {
    boolean wasOpen = isOpen;
    isOpen = false;
    return wasOpen;
  }
}
