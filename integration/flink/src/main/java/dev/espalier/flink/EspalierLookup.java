// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.LongIndex;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;
import org.jspecify.annotations.Nullable;

/** Answers the rows of a lookup join one by one. Made by the connector; public for Flink only. */
public final class EspalierLookup extends LookupFunction {
  private static final long serialVersionUID = 1;

  private final TableFile file;
  private final Question question;
  private transient @Nullable IndexTable table;
  private transient IndexTable.@Nullable Reader reader;

  EspalierLookup(TableFile file, Question question) {
    this.file = file;
    this.question = question;
  }

  @Override
  public void open(FunctionContext context) throws IOException {
    IndexTable opened = IndexTable.acquire(file);
    table = opened;
    opened.register(context.getMetricGroup());
    reader = opened.reader();
  }

  @Override
  public Collection<RowData> lookup(RowData brought) {
    if (reader == null) {
      throw new IllegalStateException("the lookup is not open");
    }
    if (!question.mayHaveAnswer(brought)) {
      return List.of();
    }
    LongIndex index = reader.index();
    long key = question.key(brought);
    long value = index.get(key);
    if (value == index.missingValue() && !index.containsKey(key)) {
      return List.of();
    }
    return question.answer(brought, value);
  }

  @Override
  public void close() {
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
