// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.benchmarks.PrintedTable;
import dev.espalier.patterns.Pattern;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes tables with a row for each structure and a column for each pattern. */
final class PatternTable {
  /** Patterns that fit side by side. */
  private static final List<Set<Pattern>> COLUMNS =
      List.of(
          EnumSet.range(Pattern.RANDOM, Pattern.HOT_SPOT),
          EnumSet.of(
              Pattern.STEP,
              Pattern.QUEUE,
              Pattern.TIMERS,
              Pattern.DRAIN,
              Pattern.SECONDARY,
              Pattern.BULK_UPDATE),
          EnumSet.of(
              Pattern.WINDOW,
              Pattern.LOGS,
              Pattern.REFILL,
              Pattern.REMOVE_RANGE,
              Pattern.SCAN,
              Pattern.SCAN_BEHIND_DEAD));

  private static final String NAME = "%s";
  private static final String SMALL = "%.1f";
  private static final String LARGE = "%,.0f";

  private PatternTable() {}

  /**
   * Returns tables of numbers, which are rounded to a tenth, or above ten to a whole number.
   *
   * @param corner what the rows are
   * @param rows numbers by pattern, by the name of a row; a pattern that was not measured lacks
   */
  static List<PrintedTable> of(
      String corner, Map<String, Map<Pattern, Double>> rows, Set<Pattern> measured) {
    List<PrintedTable> tables = new ArrayList<>();
    for (Set<Pattern> columns : COLUMNS) {
      List<Pattern> shown = columns.stream().filter(measured::contains).toList();
      if (!shown.isEmpty()) {
        tables.add(table(corner, rows, shown));
      }
    }
    return tables;
  }

  private static PrintedTable table(
      String corner, Map<String, Map<Pattern, Double>> rows, List<Pattern> columns) {
    List<String> head = new ArrayList<>(List.of(corner));
    columns.forEach(pattern -> head.add(pattern.toString()));
    PrintedTable table = PrintedTable.inMarkdown("", head.toArray(String[]::new));
    rows.forEach(
        (name, numbers) -> {
          List<String> formats = new ArrayList<>(List.of(NAME));
          List<Object> cells = new ArrayList<>(List.of(name));
          for (Pattern pattern : columns) {
            Double number = numbers.get(pattern);
            formats.add(number == null ? NAME : number < 10 ? SMALL : LARGE);
            cells.add(number == null ? "" : number);
          }
          table.addAs("| " + String.join(" | ", formats) + " |", cells.toArray());
        });
    return table;
  }
}
