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
  private static final String EXACTLY = "exactly ";
  private static final String AT_LEAST = "at least ";
  private static final String AT_MOST = "at most ";
  private static final String TO = " to ";

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

  /**
   * Returns the target that {@link #toString} says.
   *
   * @throws IllegalArgumentException if these are not its words
   */
  static Target parse(String words) {
    String number = words.substring(words.lastIndexOf(' ') + 1);
    if (words.startsWith(EXACTLY)) {
      return exactly(Double.parseDouble(number));
    }
    if (words.startsWith(AT_LEAST)) {
      return atLeast(Double.parseDouble(number));
    }
    if (words.startsWith(AT_MOST)) {
      return atMost(Double.parseDouble(number));
    }
    String[] ends = words.split(TO, -1);
    if (ends.length != 2) {
      throw new IllegalArgumentException("no target: " + words);
    }
    return between(Double.parseDouble(ends[0]), Double.parseDouble(ends[1]));
  }

  /** Tells whether a value passes. */
  public boolean accepts(double value) {
    return value >= least && value <= most;
  }

  /** Returns the target in words, like {@code at least 1.5}. */
  @Override
  public String toString() {
    if (least == most) {
      return EXACTLY + number(least);
    }
    if (Double.isInfinite(most)) {
      return AT_LEAST + number(least);
    }
    if (Double.isInfinite(least)) {
      return AT_MOST + number(most);
    }
    return number(least) + TO + number(most);
  }

  private static String number(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
