// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.experiment.Chart.Kind;
import dev.espalier.experiment.Sketch.Anchor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The chart of a result: a title, panels of at most eight lines, and a line that says where the
 * figures come from.
 */
public final class Drawing {
  private static final int WIDTH = 960;
  private static final int MARGIN = 16;
  private static final int TITLE_SIZE = 16;
  private static final int TITLE_HEIGHT = 44;
  private static final int FOOTER_SIZE = 11;
  private static final int FOOTER_HEIGHT = 30;
  private static final int GAP = 24;

  /** More lines than these can't be followed with the eye. */
  private static final int MOST_SERIES = 8;

  private final Result result;
  private final Chart chart;
  private final Table table;

  /** Makes the drawing of a result. */
  public Drawing(Result result) {
    this.result = result;
    this.chart = result.description().chart();
    this.table = result.outcome().table();
  }

  /** Returns the chart as SVG; letters are text, in whatever font the reader has. */
  public byte[] svg() {
    return sketch().svg().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the chart as PNG. */
  public byte[] png() {
    return SketchImage.png(sketch());
  }

  private Sketch sketch() {
    List<Panel> panels = panels();
    int columns = chart.kind() == Kind.LINES && panels.size() > 1 ? 2 : 1;
    int panelWidth = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns;
    // Panels of one row end at the same height.
    List<Integer> bottoms = new ArrayList<>();
    int y = TITLE_HEIGHT;
    for (int first = 0; first < panels.size(); first += columns) {
      y +=
          panels.subList(first, Math.min(first + columns, panels.size())).stream()
              .mapToInt(panel -> panel.height(panelWidth))
              .max()
              .orElseThrow();
      bottoms.add(y);
    }
    Sketch sketch = new Sketch(WIDTH, y + FOOTER_HEIGHT);
    Description description = result.description();
    sketch.heading(
        MARGIN,
        MARGIN + TITLE_SIZE - 2,
        TITLE_SIZE,
        Palette.INK,
        description.title() + " (" + description.source() + ")");
    for (int i = 0; i < panels.size(); i++) {
      int left = MARGIN + i % columns * (panelWidth + GAP);
      Panel panel = panels.get(i);
      panel.draw(sketch, left, bottoms.get(i / columns) - panel.height(panelWidth), panelWidth);
    }
    sketch.write(
        MARGIN,
        y + FOOTER_HEIGHT - 10,
        Anchor.START,
        FOOTER_SIZE,
        Palette.FAINT_INK,
        result.footer());
    return sketch;
  }

  /** A part of the drawing with axes of its own. */
  interface Panel {
    /** Returns how high it is at a certain width. */
    int height(int width);

    /** Draws it. */
    void draw(Sketch sketch, int left, int top, int width);
  }

  private List<Panel> panels() {
    Map<String, Table> series = table.by(chart.series());
    List<String> names = List.copyOf(series.keySet());
    Map<String, Integer> colors = names.size() <= Palette.size() ? colors(names) : Map.of();
    // All panels have the same axes, so that they can be compared.
    Axis y = new Axis(table.column(chart.y()), Scale.of(table.numbers(chart.y())));
    List<Panel> panels = new ArrayList<>();
    parts()
        .forEach(
            (title, part) -> {
              List<String> shown = List.copyOf(part.by(chart.series()).keySet());
              boolean few = colors.isEmpty() && shown.size() <= Palette.size();
              Map<String, Integer> hues = few ? colors(shown) : colors;
              panels.add(panel(title, part, hues, y));
            });
    return panels;
  }

  private Panel panel(String title, Table part, Map<String, Integer> colors, Axis y) {
    if (chart.kind() == Kind.LINES) {
      Axis x = new Axis(table.column(chart.x()), Scale.of(table.numbers(chart.x())));
      return new LinePanel(title, part.by(chart.series()), colors, x, y);
    }
    return new BarPanel(title, chart, part, colors, y);
  }

  /** Returns the rows of each panel, by its title; titles that say nothing are blank. */
  private Map<String, Table> parts() {
    if (!chart.panels().isEmpty()) {
      Map<String, Table> parts = new LinkedHashMap<>();
      String label = table.column(chart.panels()).label();
      String unit = table.column(chart.panels()).unit();
      table
          .by(chart.panels())
          .forEach((text, part) -> parts.put((label + " " + text + " " + unit).strip(), part));
      return parts;
    }
    Map<String, Table> series = table.by(chart.series());
    if (series.size() == table.rows().size()) {
      // Single points, or a bar for each text, have their names beside them.
      return Map.of("", table);
    }
    List<String> names = List.copyOf(series.keySet());
    int count = Math.max(1, (names.size() + MOST_SERIES - 1) / MOST_SERIES);
    int perPanel = (names.size() + count - 1) / count;
    Map<String, Table> parts = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      List<String> shown = names.subList(i * perPanel, Math.min((i + 1) * perPanel, names.size()));
      parts.put(" ".repeat(i), table.where(chart.series(), shown::contains));
    }
    return parts;
  }

  private static Map<String, Integer> colors(List<String> names) {
    List<Integer> colors = Palette.colors(names);
    Map<String, Integer> byName = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      byName.put(names.get(i), colors.get(i));
    }
    return byName;
  }
}
