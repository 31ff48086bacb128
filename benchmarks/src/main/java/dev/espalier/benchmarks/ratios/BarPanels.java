// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Panels of horizontal bars, two in a row, as SVG: each panel has a scale of its own from 0 on. */
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

  private static final String OTHERS = "#9aa0a6";

  /** Espalier's trees have the colours that they have in all charts. */
  private static final Map<String, String> COLORS =
      Map.of("PbPlusTree", "#D55E00", "CssTree", "#009E73", "Cola", "#0072B2");

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
    int width = 2 * PANEL_WIDTH + MARGIN;
    int height = (panels.size() + 1) / 2 * panelHeight + FOOTER_HEIGHT;
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" \
        font-family="Helvetica, Arial, sans-serif" font-size="12">
        <rect width="100%%" height="100%%" fill="white"/>
        """
            .formatted(width, height, width, height));
    for (int i = 0; i < panels.size(); i++) {
      panel(svg, panels.get(i), i % 2 * PANEL_WIDTH, i / 2 * panelHeight);
    }
    svg.append(text(MARGIN, height - MARGIN, "fill=\"#555\"", footer));
    return svg.append("</svg>\n").toString();
  }

  private static void panel(StringBuilder svg, Panel panel, int left, int top) {
    svg.append(
        text(
            left + MARGIN,
            top + TITLE_HEIGHT - 8,
            "font-weight=\"bold\" fill=\"#222\"",
            panel.title));
    double longest = panel.bars.stream().mapToDouble(Bar::value).max().orElse(1);
    int barsFrom = left + NAME_WIDTH;
    double room = PANEL_WIDTH - NAME_WIDTH - VALUE_WIDTH;
    int y = top + TITLE_HEIGHT;
    for (Bar bar : panel.bars) {
      double length = Math.max(1, bar.value / longest * room);
      svg.append(text(barsFrom - 6, y + BASELINE, "text-anchor=\"end\" fill=\"#222\"", bar.name));
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
              barsFrom,
              y,
              length,
              BAR_HEIGHT,
              COLORS.getOrDefault(bar.name, OTHERS)));
      svg.append(
          text((int) Math.ceil(barsFrom + length) + 5, y + BASELINE, "fill=\"#222\"", bar.text));
      y += ROW_HEIGHT;
    }
  }

  private static String text(int x, int y, String attributes, String text) {
    return "<text x=\"%d\" y=\"%d\" %s>%s</text>%n".formatted(x, y, attributes, text);
  }
}
