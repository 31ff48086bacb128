// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Map;

/**
 * How the values of a column are written in a chart: times in the unit in which one would say them,
 * large numbers with k and M.
 *
 * @param caption for the axis
 * @param nanos how many nanoseconds a value of 1 is, or 0 if values are no times
 */
record Unit(String caption, double nanos) {
  private static final Map<String, Double> TIMES =
      Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9);

  private static final MathContext DIGITS = new MathContext(3);

  /** From here on numbers are written in thousands: up to it all digits are as short. */
  private static final double MANY = 10_000;

  /** Returns the unit of a column; what times count, such as "per search", stays in the caption. */
  static Unit of(Column column) {
    String first = column.unit().split("[ /]", 2)[0];
    Double nanos = TIMES.get(first);
    if (nanos == null) {
      return new Unit(column.caption(), 0);
    }
    String rest = column.unit().substring(first.length()).replace("/", "per ").strip();
    return new Unit(rest.isEmpty() ? column.label() : column.label() + " " + rest, nanos);
  }

  /** Returns a value as text, with at most three digits that count. */
  String text(double value) {
    if (nanos == 0) {
      return number(value);
    }
    double time = value * nanos;
    if (time == 0) {
      return "0";
    }
    if (time < 1e3) {
      return digits(time) + " ns";
    }
    if (time < 1e6) {
      return digits(time / 1e3) + " µs";
    }
    return time < 1e9 ? digits(time / 1e6) + " ms" : digits(time / 1e9) + " s";
  }

  private static String number(double value) {
    if (value >= 1e6) {
      return digits(value / 1e6) + "M";
    }
    return value >= MANY ? digits(value / 1e3) + "k" : digits(value);
  }

  private static String digits(double value) {
    BigDecimal rounded = new BigDecimal(value).round(DIGITS);
    // Whole numbers keep all their digits.
    return (value >= 1e3 ? BigDecimal.valueOf(Math.round(value)) : rounded)
        .stripTrailingZeros()
        .toPlainString();
  }
}
