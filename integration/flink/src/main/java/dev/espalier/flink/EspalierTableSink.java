// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;

/** A table that becomes an index file when all its rows are there. */
final class EspalierTableSink implements DynamicTableSink {
  private final TableFile file;
  private final TableFormat<?> format;

  EspalierTableSink(TableFile file, TableFormat<?> format) {
    this.file = file;
    this.format = format;
  }

  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
    return ChangelogMode.insertOnly();
  }

  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    return SinkV2Provider.of(new IndexFileSink(file, format), 1);
  }

  @Override
  public DynamicTableSink copy() {
    return new EspalierTableSink(file, format);
  }

  @Override
  public String asSummaryString() {
    return "Espalier index file " + file.path();
  }
}
