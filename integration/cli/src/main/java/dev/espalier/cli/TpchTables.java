// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import io.trino.tpch.Distributions;
import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.Order;
import io.trino.tpch.OrderGenerator;
import io.trino.tpch.Part;
import io.trino.tpch.PartGenerator;
import io.trino.tpch.TextPool;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.List;

/**
 * The columns of three TPC-H tables that the joins need.
 *
 * @param orderKeys orders: the primary key, ascending; 8 of each 32 numbers are in use
 * @param partKeys part: the primary key, ascending
 * @param lineItems lineitem: row numbers in ship-date order
 * @param lineItemOrderKeys for each of {@code lineItems}, the order it belongs to
 * @param lineItemPartKeys for each of {@code lineItems}, the part that was ordered
 */
@SuppressWarnings("ArrayRecordComponent") // Columns; never compared.
record TpchTables(
    long[] orderKeys,
    long[] partKeys,
    long[] lineItems,
    long[] lineItemOrderKeys,
    long[] lineItemPartKeys) {

  /** The scale with one supplier, without whom the generator can't make a lineitem. */
  static final double MIN_SCALE = 0.0001;

  /** The scale above which lineitem would not fit into an array. */
  static final double MAX_SCALE = 300;

  /** Texts are cut from this pool. No column here is a text, so a small one will do. */
  private static final int TEXT_POOL_BYTES = 1 << 20;

  /** Rows between two reports of progress. */
  private static final int REPORT_ROWS = 1 << 14;

  /**
   * Generates the tables.
   *
   * @param scale TPC-H's scale factor: 1 is 1.5 million orders, 6 million rows of lineitem and
   *     200,000 parts
   */
  static TpchTables generate(double scale, ProgressBar progress) {
    Distributions distributions = Distributions.getDefaultDistributions();
    TextPool texts = new TextPool(TEXT_POOL_BYTES, distributions);

    progress.show("generating part", 0);
    LongArrayList partKeys = new LongArrayList();
    for (Part part : new PartGenerator(scale, 1, 1, distributions, () -> texts)) {
      partKeys.add(part.partKey());
    }

    long[] orderKeys = orderKeys(scale, distributions, texts, progress);

    LongArrayList lineItemOrderKeys = new LongArrayList();
    LongArrayList lineItemPartKeys = new LongArrayList();
    IntArrayList shipDates = new IntArrayList();
    double lastOrderKey = orderKeys[orderKeys.length - 1];
    for (LineItem item : new LineItemGenerator(scale, 1, 1, distributions, () -> texts)) {
      lineItemOrderKeys.add(item.orderKey());
      lineItemPartKeys.add(item.partKey());
      shipDates.add(item.shipDate());
      if (shipDates.size() % REPORT_ROWS == 0) {
        progress.show("generating lineitem", item.orderKey() / lastOrderKey);
      }
    }

    long[] lineItems = rowsInOrderOf(shipDates.toIntArray());
    return new TpchTables(
        orderKeys,
        partKeys.toLongArray(),
        lineItems,
        gather(lineItemOrderKeys, lineItems),
        gather(lineItemPartKeys, lineItems));
  }

  /** Generates the primary key of orders alone: ascending. */
  static long[] orderKeys(double scale, ProgressBar progress) {
    return orderKeys(
        scale,
        Distributions.getDefaultDistributions(),
        new TextPool(TEXT_POOL_BYTES, Distributions.getDefaultDistributions()),
        progress);
  }

  private static long[] orderKeys(
      double scale, Distributions distributions, TextPool texts, ProgressBar progress) {
    progress.show("generating orders", 0);
    LongArrayList orderKeys = new LongArrayList();
    for (Order order : new OrderGenerator(scale, 1, 1, distributions, () -> texts)) {
      orderKeys.add(order.orderKey());
    }
    return orderKeys.toLongArray();
  }

  /** Returns the joins that are measured: lineitem with each of the other tables. */
  List<LongJoinInput> joins() {
    return List.of(
        new LongJoinInput("lineitem-orders", lineItemOrderKeys, lineItems, orderKeys),
        new LongJoinInput("lineitem-part", lineItemPartKeys, lineItems, partKeys));
  }

  /**
   * Sorts row numbers by date, rows of one day in their own order: one pass to count, one to place.
   */
  static long[] rowsInOrderOf(int[] dates) {
    int first = Integer.MAX_VALUE;
    int last = Integer.MIN_VALUE;
    for (int date : dates) {
      first = Math.min(first, date);
      last = Math.max(last, date);
    }
    long[] rows = new long[dates.length];
    if (dates.length == 0) {
      return rows;
    }
    int[] places = new int[last - first + 2];
    for (int date : dates) {
      places[date - first + 1]++;
    }
    for (int day = 1; day < places.length; day++) {
      places[day] += places[day - 1];
    }
    for (int row = 0; row < dates.length; row++) {
      rows[places[dates[row] - first]++] = row;
    }
    return rows;
  }

  private static long[] gather(LongArrayList column, long[] rows) {
    long[] gathered = new long[rows.length];
    for (int i = 0; i < rows.length; i++) {
      gathered[i] = column.getLong((int) rows[i]);
    }
    return gathered;
  }
}
