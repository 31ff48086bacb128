// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.ProgressListener;
import java.io.IOException;
import org.apache.flink.table.data.RowData;

/** Takes rows in any order and makes an index file of them. Of rows with one key the last stays. */
interface RowCollector extends AutoCloseable {
  /** Cancels long work of a thread that is interrupted, as Flink does to a task that is to end. */
  ProgressListener UNLESS_INTERRUPTED = (_, _) -> !Thread.currentThread().isInterrupted();

  /**
   * Takes a row.
   *
   * @throws IOException if the row can't be kept; the message says why
   */
  void add(RowData row) throws IOException;

  /**
   * Makes the file whole.
   *
   * @throws java.util.concurrent.CancellationException if the thread is interrupted; the file is
   *     then of no use
   */
  void finish() throws IOException;

  /** Gives memory and temporary files back. */
  @Override
  void close();
}
