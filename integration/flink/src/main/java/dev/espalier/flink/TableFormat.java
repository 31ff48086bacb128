// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.concurrent.SwappableIndex;
import dev.espalier.io.FileOptions;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Optional;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;

/**
 * How the rows of a table are kept in index files, which of their fields are wanted, and which rows
 * by their key.
 *
 * @param <I> the kind of index
 */
interface TableFormat<I> extends Serializable {

  /** Opens the index in a file. */
  I open(Path file, FileOptions options);

  /** Makes an index one that can be replaced. */
  SwappableIndex<I> swappable(I first);

  /** Returns this for those rows only that also fulfil a condition, if it is one of the key. */
  Optional<TableFormat<I>> narrowedTo(ResolvedExpression condition);

  /** Returns this with fewer fields, or in another order, as Flink names them. */
  TableFormat<I> withFields(int[][] fields);

  /**
   * Returns the question of a lookup join.
   *
   * @param fields which fields of the table it brings, as Flink names them
   * @throws IllegalArgumentException if what has to be there of the key is not
   */
  Question<I> question(int[][] fields);

  /** Returns the rows that are wanted, in the order of their keys. */
  Iterator<RowData> rows(I index);

  /** Returns the shard, of so many, that a row with all fields of the table belongs to. */
  int shard(RowData row, int shards);

  /**
   * Returns what makes an index file of rows with all fields of the table.
   *
   * @param file which is not there yet
   * @param memoryBytes for sorting
   */
  RowCollector collector(Path file, long memoryBytes);
}
