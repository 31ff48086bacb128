// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * What TPC-C's transactions do to indexes: a trace that follows the specification's mix and its
 * distributions, since the paper's own, taken inside a database system, is not to be had.
 *
 * <p>Indexes are the primary keys, and two secondary ones: customers by last name, and orders by
 * customer. History has none. The same seed gives the same trace.
 */
final class TpccTrace {
  private static final int LAST_ORDERS = 20;

  /** Takes the operations of a trace. */
  interface Operations {
    void search(long key);

    void insert(long key);

    void delete(long key);

    /** Both ends are included. */
    void range(long from, long to);
  }

  private final TpccData data;
  private final SplittableRandom random;
  private final Operations operations;

  /** By district, the number of the order that comes next. */
  private final int[] nextOrder;

  /** By district, the oldest order that was not delivered. */
  private final int[] oldestOrder;

  private final int[] items = new int[LAST_ORDERS * 15];

  TpccTrace(TpccData data, long seed, Operations operations) {
    this.data = data;
    this.random = new SplittableRandom(seed);
    this.operations = operations;
    this.nextOrder = new int[data.warehouses() * TpccData.DISTRICTS];
    this.oldestOrder = new int[nextOrder.length];
    Arrays.fill(nextOrder, TpccData.ORDERS + 1);
    Arrays.fill(oldestOrder, TpccData.FIRST_NEW_ORDER);
  }

  /** Does one transaction: the mix is that of clause 5.2.3. */
  void transaction() {
    int warehouse = random.nextInt(1, data.warehouses() + 1);
    int district = random.nextInt(1, TpccData.DISTRICTS + 1);
    int kind = random.nextInt(100);
    if (kind < 45) {
      newOrder(warehouse, district);
    } else if (kind < 88) {
      payment(warehouse, district);
    } else if (kind < 92) {
      orderStatus(warehouse, district);
    } else if (kind < 96) {
      delivery(warehouse);
    } else {
      stockLevel(warehouse, district);
    }
  }

  private static int number(int warehouse, int district) {
    return (warehouse - 1) * TpccData.DISTRICTS + district - 1;
  }

  private void newOrder(int warehouse, int district) {
    int order = nextOrder[number(warehouse, district)]++;
    int customer = data.customerOf(warehouse, district, order);
    operations.search(TpccKeys.warehouse(warehouse));
    operations.search(TpccKeys.district(warehouse, district));
    operations.search(TpccKeys.customer(warehouse, district, customer));
    operations.insert(TpccKeys.order(warehouse, district, order));
    operations.insert(TpccKeys.orderByCustomer(warehouse, district, customer, order));
    operations.insert(TpccKeys.newOrder(warehouse, district, order));
    int[] ordered = data.itemsOf(warehouse, district, order);
    for (int line = 1; line <= ordered.length; line++) {
      int item = ordered[line - 1];
      operations.search(TpccKeys.item(item));
      operations.search(TpccKeys.stock(supplier(warehouse), item));
      operations.insert(TpccKeys.orderLine(warehouse, district, order, line));
    }
  }

  /** One item of a hundred comes from another warehouse. */
  private int supplier(int warehouse) {
    return random.nextInt(100) == 0 ? random.nextInt(1, data.warehouses() + 1) : warehouse;
  }

  private void payment(int warehouse, int district) {
    operations.search(TpccKeys.warehouse(warehouse));
    operations.search(TpccKeys.district(warehouse, district));
    boolean isRemote = random.nextInt(100) < 15;
    int home = isRemote ? random.nextInt(1, data.warehouses() + 1) : warehouse;
    int homeDistrict = isRemote ? random.nextInt(1, TpccData.DISTRICTS + 1) : district;
    customer(home, homeDistrict);
  }

  /** Finds a customer, by last name in 60 of 100 cases. */
  private int customer(int warehouse, int district) {
    int customer = TpccData.nonUniform(random, 1023, 1, TpccData.CUSTOMERS);
    if (random.nextInt(100) < 60) {
      int name = data.name(customer);
      operations.range(
          TpccKeys.customerByName(warehouse, district, name, 0),
          TpccKeys.customerByName(warehouse, district, name, TpccKeys.LAST_CUSTOMER));
    }
    operations.search(TpccKeys.customer(warehouse, district, customer));
    return customer;
  }

  private void orderStatus(int warehouse, int district) {
    int customer = customer(warehouse, district);
    operations.range(
        TpccKeys.orderByCustomer(warehouse, district, customer, 0),
        TpccKeys.orderByCustomer(warehouse, district, customer, TpccKeys.LAST_ORDER));
    int order = random.nextInt(1, nextOrder[number(warehouse, district)]);
    operations.search(TpccKeys.order(warehouse, district, order));
    orderLines(warehouse, district, order, order);
  }

  private void orderLines(int warehouse, int district, int from, int to) {
    operations.range(
        TpccKeys.orderLine(warehouse, district, from, 0),
        TpccKeys.orderLine(warehouse, district, to, TpccKeys.LAST_LINE));
  }

  private void delivery(int warehouse) {
    for (int district = 1; district <= TpccData.DISTRICTS; district++) {
      int number = number(warehouse, district);
      int order = oldestOrder[number];
      if (order == nextOrder[number]) {
        continue; // All are delivered.
      }
      oldestOrder[number]++;
      operations.range(
          TpccKeys.newOrder(warehouse, district, 0), TpccKeys.newOrder(warehouse, district, order));
      operations.delete(TpccKeys.newOrder(warehouse, district, order));
      operations.search(TpccKeys.order(warehouse, district, order));
      orderLines(warehouse, district, order, order);
      int customer = data.customerOf(warehouse, district, order);
      operations.search(TpccKeys.customer(warehouse, district, customer));
    }
  }

  private void stockLevel(int warehouse, int district) {
    int next = nextOrder[number(warehouse, district)];
    operations.search(TpccKeys.district(warehouse, district));
    orderLines(warehouse, district, next - LAST_ORDERS, next - 1);
    int count = 0;
    for (int order = next - LAST_ORDERS; order < next; order++) {
      for (int item : data.itemsOf(warehouse, district, order)) {
        items[count++] = item;
      }
    }
    Arrays.sort(items, 0, count);
    for (int i = 0; i < count; i++) {
      if (i == 0 || items[i] != items[i - 1]) {
        operations.search(TpccKeys.stock(warehouse, items[i]));
      }
    }
  }
}
