// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/** Arithmetic on columns of figures. */
public final class Numbers {
  private Numbers() {}

  /**
   * Returns how many times larger the figures of one column are than those of another: the
   * geometric mean of the quotients, row by row.
   *
   * @throws IllegalArgumentException if the columns are not of one length
   */
  public static double meanRatio(double[] numerators, double[] denominators) {
    checkLengths(numerators, denominators);
    double logarithms = 0;
    for (int i = 0; i < numerators.length; i++) {
      logarithms += Math.log(numerators[i] / denominators[i]);
    }
    return Math.exp(logarithms / numerators.length);
  }

  /**
   * Returns the largest quotient of two figures in the same row.
   *
   * @throws IllegalArgumentException if the columns are not of one length
   */
  public static double largestRatio(double[] numerators, double[] denominators) {
    checkLengths(numerators, denominators);
    double largest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < numerators.length; i++) {
      largest = Math.max(largest, numerators[i] / denominators[i]);
    }
    return largest;
  }

  private static void checkLengths(double[] numerators, double[] denominators) {
    if (numerators.length != denominators.length) {
      throw new IllegalArgumentException(
          numerators.length + " numerators for " + denominators.length + " denominators");
    }
  }
}
