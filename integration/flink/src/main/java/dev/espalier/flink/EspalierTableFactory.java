// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.io.FileOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * Creates tables over index files: {@code 'connector' = 'espalier'}. The key of a table is its
 * primary key, or the first column if it declares none. A table of two columns of type BIGINT is an
 * index of longs; any other table is an index of byte strings, which are tuples. Flink finds the
 * factory by its name.
 */
public final class EspalierTableFactory
    implements DynamicTableSourceFactory, DynamicTableSinkFactory {
  /** The name of the connector. */
  public static final String IDENTIFIER = "espalier";

  private static final int MOST_SHARDS = 1024;

  /** Creates the factory; called by Flink. */
  public EspalierTableFactory() {}

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(EspalierOptions.PATH);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(
        EspalierOptions.POOL_SIZE,
        EspalierOptions.REFRESH_INTERVAL,
        EspalierOptions.LOOKUP_ASYNC,
        EspalierOptions.LOOKUP_RESPONSE_TIME,
        EspalierOptions.SHARDS);
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    ReadableConfig options = validOptions(context);
    TableColumns columns = TableColumns.of(context);
    TableFormat<?> format = columns.format();
    Optional<EspalierTableSource.AsyncLookup> async =
        options.get(EspalierOptions.LOOKUP_ASYNC)
            ? Optional.of(asyncLookup(context, options))
            : Optional.empty();
    if (async.isPresent()
        && (!(format instanceof LongFormat) || options.get(EspalierOptions.SHARDS) > 1)) {
      throw new ValidationException(
          "Option 'lookup.async' is 'true'; it is for tables of two columns of type BIGINT in one"
              + " file");
    }
    return new EspalierTableSource(tableFile(options), columns.firstOfKey(), format, async);
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    ReadableConfig options = validOptions(context);
    return new EspalierTableSink(tableFile(options), TableColumns.of(context).format());
  }

  /** Half of the rows that may wait in the operator, so that others gather meanwhile. */
  private static EspalierTableSource.AsyncLookup asyncLookup(
      Context context, ReadableConfig options) {
    int capacity =
        context
            .getConfiguration()
            .get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_LOOKUP_BUFFER_CAPACITY);
    return new EspalierTableSource.AsyncLookup(
        options.get(EspalierOptions.LOOKUP_RESPONSE_TIME), Math.max(1, capacity / 2));
  }

  private static TableFile tableFile(ReadableConfig options) {
    return new TableFile(
        options.get(EspalierOptions.PATH),
        options
            .getOptional(EspalierOptions.POOL_SIZE)
            .map(MemorySize::getBytes)
            .orElse(FileOptions.SHARED_POOL),
        options.get(EspalierOptions.REFRESH_INTERVAL),
        options.get(EspalierOptions.SHARDS));
  }

  private ReadableConfig validOptions(Context context) {
    FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    helper.validate();
    ReadableConfig options = helper.getOptions();
    check(!options.get(EspalierOptions.PATH).isBlank(), EspalierOptions.PATH, options, "not empty");
    check(
        options
            .getOptional(EspalierOptions.POOL_SIZE)
            .map(size -> size.getBytes() >= TableFile.LEAST_POOL_BYTES)
            .orElse(true),
        EspalierOptions.POOL_SIZE,
        options,
        "at least 1 mb");
    check(
        !options.get(EspalierOptions.REFRESH_INTERVAL).isNegative(),
        EspalierOptions.REFRESH_INTERVAL,
        options,
        "0 or more");
    Duration responseTime = options.get(EspalierOptions.LOOKUP_RESPONSE_TIME);
    check(
        responseTime.compareTo(Duration.ofMillis(1)) >= 0
            && responseTime.compareTo(Duration.ofDays(1)) <= 0,
        EspalierOptions.LOOKUP_RESPONSE_TIME,
        options,
        "from 1 ms to 1 day");
    int shards = options.get(EspalierOptions.SHARDS);
    check(
        shards >= 1 && shards <= MOST_SHARDS,
        EspalierOptions.SHARDS,
        options,
        "from 1 to " + MOST_SHARDS);
    return options;
  }

  private static void check(
      boolean isValid, ConfigOption<?> option, ReadableConfig options, String allowed) {
    if (!isValid) {
      throw new ValidationException(
          "Option '%s' is '%s'; it must be %s"
              .formatted(option.key(), options.get(option), allowed));
    }
  }
}
