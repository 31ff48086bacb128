// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongEntrySource;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The index entries of TPC-C's initial database (clause 4.3.3.1 of its specification), in key
 * order, about 570,000 for each warehouse. What an order has, its number says: so nothing is
 * remembered of orders, however many there are.
 */
final class TpccData {
  static final int DISTRICTS = 10;
  static final int CUSTOMERS = 3000;
  static final int ITEMS = 100_000;
  static final int NAMES = 1000;

  /** Orders of each district at first. */
  static final int ORDERS = 3000;

  /** The first of them that was not delivered. */
  static final int FIRST_NEW_ORDER = 2101;

  /** Coprime to the number of customers, so that each has one order at first. */
  private static final int STRIDE = 1013;

  private final int warehouses;
  private final long seed;

  /** Customers ordered by the numbers of their last names. */
  private final int[] byName;

  /** The first order of each customer, from 1 on. */
  private final int[] firstOrder = new int[CUSTOMERS + 1];

  TpccData(int warehouses, long seed) {
    this.warehouses = warehouses;
    this.seed = seed;
    this.byName =
        IntStream.rangeClosed(1, CUSTOMERS)
            .mapToObj(Integer::valueOf)
            .sorted((a, b) -> Integer.compare(name(a) * 4096 + a, name(b) * 4096 + b))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int order = 1; order <= ORDERS; order++) {
      firstOrder[customerOf(1, 1, order)] = order;
    }
  }

  int warehouses() {
    return warehouses;
  }

  // ---------------------------------------------------------------- contents

  private SplittableRandom randomOf(int warehouse, int district, int order) {
    return new SplittableRandom(seed ^ TpccKeys.order(warehouse, district, order));
  }

  /** Returns the number of a customer's last name. */
  int name(int customer) {
    return customer <= NAMES
        ? customer - 1
        : nonUniform(new SplittableRandom(seed + customer), 255, 0, NAMES - 1);
  }

  /** Returns the customer of an order. */
  int customerOf(int warehouse, int district, int order) {
    return order <= ORDERS
        ? (int) ((long) order * STRIDE % CUSTOMERS) + 1
        : nonUniform(randomOf(warehouse, district, order), 1023, 1, CUSTOMERS);
  }

  /** Returns the items of an order, from 5 to 15. */
  int[] itemsOf(int warehouse, int district, int order) {
    SplittableRandom random = randomOf(warehouse, district, order);
    random.nextLong(); // the customer's
    int[] items = new int[random.nextInt(5, 16)];
    for (int i = 0; i < items.length; i++) {
      items[i] = nonUniform(random, 8191, 1, ITEMS);
    }
    return items;
  }

  /** NURand of clause 2.1.6. */
  static int nonUniform(SplittableRandom random, int a, int least, int most) {
    int any = random.nextInt(a + 1) | random.nextInt(least, most + 1);
    return (any + a / 3) % (most - least + 1) + least;
  }

  // ---------------------------------------------------------------- entries

  /** Returns all entries in key order; values are the keys' complements. */
  LongEntrySource entries() {
    LongStream keys =
        LongStream.concat(
            LongStream.concat(districts(), LongStream.concat(customers(), customersByName())),
            LongStream.concat(
                LongStream.concat(newOrders(), orders()),
                LongStream.concat(
                    LongStream.concat(ordersByCustomer(), orderLines()),
                    LongStream.concat(items(), stock()))));
    var iterator = keys.iterator();
    return new LongEntrySource() {
      private long key;

      @Override
      public boolean next() {
        if (!iterator.hasNext()) {
          return false;
        }
        key = iterator.nextLong();
        return true;
      }

      @Override
      public long key() {
        return key;
      }

      @Override
      public long value() {
        return ~key;
      }
    };
  }

  /** What there is of a district. */
  @FunctionalInterface
  private interface OfDistrict {
    LongStream keys(int warehouse, int district);
  }

  private LongStream inDistricts(OfDistrict keys) {
    return IntStream.rangeClosed(1, warehouses)
        .boxed()
        .flatMapToLong(
            warehouse ->
                IntStream.rangeClosed(1, DISTRICTS)
                    .boxed()
                    .flatMapToLong(district -> keys.keys(warehouse, district)));
  }

  private LongStream districts() {
    return IntStream.rangeClosed(1, warehouses)
        .boxed()
        .flatMapToLong(
            warehouse ->
                LongStream.concat(
                    LongStream.of(TpccKeys.warehouse(warehouse)),
                    IntStream.rangeClosed(1, DISTRICTS)
                        .mapToLong(district -> TpccKeys.district(warehouse, district))));
  }

  private LongStream customers() {
    return inDistricts(
        (w, d) -> IntStream.rangeClosed(1, CUSTOMERS).mapToLong(c -> TpccKeys.customer(w, d, c)));
  }

  private LongStream customersByName() {
    return inDistricts(
        (w, d) -> IntStream.of(byName).mapToLong(c -> TpccKeys.customerByName(w, d, name(c), c)));
  }

  private LongStream newOrders() {
    return inDistricts(
        (w, d) ->
            IntStream.rangeClosed(FIRST_NEW_ORDER, ORDERS)
                .mapToLong(o -> TpccKeys.newOrder(w, d, o)));
  }

  private LongStream orders() {
    return inDistricts(
        (w, d) -> IntStream.rangeClosed(1, ORDERS).mapToLong(o -> TpccKeys.order(w, d, o)));
  }

  private LongStream ordersByCustomer() {
    return inDistricts(
        (w, d) ->
            IntStream.rangeClosed(1, CUSTOMERS)
                .mapToLong(c -> TpccKeys.orderByCustomer(w, d, c, firstOrder[c])));
  }

  private LongStream orderLines() {
    return inDistricts(
        (w, d) ->
            IntStream.rangeClosed(1, ORDERS)
                .boxed()
                .flatMapToLong(
                    o ->
                        IntStream.rangeClosed(1, itemsOf(w, d, o).length)
                            .mapToLong(line -> TpccKeys.orderLine(w, d, o, line))));
  }

  private LongStream items() {
    return IntStream.rangeClosed(1, ITEMS).mapToLong(TpccKeys::item);
  }

  private LongStream stock() {
    return IntStream.rangeClosed(1, warehouses)
        .boxed()
        .flatMapToLong(
            w -> IntStream.rangeClosed(1, ITEMS).mapToLong(item -> TpccKeys.stock(w, item)));
  }
}
