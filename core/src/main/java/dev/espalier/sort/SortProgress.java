// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import dev.espalier.ProgressListener;
import java.util.concurrent.CancellationException;

/** Tells a listener how many entries were sorted or merged, and stops if it says so. */
final class SortProgress {
  /** Entries between two calls of the listener. */
  static final int REPORT_EVERY = 4096;

  private final ProgressListener listener;
  private final long total;
  private long done;

  /**
   * Creates the progress of one piece of work.
   *
   * @param total the most entries that the listener will be told of
   */
  SortProgress(ProgressListener listener, long total) {
    this.listener = listener;
    this.total = total;
  }

  /**
   * Counts entries that are done.
   *
   * @param entries 0 to ask only whether to go on
   * @throws CancellationException if the listener cancels
   */
  void add(long entries) {
    done += entries;
    if (!listener.onProgress(done, total)) {
      throw new CancellationException("sorting was cancelled");
    }
  }
}
