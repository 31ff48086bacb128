// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.programs;

import dev.espalier.benchmarks.PrintedTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Tables that another program wrote: a line for each row, its cells separated by tabs, the head
 * first; an empty line between tables.
 */
final class FigureTables {
  private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");
  private static final Pattern DECIMAL = Pattern.compile("-?[0-9]+\\.[0-9]+(?:E-?[0-9]+)?");

  private FigureTables() {}

  /**
   * Returns the tables.
   *
   * @throws IllegalArgumentException if a row has more or fewer cells than the head
   */
  static List<PrintedTable> of(String text) {
    List<PrintedTable> tables = new ArrayList<>();
    for (String lines : text.strip().split("\n\n", -1)) {
      List<String[]> rows = lines.lines().map(line -> line.split("\t", -1)).toList();
      String[] head = rows.getFirst();
      PrintedTable table = PrintedTable.inMarkdown("", head);
      for (String[] row : rows.subList(1, rows.size())) {
        Object[] cells = Arrays.stream(row).map(FigureTables::cell).toArray();
        table.addAs(format(cells), cells);
      }
      tables.add(table);
    }
    return tables;
  }

  private static Object cell(String text) {
    if (INTEGER.matcher(text).matches()) {
      return Long.valueOf(text);
    }
    return DECIMAL.matcher(text).matches() ? Double.valueOf(text) : text;
  }

  /** Three digits of small figures, and all of large ones, are more than rounds agree in. */
  private static String format(Object[] cells) {
    return "| %s |"
        .formatted(
            String.join(
                " | ",
                Arrays.stream(cells)
                    .map(
                        cell ->
                            cell instanceof Double figure
                                ? Math.abs(figure) < 100 ? "%.3f" : "%,.0f"
                                : cell instanceof Long ? "%,d" : "%s")
                    .toList()));
  }
}
