// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import io.trino.tpch.Customer;
import io.trino.tpch.CustomerGenerator;
import io.trino.tpch.Distributions;
import io.trino.tpch.Order;
import io.trino.tpch.OrderGenerator;
import io.trino.tpch.TextPool;
import java.util.ArrayList;
import java.util.List;

/** TPC-H's tables orders and customer, as far as joins on a text need them. */
final class TpchCustomers {
  /** The scale above which the texts of orders would not fit into one batch of bytes. */
  static final double MAX_SCALE = 10;

  /** Comments are cut from this pool. */
  private static final int TEXT_POOL_BYTES = 10 << 20;

  /** Rows between two reports of progress. */
  private static final int REPORT_ROWS = 1 << 14;

  private TpchCustomers() {}

  /**
   * Generates both tables. The rows of customer are its customers; those of orders have, in place
   * of the number of their customer, its text.
   *
   * @param scale TPC-H's scale factor: 1 is 1.5 million orders and 150,000 customers
   */
  static TextJoinInput generate(double scale, TextKey key, ProgressBar progress) {
    Distributions distributions = Distributions.getDefaultDistributions();
    TextPool texts = new TextPool(TEXT_POOL_BYTES, distributions);
    progress.show("generating customer", 0);
    List<String> customers = new ArrayList<>();
    for (Customer customer : new CustomerGenerator(scale, 1, 1, distributions, () -> texts)) {
      customers.add(key == TextKey.NAME ? customer.name() : customer.comment());
    }
    List<String> orders = new ArrayList<>();
    double expected = 10.0 * customers.size();
    for (Order order : new OrderGenerator(scale, 1, 1, distributions, () -> texts)) {
      // A string of its own: maps would find one of theirs by its address.
      orders.add(new String(customers.get((int) order.customerKey() - 1).toCharArray()));
      if (orders.size() % REPORT_ROWS == 0) {
        progress.show("generating orders", Math.min(1, orders.size() / expected));
      }
    }
    return TextJoinInput.of(
        "orders-customer, " + key, orders.toArray(String[]::new), customers.toArray(String[]::new));
  }
}
