// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.ArrayList;
import java.util.List;

/** A table of aligned columns: the header, a rule, the rows. */
public final class TextTable {
  private static final String GAP = "  ";

  private final boolean[] rightAligned;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Makes a table without rows.
   *
   * @param header column names; one that begins with {@code >} is of a right-aligned column
   */
  public TextTable(String... header) {
    rightAligned = new boolean[header.length];
    List<String> names = new ArrayList<>();
    for (int column = 0; column < header.length; column++) {
      rightAligned[column] = header[column].startsWith(">");
      names.add(rightAligned[column] ? header[column].substring(1) : header[column]);
    }
    rows.add(names);
  }

  /** Adds a row: a cell per column. */
  public void add(String... cells) {
    rows.add(List.of(cells));
  }

  @Override
  public String toString() {
    int[] widths = new int[rightAligned.length];
    for (List<String> row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    StringBuilder text = new StringBuilder();
    text.append(line(rows.getFirst(), widths)).append('\n');
    text.append(rule(widths)).append('\n');
    for (List<String> row : rows.subList(1, rows.size())) {
      text.append(line(row, widths)).append('\n');
    }
    return text.toString();
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String padding = " ".repeat(widths[column] - row.get(column).length());
      line.append(rightAligned[column] ? padding : "").append(row.get(column));
      line.append(rightAligned[column] ? "" : padding).append(GAP);
    }
    return line.toString().stripTrailing();
  }

  private static String rule(int[] widths) {
    List<String> parts = new ArrayList<>();
    for (int width : widths) {
      parts.add("-".repeat(width));
    }
    return String.join(GAP, parts);
  }
}
