// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.experiment.Sketch;
import dev.espalier.experiment.Sketch.Anchor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Panels of horizontal bars, two in a row: each panel has a scale of its own from 0 on. */
final class BarPanels {
  private static final int PANEL_WIDTH = 446;
  private static final int NAME_WIDTH = 160;
  private static final int VALUE_WIDTH = 60;
  private static final int ROW_HEIGHT = 20;
  private static final int BAR_HEIGHT = 14;
  private static final int TITLE_HEIGHT = 26;
  private static final int MARGIN = 12;
  private static final int FOOTER_HEIGHT = 26;
  private static final int BASELINE = 12;
  private static final int SIZE = 12;

  private static final int INK = 0x222222;
  private static final int FAINT_INK = 0x555555;
  private static final int OTHERS = 0x9AA0A6;

  /** Espalier's trees have the colours that they have in the charts of experiments. */
  private static final Map<String, Integer> COLORS =
      Map.of("PbPlusTree", 0xD55E00, "CssTree", 0x009E73, "Cola", 0x0072B2);

  /**
   * A bar.
   *
   * @param name what it stands for
   * @param value its length
   * @param text the value as it is written beside the bar
   */
  record Bar(String name, double value, String text) {}

  /** The bars under one title. */
  private record Panel(String title, List<Bar> bars) {}

  private final String footer;
  private final List<Panel> panels = new ArrayList<>();

  /** Makes a drawing without panels, and a line below them. */
  BarPanels(String footer) {
    this.footer = footer;
  }

  /** Adds a panel: to the right of the last, or below. */
  void add(String title, List<Bar> bars) {
    panels.add(new Panel(title, List.copyOf(bars)));
  }

  /** Returns the drawing. */
  String svg() {
    int rows = panels.stream().mapToInt(panel -> panel.bars.size()).max().orElse(0);
    int panelHeight = TITLE_HEIGHT + rows * ROW_HEIGHT + MARGIN;
    int height = (panels.size() + 1) / 2 * panelHeight + FOOTER_HEIGHT;
    Sketch sketch = new Sketch(2 * PANEL_WIDTH + MARGIN, height);
    for (int i = 0; i < panels.size(); i++) {
      draw(sketch, panels.get(i), i % 2 * PANEL_WIDTH, i / 2 * panelHeight);
    }
    sketch.write(MARGIN, height - MARGIN, Anchor.START, SIZE, FAINT_INK, footer);
    return sketch.svg();
  }

  private static void draw(Sketch sketch, Panel panel, int left, int top) {
    sketch.heading(left + MARGIN, top + TITLE_HEIGHT - 8, SIZE, INK, panel.title);
    double longest = panel.bars.stream().mapToDouble(Bar::value).max().orElse(1);
    int barsFrom = left + NAME_WIDTH;
    double room = PANEL_WIDTH - NAME_WIDTH - VALUE_WIDTH;
    int y = top + TITLE_HEIGHT;
    for (Bar bar : panel.bars) {
      double length = Math.max(1, bar.value / longest * room);
      sketch.write(barsFrom - 6, y + BASELINE, Anchor.END, SIZE, INK, bar.name);
      sketch.box(barsFrom, y, length, BAR_HEIGHT, COLORS.getOrDefault(bar.name, OTHERS));
      sketch.write(barsFrom + length + 5, y + BASELINE, Anchor.START, SIZE, INK, bar.text);
      y += ROW_HEIGHT;
    }
  }
}
