// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/**
 * An axis of a chart.
 *
 * @param column name of the column of the values
 * @param scale where a value is
 * @param unit how it is written
 */
record Axis(String column, Scale scale, Unit unit) {

  Axis(Column column, Scale scale) {
    this(column.name(), scale, Unit.of(column));
  }

  /** Returns what stands beside the axis. */
  String caption() {
    return scale.logarithmic() ? unit.caption() + ", logarithmic" : unit.caption();
  }
}
