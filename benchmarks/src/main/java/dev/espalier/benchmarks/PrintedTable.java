// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A table of measured figures, of which what is printed and what is written are made. */
public final class PrintedTable {
  private final boolean isMarkdown;
  private final String format;
  private final List<String> head;
  private final List<Row> rows = new ArrayList<>();

  /** Cells, and the format that rounds them. */
  private record Row(String format, List<Object> cells) {}

  private PrintedTable(boolean isMarkdown, String format, List<String> head) {
    this.isMarkdown = isMarkdown;
    this.format = format;
    this.head = head;
  }

  /** Returns a table that is printed in Markdown, its rows in a format like {@code | %s | %d |}. */
  public static PrintedTable inMarkdown(String format, String... head) {
    return new PrintedTable(true, format, List.of(head));
  }

  /** Returns a table of which only the rows are printed; the format says what is in them. */
  public static PrintedTable inLines(String format, String... head) {
    return new PrintedTable(false, format, List.of(head));
  }

  /**
   * Adds a row.
   *
   * @param cells strings, ints, longs and doubles, one for each column
   * @throws IllegalArgumentException if there are more or fewer
   */
  public void add(Object... cells) {
    addAs(format, cells);
  }

  /** Adds a row that has a format of its own. */
  public void addAs(String rowFormat, Object... cells) {
    if (cells.length != head.size()) {
      throw new IllegalArgumentException(cells.length + " cells for columns " + head);
    }
    rows.add(new Row(rowFormat, List.of(cells)));
  }

  /** Returns what is printed. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (isMarkdown) {
      lines.add("| " + String.join(" | ", head) + " |");
      lines.add("|" + String.join("|", Collections.nCopies(head.size(), "---")) + "|");
    }
    rows.forEach(row -> lines.add(String.format(Locale.ROOT, row.format, row.cells.toArray())));
    return lines;
  }

  /** Returns the head and the rows, with all digits. */
  Map<String, Object> toJson() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("head", head);
    object.put(
        "rows",
        rows.stream().map(row -> row.cells.stream().map(PrintedTable::toJson).toList()).toList());
    return object;
  }

  private static Object toJson(Object cell) {
    // JSON has no word for a ratio to what was not measured.
    return cell instanceof Double number && !Double.isFinite(number) ? number.toString() : cell;
  }
}
