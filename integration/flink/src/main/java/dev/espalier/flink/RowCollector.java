// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.IOException;
import org.apache.flink.table.data.RowData;

/** Takes rows in any order and makes an index file of them. Of rows with one key the last stays. */
interface RowCollector extends AutoCloseable {

  /**
   * Takes a row.
   *
   * @throws IOException if the row can't be kept; the message says why
   */
  void add(RowData row) throws IOException;

  /** Makes the file whole. */
  void finish() throws IOException;

  /** Gives memory and temporary files back. */
  @Override
  void close();
}
