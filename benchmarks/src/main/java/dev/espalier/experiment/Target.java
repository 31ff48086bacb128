// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.math.BigDecimal;

/**
 * The values that a check lets pass: those from {@code least} to {@code most}.
 *
 * @param least smallest value, or minus infinity
 * @param most largest value, or infinity
 */
public record Target(double least, double most) {

  /** Lets a value and those above it pass. */
  public static Target atLeast(double least) {
    return new Target(least, Double.POSITIVE_INFINITY);
  }

  /** Lets a value and those below it pass. */
  public static Target atMost(double most) {
    return new Target(Double.NEGATIVE_INFINITY, most);
  }

  /** Lets one value pass. */
  public static Target exactly(double value) {
    return new Target(value, value);
  }

  /** Lets values between two pass, and these two. */
  public static Target between(double least, double most) {
    return new Target(least, most);
  }

  /** Tells whether a value passes. */
  public boolean accepts(double value) {
    return value >= least && value <= most;
  }

  /** Returns the target in words, like {@code at least 1.5}. */
  @Override
  public String toString() {
    if (least == most) {
      return "exactly " + number(least);
    }
    if (Double.isInfinite(most)) {
      return "at least " + number(least);
    }
    if (Double.isInfinite(least)) {
      return "at most " + number(most);
    }
    return number(least) + " to " + number(most);
  }

  private static String number(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
