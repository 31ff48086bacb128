// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sql;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.calcite.EspalierSchema;
import dev.espalier.calcite.IndexTable;
import dev.espalier.family.Indexes;
import dev.espalier.family.Workload;
import io.trino.tpch.Customer;
import io.trino.tpch.CustomerGenerator;
import io.trino.tpch.Distributions;
import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.Nation;
import io.trino.tpch.NationGenerator;
import io.trino.tpch.Order;
import io.trino.tpch.OrderGenerator;
import io.trino.tpch.Part;
import io.trino.tpch.PartGenerator;
import io.trino.tpch.PartSupplier;
import io.trino.tpch.PartSupplierGenerator;
import io.trino.tpch.Region;
import io.trino.tpch.RegionGenerator;
import io.trino.tpch.Supplier;
import io.trino.tpch.SupplierGenerator;
import io.trino.tpch.TextPool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * TPC-H's tables: columns in arrays, and an index on the primary key where that is one number.
 * Columns of comments are left out: they would be most of the memory. The rows of lineitem are in
 * the order of their ship dates, as they would arrive.
 */
public final class TpchSchema implements AutoCloseable {
  /** The tables that there are. */
  public static final Set<String> NAMES =
      Set.of("lineitem", "orders", "customer", "part", "supplier", "partsupp", "nation", "region");

  /** Texts are cut from this pool. No column here is a comment, so a small one will do. */
  private static final int TEXT_POOL_BYTES = 1 << 20;

  private static final int CENTS = 2;

  private final double scale;
  private final Distributions distributions = Distributions.getDefaultDistributions();
  private final TextPool texts = new TextPool(TEXT_POOL_BYTES, distributions);
  private final List<LongIndex> indexes = new ArrayList<>();
  private final Map<String, IndexTable> tables = new LinkedHashMap<>();

  private TpchSchema(double scale) {
    this.scale = scale;
  }

  /**
   * Generates tables.
   *
   * @param scale TPC-H's scale factor: 1 is 1.5 million orders and 6 million rows of lineitem
   * @param names of the tables, in lower case; others are not generated
   */
  public static TpchSchema generate(double scale, Set<String> names) {
    TpchSchema schema = new TpchSchema(scale);
    try {
      names.forEach(schema::add);
    } catch (RuntimeException | Error failed) {
      schema.close();
      throw failed;
    }
    return schema;
  }

  /** Returns the tables by their names, in upper case. */
  public Map<String, IndexTable> tables() {
    return Map.copyOf(tables);
  }

  /** Returns the tables for Calcite. */
  public EspalierSchema schema() {
    return EspalierSchema.of(tables);
  }

  private void add(String name) {
    Rows rows =
        switch (name) {
          case "lineitem" -> lineItem();
          case "orders" -> orders();
          case "customer" -> customer();
          case "part" -> part();
          case "supplier" -> supplier();
          case "partsupp" -> partSupplier();
          case "nation" -> nation();
          case "region" -> region();
          default -> throw new IllegalArgumentException("no table is named '" + name + "'");
        };
    if (rows.hasKey()) {
      LongIndex index = Indexes.create(Workload.ONE_THREAD, IndexOptions.DEFAULT);
      indexes.add(index);
      tables.put(name.toUpperCase(Locale.ROOT), rows.withIndex(index));
    } else {
      tables.put(name.toUpperCase(Locale.ROOT), rows.withoutIndex());
    }
  }

  private Rows lineItem() {
    Rows rows =
        Rows.withoutKey()
            .longs("L_ORDERKEY")
            .longs("L_PARTKEY")
            .longs("L_SUPPKEY")
            .ints("L_LINENUMBER")
            .decimals("L_QUANTITY", 0)
            .decimals("L_EXTENDEDPRICE", CENTS)
            .decimals("L_DISCOUNT", CENTS)
            .decimals("L_TAX", CENTS)
            .strings("L_RETURNFLAG")
            .strings("L_LINESTATUS")
            .dates("L_SHIPDATE")
            .dates("L_COMMITDATE")
            .dates("L_RECEIPTDATE")
            .strings("L_SHIPINSTRUCT")
            .strings("L_SHIPMODE");
    for (LineItem row : new LineItemGenerator(scale, 1, 1, distributions, () -> texts)) {
      rows.add(
          row.orderKey(),
          row.partKey(),
          row.supplierKey(),
          row.lineNumber(),
          row.quantity(),
          row.extendedPriceInCents(),
          row.discountPercent(),
          row.taxPercent(),
          row.returnFlag(),
          row.status(),
          row.shipDate(),
          row.commitDate(),
          row.receiptDate(),
          row.shipInstructions(),
          row.shipMode());
    }
    rows.sortBy("L_SHIPDATE");
    return rows;
  }

