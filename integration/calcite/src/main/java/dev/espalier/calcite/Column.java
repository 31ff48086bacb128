// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.math.BigDecimal;
import java.util.Objects;
import java.util.function.LongFunction;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * A column of an {@link IndexTable}: the key, the value, or an array indexed by the value. No
 * column has nulls. Arrays are not copied, and must not be changed.
 */
public final class Column {
  private static final int DECIMAL_DIGITS = 18;

  private final String name;
  private final SqlTypeName type;
  private final int scale;
  private final boolean isKey;

  /** How many rows an array has, or -1 for key and value. */
  private final int rows;

  private final LongFunction<Object> values;

  private Column(
      String name,
      SqlTypeName type,
      int scale,
      boolean isKey,
      int rows,
      LongFunction<Object> values) {
    this.name = Objects.requireNonNull(name, "name is null");
    this.type = type;
    this.scale = scale;
    this.isKey = isKey;
    this.rows = rows;
    this.values = values;
  }

  /** Returns the key of the index, a BIGINT. */
  public static Column key(String name) {
    return new Column(name, SqlTypeName.BIGINT, 0, true, -1, key -> key);
  }

  /** Returns the value that the index has for the key, a BIGINT. */
  public static Column value(String name) {
    return new Column(name, SqlTypeName.BIGINT, 0, false, -1, value -> value);
  }

  /** Returns a BIGINT from an array. */
  public static Column longs(String name, long[] values) {
    return ofArray(name, SqlTypeName.BIGINT, 0, values.length, row -> values[(int) row]);
  }

  /** Returns an INTEGER from an array. */
  public static Column ints(String name, int[] values) {
    return ofArray(name, SqlTypeName.INTEGER, 0, values.length, row -> values[(int) row]);
  }

  /**
   * Returns a DATE from an array.
   *
   * @param days days since 1 January 1970
   */
  public static Column dates(String name, int[] days) {
    return ofArray(name, SqlTypeName.DATE, 0, days.length, row -> days[(int) row]);
  }

  /**
   * Returns a DECIMAL from an array.
   *
   * @param scale digits after the decimal point, from 0 to 18
   * @param unscaled the numbers times 10 to the power of {@code scale}, of at most 18 digits
   */
  public static Column decimals(String name, int scale, long[] unscaled) {
    if (scale < 0 || scale > DECIMAL_DIGITS) {
      throw new IllegalArgumentException(
          "scale of " + name + " is " + scale + "; it must be from 0 to " + DECIMAL_DIGITS);
    }
    return ofArray(
        name,
        SqlTypeName.DECIMAL,
        scale,
        unscaled.length,
        row -> BigDecimal.valueOf(unscaled[(int) row], scale));
  }

  /**
   * Returns a VARCHAR from an array.
   *
   * @throws NullPointerException if a string is null
   */
  public static Column strings(String name, String[] values) {
    for (int row = 0; row < values.length; row++) {
      if (values[row] == null) {
        throw new NullPointerException(name + " is null in row " + row);
      }
    }
    return ofArray(name, SqlTypeName.VARCHAR, 0, values.length, row -> values[(int) row]);
  }

  private static Column ofArray(
      String name, SqlTypeName type, int scale, int rows, LongFunction<Object> values) {
    return new Column(name, type, scale, false, rows, values);
  }

  /** Returns the name of the column in SQL. */
  public String name() {
    return name;
  }

  boolean isKey() {
    return isKey;
  }

  int rows() {
    return rows;
  }

  boolean isArray() {
    return rows >= 0;
  }

  RelDataType type(RelDataTypeFactory factory) {
    return switch (type) {
      case DECIMAL -> factory.createSqlType(type, DECIMAL_DIGITS, scale);
      default -> factory.createSqlType(type);
    };
  }

  /** Returns the value of the column for an entry, as Calcite represents it. */
  Object get(long key, long value) {
    return values.apply(isKey ? key : value);
  }
}
