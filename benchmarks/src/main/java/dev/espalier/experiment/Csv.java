// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.List;
import java.util.stream.Collectors;

/** Writes the rows of an experiment as comma-separated values (RFC 4180, but lines end by LF). */
public final class Csv {
  private Csv() {}

  /** Returns the text: a line with the columns' names, then a line for each row. */
  public static String of(Table table) {
    StringBuilder text = new StringBuilder();
    text.append(line(table.columns().stream().map(Column::name).toList()));
    for (List<Object> row : table.rows()) {
      text.append(line(row));
    }
    return text.toString();
  }

  private static String line(List<?> cells) {
    return cells.stream().map(cell -> quoted(cell.toString())).collect(Collectors.joining(","))
        + "\n";
  }

  private static String quoted(String cell) {
    boolean plain = cell.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
  }
}
