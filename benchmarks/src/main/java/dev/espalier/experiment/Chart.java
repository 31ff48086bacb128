// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/**
 * How the rows of an experiment are drawn. Rows with the same text in the column of the series
 * belong together. Which scale an axis has follows from its values: {@link Scale}.
 *
 * @param kind lines over numbers, or bars over texts
 * @param series name of the column that tells the series apart, of texts
 * @param x name of the column along the horizontal axis of lines; bars have a group for each text
 * @param y name of the column of the values that are shown
 * @param panels name of the column that tells panels apart, or nothing for a single panel
 */
public record Chart(Kind kind, String series, String x, String y, String panels) {

  /** How a row becomes visible. */
  public enum Kind {
    /** Points joined by lines. */
    LINES,
    /** Bars beside one another. */
    BARS,
    /** Bars upon one another: parts of a whole. */
    STACKED_BARS
  }

  /** Makes a chart of a single panel. */
  public Chart(Kind kind, String series, String x, String y) {
    this(kind, series, x, y, "");
  }

  /** Returns this chart with a panel for each text of a column. */
  public Chart inPanels(String column) {
    return new Chart(kind, series, x, y, column);
  }
}
