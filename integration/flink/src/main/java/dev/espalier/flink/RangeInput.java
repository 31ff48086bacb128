// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.LongCursor;
import java.io.IOException;
import org.apache.flink.api.common.io.GenericInputFormat;
import org.apache.flink.api.common.io.NonParallelInput;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** Reads the rows of a range of keys, in their order. */
final class RangeInput extends GenericInputFormat<RowData> implements NonParallelInput {
  private static final long serialVersionUID = 1;

  private final TableFile file;
  private final RowLayout layout;
  private transient @Nullable IndexTable table;
  private transient IndexTable.@Nullable Reader reader;
  private transient @Nullable LongCursor cursor;
  private transient boolean hasRow;

  RangeInput(TableFile file, RowLayout layout) {
    this.file = file;
    this.layout = layout;
  }

  @Override
  public void open(GenericInputSplit split) throws IOException {
    super.open(split);
    IndexTable opened = IndexTable.acquire(file);
    table = opened;
    IndexTable.Reader held = opened.reader();
    reader = held;
    LongCursor first = held.index().cursor();
    cursor = first;
    first.scanTo(layout.range().to());
    hasRow = first.ceiling(layout.range().from());
  }

  @Override
  public boolean reachedEnd() {
    return !hasRow || cursor == null || cursor.key() > layout.range().to();
  }

  @Override
  public @Nullable RowData nextRecord(RowData reuse) {
    if (cursor == null || reachedEnd()) {
      return null;
    }
    RowData row = layout.row(cursor.key(), cursor.value());
    hasRow = cursor.next();
    return row;
  }

  @Override
  public void close() {
    cursor = null;
    if (reader != null) {
      reader.close();
      reader = null;
    }
    if (table != null) {
      table.release();
      table = null;
    }
  }
}
