// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.functions.LookupFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tables to compare with: {@code 'connector' = 'baseline'}, looked up in what a measurement has put
 * here under the table's {@code kind}.
 */
public final class BaselineTableFactory implements DynamicTableSourceFactory {
  private static final ConfigOption<String> KIND =
      ConfigOptions.key("kind").stringType().noDefaultValue();

  /** Looks up one key. */
  interface Lookup {
    @Nullable Long get(long key) throws Exception;
  }

  static final Map<String, Lookup> LOOKUPS = new HashMap<>();

  @Override
  public String factoryIdentifier() {
    return "baseline";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(KIND);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    return new Source(context.getCatalogTable().getOptions().get("kind"));
  }

  private record Source(String kind) implements LookupTableSource {
    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
      return LookupFunctionProvider.of(new Function(kind));
    }

    @Override
    public DynamicTableSource copy() {
      return this;
    }

    @Override
    public String asSummaryString() {
      return kind;
    }
  }

  /** Asks the lookup of a kind. */
  public static final class Function extends LookupFunction {
    private static final long serialVersionUID = 1;
    private final String kind;

    Function(String kind) {
      this.kind = kind;
    }

    @Override
    public Collection<RowData> lookup(RowData brought) {
      long key = brought.getLong(0);
      try {
        Long value = LOOKUPS.get(kind).get(key);
        return value == null ? List.of() : List.of(GenericRowData.of(key, value));
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
