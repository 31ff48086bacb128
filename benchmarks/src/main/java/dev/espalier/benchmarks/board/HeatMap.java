// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.experiment.Sketch;
import dev.espalier.experiment.Sketch.Anchor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The board at a glance: for each of Espalier's stores and each crew a row, for each work a column,
 * and in each cell how many times as fast as the fastest peer the store is.
 */
final class HeatMap {
  private static final int CELL_WIDTH = 48;
  private static final int CELL_HEIGHT = 18;
  private static final int NAMES_WIDTH = 270;
  private static final int HEAD_HEIGHT = 64;
  private static final int SETTING_HEIGHT = 26;
  private static final int FOOTER_HEIGHT = 30;
  private static final int MARGIN = 12;
  private static final int SIZE = 11;
  private static final int SMALL = 9;
  private static final int LINE = 11;
  private static final int BASELINE = 13;
  private static final double FEW = 10;

  /** A ratio of so much, or of its inverse, has the full colour. */
  private static final double FULL = 4;

  private static final int INK = 0x222222;
  private static final int FAINT_INK = 0x555555;
  private static final int EMPTY = 0xF2F2F2;
  private static final int EVEN = 0xFFFFFF;
  private static final int AHEAD = 0x5AAE61;
  private static final int BEHIND = 0xF0803C;

  private final Board board;
  private final Set<String> ours;
  private final List<Column> columns = new ArrayList<>();
  private final Map<Setting, List<Row>> rows = new LinkedHashMap<>();

  /** A work with one distribution. */
  private record Column(Work work, Distribution distribution) {}

  private record Row(Crew crew, String store) {}

  /**
   * Prepares a map.
   *
   * @param ours the names of Espalier's stores
   */
  HeatMap(Board board, Set<String> ours) {
    this.board = board;
    this.ours = ours;
    for (Distribution distribution : List.of(Distribution.ZIPF, Distribution.UNIFORM)) {
      for (Work work : Work.values()) {
        if (work.isCore()) {
          addColumn(work, work == Work.D ? Distribution.LATEST : distribution);
        }
      }
    }
    for (Work work : Work.values()) {
      if (!work.isCore()) {
        addColumn(work, Distribution.UNIFORM);
      }
    }
    board.settings().forEach(setting -> rows.put(setting, new ArrayList<>()));
    for (Cell cell : board.cells()) {
      List<Row> some = Objects.requireNonNull(rows.get(cell.setting()));
      for (String store : board.stores(cell)) {
        Row row = new Row(cell.crew(), store);
        if (ours.contains(store) && !some.contains(row)) {
          some.add(row);
        }
      }
    }
  }

  private void addColumn(Work work, Distribution distribution) {
    Column column = new Column(work, distribution);
    boolean isMeasured =
        board.cells().stream()
            .anyMatch(cell -> cell.work() == work && cell.distribution() == distribution);
    if (isMeasured && !columns.contains(column)) {
      columns.add(column);
    }
  }

  /** Returns the drawing. */
  String svg() {
    int lines = rows.values().stream().mapToInt(List::size).sum();
    int height =
        HEAD_HEIGHT + rows.size() * SETTING_HEIGHT + lines * CELL_HEIGHT + FOOTER_HEIGHT + MARGIN;
    int width = NAMES_WIDTH + columns.size() * CELL_WIDTH + MARGIN;
    Sketch sketch = new Sketch(width, height);
    drawHead(sketch);
    int y = HEAD_HEIGHT;
    for (Map.Entry<Setting, List<Row>> part : rows.entrySet()) {
      sketch.heading(MARGIN, y + SETTING_HEIGHT - 8.0, SIZE, INK, part.getKey().label());
      y += SETTING_HEIGHT;
      for (Row row : part.getValue()) {
        draw(sketch, part.getKey(), row, y);
        y += CELL_HEIGHT;
      }
    }
    sketch.write(
        MARGIN,
        height - (double) MARGIN,
        Anchor.START,
        SIZE,
        FAINT_INK,
        "operations a second, by those of the fastest peer in the same cell; green is ahead");
    return sketch.svg();
  }

  private void drawHead(Sketch sketch) {
    String last = "";
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      double x = NAMES_WIDTH + i * (double) CELL_WIDTH;
      String group =
          column.work.isCore()
              ? column.distribution == Distribution.UNIFORM ? "YCSB, uniform" : "YCSB, Zipf"
              : "db_bench";
      if (!group.equals(last)) {
        sketch.heading(x + 2, BASELINE + 2.0, SIZE, INK, group);
        last = group;
      }
      String[] words = column.work.name().toLowerCase(Locale.ROOT).split("_", -1);
      for (int line = 0; line < words.length; line++) {
        String word = column.work.isCore() ? column.work.label() : words[line];
        double y = HEAD_HEIGHT - 6.0 - (words.length - 1 - line) * LINE;
        sketch.write(x + CELL_WIDTH / 2.0, y, Anchor.MIDDLE, SMALL, INK, word);
      }
    }
  }

  private void draw(Sketch sketch, Setting setting, Row row, int y) {
    sketch.write(
        NAMES_WIDTH - 6.0,
        y + (double) BASELINE,
        Anchor.END,
        SIZE,
        INK,
        row.store + ", " + row.crew.label());
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      Cell cell = new Cell(setting, row.crew, column.work, column.distribution);
      OptionalDouble ratio = board.ratio(cell, row.store, ours);
      double x = NAMES_WIDTH + i * (double) CELL_WIDTH;
      int color = ratio.isPresent() ? color(ratio.getAsDouble()) : EMPTY;
      sketch.box(x + 1, y + 1.0, CELL_WIDTH - 2.0, CELL_HEIGHT - 2.0, color);
      if (ratio.isPresent()) {
        sketch.write(
            x + CELL_WIDTH / 2.0,
            y + (double) BASELINE,
            Anchor.MIDDLE,
            SIZE,
            INK,
            text(ratio.getAsDouble()));
      }
    }
  }

  /** Returns a ratio as it stands in a cell. */
  static String text(double ratio) {
    return String.format(Locale.ROOT, ratio < 1 ? "%.2f" : ratio < FEW ? "%.1f" : "%.0f", ratio);
  }

  /** Returns the colour of a ratio: white if both are as fast, full from four times on. */
  static int color(double ratio) {
    double strength = Math.clamp(Math.abs(Math.log(ratio)) / Math.log(FULL), 0, 1);
    int full = ratio < 1 ? BEHIND : AHEAD;
    int color = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      int from = EVEN >> shift & 0xFF;
      int to = full >> shift & 0xFF;
      color |= (int) Math.round(from + (to - from) * strength) << shift;
    }
    return color;
  }
}
