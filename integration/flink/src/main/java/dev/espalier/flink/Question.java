// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.Serializable;
import java.util.Collection;
import org.apache.flink.table.data.RowData;

/**
 * What a lookup join asks: rows whose fields are equal to those of a row that it brings.
 *
 * @param <I> the kind of index that is asked
 */
interface Question<I> extends Serializable {

  /** Returns whether there can be an answer: nothing is null, and the key is one that is wanted. */
  boolean mayHaveAnswer(RowData brought);

  /** Returns the shard, of so many, that has all answers. */
  int shard(RowData brought, int shards);

  /** Returns the answers, given that there can be one. */
  Collection<RowData> answers(I index, RowData brought);

  /** Returns how many fields the join brings. */
  int fields();
}
