// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/**
 * A column of an experiment's rows.
 *
 * @param name one word, for programs that read the rows
 * @param label for people
 * @param unit what a value counts; empty if it counts nothing
 * @param type class of all values
 */
public record Column(String name, String label, String unit, Class<?> type) {

  /** Makes a column of texts. */
  public static Column text(String name, String label) {
    return new Column(name, label, "", String.class);
  }

  /** Makes a column of whole numbers. */
  public static Column integer(String name, String label, String unit) {
    return new Column(name, label, unit, Long.class);
  }

  /** Makes a column of other numbers. */
  public static Column real(String name, String label, String unit) {
    return new Column(name, label, unit, Double.class);
  }

  /** Returns label and unit, as on the axis of a chart. */
  public String caption() {
    return unit.isEmpty() ? label : label + " (" + unit + ")";
  }

  /** Checks a value; an int becomes the long it stands for. */
  Object checked(Object value) {
    Object checked = value instanceof Integer number ? Long.valueOf(number) : value;
    if (!type.isInstance(checked)) {
      throw new IllegalArgumentException(
          "column " + name + " holds " + type.getSimpleName() + ", not " + value);
    }
    if (checked instanceof Double number && !Double.isFinite(number)) {
      throw new IllegalArgumentException("column " + name + " can't hold " + value);
    }
    return checked;
  }
}
