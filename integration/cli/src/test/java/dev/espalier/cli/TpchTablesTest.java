// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TpchTablesTest {

  private static TpchTables generate(double scale) {
    try (ProgressBar silent = ProgressBar.invisible()) {
      return TpchTables.generate(scale, silent);
    }
  }

  @Test
  void lineItemsComeInShipDateOrder() {
    List<LineItem> items = new ArrayList<>();
    new LineItemGenerator(0.001, 1, 1).forEach(items::add);
    List<Integer> rows = new ArrayList<>();
    for (int row = 0; row < items.size(); row++) {
      rows.add(row);
    }
    rows.sort(Comparator.comparingInt(row -> items.get(row).shipDate()));

    TpchTables tables = generate(0.001);
    assertArrayEquals(rows.stream().mapToLong(row -> row).toArray(), tables.lineItems());
    assertArrayEquals(
        rows.stream().mapToLong(row -> items.get(row).orderKey()).toArray(),
        tables.lineItemOrderKeys());
    assertArrayEquals(
        rows.stream().mapToLong(row -> items.get(row).partKey()).toArray(),
        tables.lineItemPartKeys());
  }

  @Test
  void innerKeysAscendAsBulkloadNeedsThem() {
    TpchTables tables = generate(0.01);
    assertEquals(15_000, tables.orderKeys().length);
    assertEquals(2_000, tables.partKeys().length);
    for (LongJoinInput join : tables.joins()) {
      long[] keys = join.innerKeys();
      for (int i = 1; i < keys.length; i++) {
        assertTrue(keys[i - 1] < keys[i], join.name() + " at " + i);
      }
    }
  }

  @Test
  void smallestScaleHasRowsInEveryTable() {
    TpchTables tables = generate(TpchTables.MIN_SCALE);
    assertTrue(tables.orderKeys().length > 0);
    assertTrue(tables.partKeys().length > 0);
    assertTrue(tables.lineItems().length > 0);
  }

  @Test
  void rowsOfOneDayKeepTheirOrder() {
    assertArrayEquals(
        new long[] {1, 4, 0, 2, 3}, TpchTables.rowsInOrderOf(new int[] {7, -5, 7, 9, -5}));
    assertArrayEquals(new long[0], TpchTables.rowsInOrderOf(new int[0]));
  }
}
