// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

/**
 * The keys of TPC-C's indexes in one order: first by index, then by warehouse, by district, and by
 * the columns that follow.
 *
 * <pre>
 *  63   60       44       40                                   0
 *  | index | warehouse | district | other columns              |
 * </pre>
 */
final class TpccKeys {
  private static final int INDEX_SHIFT = 60;
  private static final int WAREHOUSE_SHIFT = 44;
  private static final int DISTRICT_SHIFT = 40;
  private static final int ORDER_BITS = 28;
  private static final int LINE_BITS = 4;
  private static final int CUSTOMER_BITS = 12;

  static final int LAST_ORDER = (1 << ORDER_BITS) - 1;
  static final int LAST_LINE = (1 << LINE_BITS) - 1;
  static final int LAST_CUSTOMER = (1 << CUSTOMER_BITS) - 1;

  private TpccKeys() {}

  private static long key(int index, int warehouse, int district, long other) {
    return (long) index << INDEX_SHIFT
        | (long) warehouse << WAREHOUSE_SHIFT
        | (long) district << DISTRICT_SHIFT
        | other;
  }

  static long warehouse(int warehouse) {
    return key(0, warehouse, 0, 0);
  }

  /** A district's key is below those of its warehouse's other districts with greater numbers. */
  static long district(int warehouse, int district) {
    return key(0, warehouse, district, 0);
  }

  static long customer(int warehouse, int district, int customer) {
    return key(1, warehouse, district, customer);
  }

  static long customerByName(int warehouse, int district, int name, int customer) {
    return key(2, warehouse, district, (long) name << CUSTOMER_BITS | customer);
  }

  static long newOrder(int warehouse, int district, int order) {
    return key(3, warehouse, district, order);
  }

  static long order(int warehouse, int district, int order) {
    return key(4, warehouse, district, order);
  }

  static long orderByCustomer(int warehouse, int district, int customer, int order) {
    return key(5, warehouse, district, (long) customer << ORDER_BITS | order);
  }

  static long orderLine(int warehouse, int district, int order, int line) {
    return key(6, warehouse, district, (long) order << LINE_BITS | line);
  }

  /** Stock and items share an index number: items belong to warehouse 0, which is none. */
  static long stock(int warehouse, int item) {
    return key(7, warehouse, 0, item);
  }

  static long item(int item) {
    return stock(0, item);
  }
}
