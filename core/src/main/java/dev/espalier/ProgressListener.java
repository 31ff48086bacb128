// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** Receives reports on the progress of a long operation, and may cancel it. */
@FunctionalInterface
public interface ProgressListener {

  /** Ignores progress and never cancels. */
  ProgressListener NONE = (done, total) -> true;

  /**
   * Called by the working thread, at least once every few thousand entries. A bulkload calls it
   * once more after the last entry, and can still be cancelled then.
   *
   * @param done number of entries done so far
   * @param total total number of entries, or -1 if unknown
   * @return true to go on, false to cancel: the operation then throws a {@link
   *     java.util.concurrent.CancellationException}
   */
  boolean onProgress(long done, long total);
}
