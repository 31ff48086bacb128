// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import dev.espalier.io.IndexStore;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;

/**
 * A Calcite schema whose tables are indexes.
 *
 * {@snippet :
 * calcite.getRootSchema().add("shop", EspalierSchema.of(store));
 * }
 */
public final class EspalierSchema extends AbstractSchema {
  private final Map<String, Table> tables;

  private EspalierSchema(Map<String, ? extends Table> tables) {
    this.tables = Map.copyOf(tables);
  }

  /**
   * Returns a schema of the indexes of longs that a store has now; each is a table with the columns
   * K and V, and has the name of the index. Indexes of byte strings are left out. The caller
   * continues to own the store.
   *
   * @throws IllegalStateException if the store is closed
   */
  public static EspalierSchema of(IndexStore store) {
    Map<String, Table> tables = new LinkedHashMap<>();
    for (String name : store.names()) {
      try {
        tables.put(name, IndexTable.of(store.index(name)));
      } catch (IllegalArgumentException hasByteStrings) {
        // No table: its keys are no BIGINT.
      }
    }
    return new EspalierSchema(tables);
  }

  /** Returns a schema of tables by their names. */
  public static EspalierSchema of(Map<String, ? extends Table> tables) {
    return new EspalierSchema(tables);
  }

  @Override
  protected Map<String, Table> getTableMap() {
    return tables;
  }
}