  private Rows orders() {
    Rows rows =
        Rows.withKey("O_ORDERKEY")
            .longs("O_CUSTKEY")
            .strings("O_ORDERSTATUS")
            .decimals("O_TOTALPRICE", CENTS)
            .dates("O_ORDERDATE")
            .strings("O_ORDERPRIORITY")
            .strings("O_CLERK")
            .ints("O_SHIPPRIORITY");
    for (Order row : new OrderGenerator(scale, 1, 1, distributions, () -> texts)) {
      rows.add(
          row.orderKey(),
          row.customerKey(),
          String.valueOf(row.orderStatus()),
          row.totalPriceInCents(),
          row.orderDate(),
          row.orderPriority(),
          row.clerk(),
          row.shipPriority());
    }
    return rows;
  }

  private Rows customer() {
    Rows rows =
        Rows.withKey("C_CUSTKEY")
            .strings("C_NAME")
            .strings("C_ADDRESS")
            .longs("C_NATIONKEY")
            .strings("C_PHONE")
            .decimals("C_ACCTBAL", CENTS)
            .strings("C_MKTSEGMENT");
    for (Customer row : new CustomerGenerator(scale, 1, 1, distributions, () -> texts)) {
      rows.add(
          row.customerKey(),
          row.name(),
          row.address(),
          row.nationKey(),
          row.phone(),
          row.accountBalanceInCents(),
          row.marketSegment());
    }
    return rows;
  }

  private Rows part() {
    Rows rows =
        Rows.withKey("P_PARTKEY")
            .strings("P_NAME")
            .strings("P_MFGR")
            .strings("P_BRAND")
            .strings("P_TYPE")
            .ints("P_SIZE")
            .strings("P_CONTAINER")
            .decimals("P_RETAILPRICE", CENTS);
    for (Part row : new PartGenerator(scale, 1, 1, distributions, () -> texts)) {
      rows.add(
          row.partKey(),
          row.name(),
          row.manufacturer(),
          row.brand(),
          row.type(),
          row.size(),
          row.container(),
          row.retailPriceInCents());
    }
    return rows;
  }

  private Rows supplier() {
    Rows rows =
        Rows.withKey("S_SUPPKEY")
            .strings("S_NAME")
            .strings("S_ADDRESS")
            .longs("S_NATIONKEY")
            .strings("S_PHONE")
            .decimals("S_ACCTBAL", CENTS);
    for (Supplier row : new SupplierGenerator(scale, 1, 1, distributions, () -> texts)) {
      rows.add(
          row.supplierKey(),
          row.name(),
          row.address(),
          row.nationKey(),
          row.phone(),
          row.accountBalanceInCents());
    }
    return rows;
  }

  private Rows partSupplier() {
    Rows rows =
        Rows.withoutKey()
            .longs("PS_PARTKEY")
            .longs("PS_SUPPKEY")
            .ints("PS_AVAILQTY")
            .decimals("PS_SUPPLYCOST", CENTS);
    for (PartSupplier row : new PartSupplierGenerator(scale, 1, 1, () -> texts)) {
      rows.add(row.partKey(), row.supplierKey(), row.availableQuantity(), row.supplyCostInCents());
    }
    return rows;
  }

  private Rows nation() {
    Rows rows = Rows.withKey("N_NATIONKEY").strings("N_NAME").longs("N_REGIONKEY");
    for (Nation row : new NationGenerator(distributions, () -> texts)) {
      rows.add(row.nationKey(), row.name(), row.regionKey());
    }
    return rows;
  }

  private Rows region() {
    Rows rows = Rows.withKey("R_REGIONKEY").strings("R_NAME");
    for (Region row : new RegionGenerator(distributions, () -> texts)) {
      rows.add(row.regionKey(), row.name());
    }
    return rows;
  }

  /** Closes the indexes. */
  @Override
  public void close() {
    indexes.forEach(LongIndex::close);
  }
}
