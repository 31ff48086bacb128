// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.io.IOException;
import java.util.Collection;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;

/** Answers the rows of a lookup join one by one. Made by the connector; public for Flink only. */
public final class EspalierLookup extends LookupFunction {
  private static final long serialVersionUID = 1;

  private final TableLookup<?> table;

  EspalierLookup(TableLookup<?> table) {
    this.table = table;
  }

  @Override
  public void open(FunctionContext context) throws IOException {
    table.open(context.getMetricGroup());
  }

  @Override
  public Collection<RowData> lookup(RowData brought) {
    return table.find(brought);
  }

  @Override
  public void close() {
    table.close();
  }
}
