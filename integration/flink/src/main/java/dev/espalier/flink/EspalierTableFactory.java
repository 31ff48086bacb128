// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * Makes tables of index files: {@code 'connector' = 'espalier'}. A table has two columns of type
 * BIGINT; its key is the primary key, or the first column if it declares none. Found by Flink by
 * its name.
 */
public final class EspalierTableFactory
    implements DynamicTableSourceFactory, DynamicTableSinkFactory {
  /** The name of the connector. */
  public static final String IDENTIFIER = "espalier";

  /** Makes the factory; called by Flink. */
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
        EspalierOptions.LOOKUP_RESPONSE_TIME);
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    ReadableConfig options = validOptions(context);
    List<Column> columns = columns(context);
    int keyField = keyField(context, columns);
    Optional<EspalierTableSource.AsyncLookup> async =
        options.get(EspalierOptions.LOOKUP_ASYNC)
            ? Optional.of(asyncLookup(context, options))
            : Optional.empty();
    return new EspalierTableSource(
        tableFile(options), columns.get(keyField).getName(), RowLayout.ofTable(keyField), async);
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    ReadableConfig options = validOptions(context);
    return new EspalierTableSink(tableFile(options), keyField(context, columns(context)));
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
        options.get(EspalierOptions.POOL_SIZE).getBytes(),
        options.get(EspalierOptions.REFRESH_INTERVAL));
  }

  private ReadableConfig validOptions(Context context) {
    FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    helper.validate();
    ReadableConfig options = helper.getOptions();
    check(!options.get(EspalierOptions.PATH).isBlank(), EspalierOptions.PATH, options, "not empty");
    check(
        options.get(EspalierOptions.POOL_SIZE).getBytes() >= 1 << 20,
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

  private static List<Column> columns(Context context) {
    List<Column> columns =
        context.getCatalogTable().getResolvedSchema().getColumns().stream()
            .filter(Column::isPhysical)
            .toList();
    boolean areLongs =
        columns.stream()
            .allMatch(column -> column.getDataType().getLogicalType().is(LogicalTypeRoot.BIGINT));
    if (columns.size() != 2 || !areLongs) {
      throw new ValidationException(
          "Table %s has the columns %s; a table of an index file has two of type BIGINT, its key and its value"
              .formatted(
                  context.getObjectIdentifier().asSummaryString(),
                  columns.stream()
                      .map(column -> column.getName() + " " + column.getDataType())
                      .toList()));
    }
    return columns;
  }

  private static int keyField(Context context, List<Column> columns) {
    ResolvedSchema schema = context.getCatalogTable().getResolvedSchema();
    Optional<UniqueConstraint> primaryKey = schema.getPrimaryKey();
    if (primaryKey.isEmpty()) {
      return 0;
    }
    List<String> names = primaryKey.get().getColumns();
    if (names.size() != 1) {
      throw new ValidationException(
          "The primary key has the columns %s; an index file has one column for its key"
              .formatted(names));
    }
    return columns.getFirst().getName().equals(names.getFirst()) ? 0 : 1;
  }
}
