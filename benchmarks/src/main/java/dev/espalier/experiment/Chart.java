// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/**
 * How the rows of an experiment are drawn. Rows with the same text in the column of the series
 * belong together.
 *
 * @param kind lines over numbers, or bars over texts
 * @param series name of the column that tells the series apart, of texts
 * @param x column along the horizontal axis
 * @param y column along the vertical axis
 */
public record Chart(Kind kind, String series, Axis x, Axis y) {

  /** How a row becomes visible. */
  public enum Kind {
    /** Points joined by lines. */
    LINES,
    /** Bars beside one another. */
    BARS,
    /** Bars upon one another: parts of a whole. */
    STACKED_BARS
  }

  /** How values are spread along an axis. */
  public enum Scale {
    /** Equal differences are equal distances. */
    LINEAR,
    /** Equal ratios are equal distances. */
    LOGARITHMIC
  }

  /**
   * An axis; its caption is the label and the unit of its column.
   *
   * @param column name of the column
   * @param scale how values are spread
   */
  public record Axis(String column, Scale scale) {

    /** Makes an axis of linear scale. */
    public static Axis linear(String column) {
      return new Axis(column, Scale.LINEAR);
    }

    /** Makes an axis of logarithmic scale. */
    public static Axis logarithmic(String column) {
      return new Axis(column, Scale.LOGARITHMIC);
    }
  }
}
