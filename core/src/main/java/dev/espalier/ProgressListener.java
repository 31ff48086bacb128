// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/** Told from time to time how far a long operation has come; may cancel it. */
@FunctionalInterface
public interface ProgressListener {

  /** Listens to nothing and never cancels. */
  ProgressListener NONE = (done, total) -> true;

  /**
   * Called from the working thread, at least once per few thousand entries, and by a bulkload once
   * more after the last, which it can still cancel.
   *
   * @param done entries done so far
   * @param total entries in all, or -1 if unknown
   * @return true to go on, false to cancel: the work then ends with a {@link
   *     java.util.concurrent.CancellationException}
   */
  boolean onProgress(long done, long total);
}
