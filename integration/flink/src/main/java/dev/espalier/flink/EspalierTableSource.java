// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.InputFormatProvider;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLookupCustomShuffle;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.DataType;
import org.jspecify.annotations.Nullable;

/** A table that is read from index files: looked up by its key, or scanned. */
final class EspalierTableSource
    implements ScanTableSource,
        LookupTableSource,
        SupportsFilterPushDown,
        SupportsProjectionPushDown,
        SupportsLookupCustomShuffle {
  private final TableFile file;
  private final String keyName;
  private final Optional<AsyncLookup> async;
  private TableFormat<?> format;
  private @Nullable Question<?> asked;

  /**
   * How rows are gathered.
   *
   * @param responseTime how long one may wait for its answer
   * @param mostRows how many are gathered at most
   */
  record AsyncLookup(Duration responseTime, int mostRows) {}

  /**
   * Makes a table.
   *
   * @param keyName the key, or its first column
   * @param async only for a {@link LongFormat} in one file
   */
  EspalierTableSource(
      TableFile file, String keyName, TableFormat<?> format, Optional<AsyncLookup> async) {
    this.file = file;
    this.keyName = keyName;
    this.format = format;
    this.async = async;
  }

  @Override
  public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
    if (async.isPresent() && format instanceof LongFormat longs) {
      LongQuestion question = question(longs, context.getKeys());
      return AsyncLookupFunctionProvider.of(
          new EspalierAsyncLookup(
              file, longs, question, async.get().responseTime, async.get().mostRows));
    }
    return LookupFunctionProvider.of(new EspalierLookup(lookup(format, context.getKeys())));
  }

  private <I> TableLookup<I> lookup(TableFormat<I> rows, int[][] keys) {
    Question<I> question = question(rows, keys);
    asked = question;
    return new TableLookup<>(file, rows, question);
  }

  private LongQuestion question(LongFormat rows, int[][] keys) {
    try {
      return rows.question(keys);
    } catch (IllegalArgumentException e) {
      throw noKey(e);
    }
  }

  private <I> Question<I> question(TableFormat<I> rows, int[][] keys) {
    try {
      return rows.question(keys);
    } catch (IllegalArgumentException e) {
      throw noKey(e);
    }
  }

  private ValidationException noKey(IllegalArgumentException e) {
    return new ValidationException(
        "A lookup join needs a condition that makes the key column '%s' equal to something"
            .formatted(keyName),
        e);
  }

  /** Rows of one shard go to one task, if a hint asks for it. */
  @Override
  public Optional<InputDataPartitioner> getPartitioner() {
    return asked == null || file.shards() == 1
        ? Optional.empty()
        : Optional.of(new ShardPartitioner(asked, file.shards()));
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return InputFormatProvider.of(new RangeInput<>(file, format));
  }

  @Override
  public Result applyFilters(List<ResolvedExpression> filters) {
    List<ResolvedExpression> accepted = new ArrayList<>();
    List<ResolvedExpression> remaining = new ArrayList<>();
    for (ResolvedExpression filter : filters) {
      Optional<? extends TableFormat<?>> narrower = format.narrowedTo(filter);
      (narrower.isPresent() ? accepted : remaining).add(filter);
      if (narrower.isPresent()) {
        format = narrower.get();
      }
    }
    return Result.of(accepted, remaining);
  }

  @Override
  public boolean supportsNestedProjection() {
    return false;
  }

  @Override
  public void applyProjection(int[][] projectedFields, DataType producedDataType) {
    format = format.withFields(projectedFields);
  }

  @Override
  public DynamicTableSource copy() {
    return new EspalierTableSource(file, keyName, format, async);
  }

  @Override
  public String asSummaryString() {
    return "Espalier index file " + file.path();
  }
}
