// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.IOException;
import java.util.Iterator;
import org.apache.flink.api.common.io.GenericInputFormat;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a range of keys: each file in the order of the keys, several files in several
 * tasks.
 *
 * @param <I> the kind of index
 */
final class RangeInput<I> extends GenericInputFormat<RowData> {
  private static final long serialVersionUID = 1;

  private final TableFile file;
  private final TableFormat<I> format;
  private transient @Nullable IndexTable<I> table;
  private transient IndexTable<I>.@Nullable Reader reader;
  private transient @Nullable Iterator<RowData> rows;

  RangeInput(TableFile file, TableFormat<I> format) {
    this.file = file;
    this.format = format;
  }

  @Override
  public GenericInputSplit[] createInputSplits(int numSplits) {
    GenericInputSplit[] splits = new GenericInputSplit[file.shards()];
    for (int shard = 0; shard < splits.length; shard++) {
      splits[shard] = new GenericInputSplit(shard, splits.length);
    }
    return splits;
  }

  @Override
  public void open(GenericInputSplit split) throws IOException {
    super.open(split);
    IndexTable<I> opened = IndexTable.acquire(file.shard(split.getSplitNumber()), format);
    table = opened;
    IndexTable<I>.Reader held = opened.reader();
    reader = held;
    rows = format.rows(held.index());
  }

  @Override
  public boolean reachedEnd() {
    return rows == null || !rows.hasNext();
  }

  @Override
  public @Nullable RowData nextRecord(RowData reuse) {
    return rows == null || !rows.hasNext() ? null : rows.next();
  }

  @Override
  public void close() {
    rows = null;
    try {
      if (reader != null) {
        reader.close();
      }
    } finally {
      reader = null;
      if (table != null) {
        table.release();
        table = null;
      }
    }
  }
}
