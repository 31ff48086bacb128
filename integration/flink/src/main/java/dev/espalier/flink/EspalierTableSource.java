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
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.DataType;

/** A table that is read from an index file: looked up by its key, or scanned. */
final class EspalierTableSource
    implements ScanTableSource,
        LookupTableSource,
        SupportsFilterPushDown,
        SupportsProjectionPushDown {
  private final TableFile file;
  private final String keyName;
  private final Optional<AsyncLookup> async;
  private RowLayout layout;

  /**
   * How rows are gathered.
   *
   * @param responseTime how long one may wait for its answer
   * @param mostRows how many are gathered at most
   */
  record AsyncLookup(Duration responseTime, int mostRows) {}

  EspalierTableSource(
      TableFile file, String keyName, RowLayout layout, Optional<AsyncLookup> async) {
    this.file = file;
    this.keyName = keyName;
    this.layout = layout;
    this.async = async;
  }

  @Override
  public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
    Question question;
    try {
      question = new Question(layout, context.getKeys());
    } catch (IllegalArgumentException e) {
      throw new ValidationException(
          "A lookup join needs a condition that makes the key column '%s' equal to something"
              .formatted(keyName),
          e);
    }
    return async
        .<LookupRuntimeProvider>map(
            how ->
                AsyncLookupFunctionProvider.of(
                    new EspalierAsyncLookup(file, question, how.responseTime, how.mostRows)))
        .orElseGet(() -> LookupFunctionProvider.of(new EspalierLookup(file, question)));
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return InputFormatProvider.of(new RangeInput(file, layout));
  }

  @Override
  public Result applyFilters(List<ResolvedExpression> filters) {
    KeyConditions conditions = new KeyConditions(keyName);
    List<ResolvedExpression> accepted = new ArrayList<>();
    List<ResolvedExpression> remaining = new ArrayList<>();
    LongRange range = layout.range();
    for (ResolvedExpression filter : filters) {
      Optional<LongRange> fulfilling = conditions.range(filter);
      if (fulfilling.isPresent()) {
        range = range.intersect(fulfilling.get());
        accepted.add(filter);
      } else {
        remaining.add(filter);
      }
    }
    layout = layout.withRange(range);
    return Result.of(accepted, remaining);
  }

  @Override
  public boolean supportsNestedProjection() {
    return false;
  }

  @Override
  public void applyProjection(int[][] projectedFields, DataType producedDataType) {
    layout = layout.withFields(projectedFields);
  }

  @Override
  public DynamicTableSource copy() {
    return new EspalierTableSource(file, keyName, layout, async);
  }

  @Override
  public String asSummaryString() {
    return "Espalier index file " + file.path();
  }
}
