// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.experiment.Sketch.Anchor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Bars from left to right, with their values at the end: a group for each text of a column. */
final class BarPanel implements Drawing.Panel {
  private static final int TITLE_HEIGHT = 24;
  private static final int CAPTION_HEIGHT = 26;
  private static final int BAR_HEIGHT = 14;
  private static final int BAR_STEP = 16;
  private static final int GROUP_GAP = 10;
  private static final int VALUE_WIDTH = 80;
  private static final int LABELS_HEIGHT = 24;
  private static final int SIZE = 12;

  /** A part of a bar, or all of it. */
  private record Part(String series, double value) {}

  /** A bar: one part, or several upon one another. */
  private record Bar(List<Part> parts) {
    double value() {
      return parts.stream().mapToDouble(Part::value).sum();
    }
  }

  /** The bars of one text. */
  private record Group(String name, List<Bar> bars) {}

  private final String title;
  private final Map<String, Integer> colors;
  private final List<String> legend;
  private final List<Group> groups = new ArrayList<>();
  private final Axis y;

  BarPanel(String title, Chart chart, Table table, Map<String, Integer> colors, Axis y) {
    this.title = title;
    this.colors = colors;
    boolean stacked = chart.kind() == Chart.Kind.STACKED_BARS;
    // Where each group is a series, its name stands beside the bar.
    this.legend =
        chart.series().equals(chart.x())
            ? List.of()
            : List.copyOf(table.by(chart.series()).keySet());
    List<String> series = table.texts(chart.series());
    List<String> texts = table.texts(chart.x());
    double[] values = table.numbers(chart.y());
    for (String text : new LinkedHashSet<>(texts)) {
      List<Part> parts = new ArrayList<>();
      for (int row = 0; row < values.length; row++) {
        if (texts.get(row).equals(text)) {
          parts.add(new Part(series.get(row), values[row]));
        }
      }
      groups.add(
          new Group(
              text,
              stacked
                  ? List.of(new Bar(parts))
                  : parts.stream().map(part -> new Bar(List.of(part))).toList()));
    }
    this.y = stacked ? new Axis(y.column(), Scale.linear(longest()), y.unit()) : y;
  }

  private double longest() {
    return groups.stream()
        .flatMap(group -> group.bars.stream())
        .mapToDouble(Bar::value)
        .max()
        .orElse(0);
  }

  @Override
  public int height(int width) {
    int bars = groups.stream().mapToInt(group -> group.bars.size()).sum();
    return headHeight(width)
        + bars * BAR_STEP
        + groups.size() * GROUP_GAP
        + LABELS_HEIGHT
        + CAPTION_HEIGHT;
  }

  private int headHeight(int width) {
    return (title.isBlank() ? 0 : TITLE_HEIGHT)
        + (legend.isEmpty() ? 0 : new Legend(colors).height(legend, width) + GROUP_GAP);
  }

  @Override
  public void draw(Sketch sketch, int left, int top, int width) {
    if (!title.isBlank()) {
      sketch.heading(left, top + SIZE, SIZE + 1, Palette.INK, title);
    }
    if (!legend.isEmpty()) {
      int from = top + (title.isBlank() ? 0 : TITLE_HEIGHT);
      new Legend(colors).draw(sketch, legend, left, from, width);
    }
    double longestName =
        groups.stream().mapToDouble(group -> Sketch.widthOf(group.name, SIZE)).max().orElse(0);
    double barsFrom = left + longestName + 10;
    double room = left + width - VALUE_WIDTH - barsFrom;
    int barsTop = top + headHeight(width);
    int bottom = top + height(width) - LABELS_HEIGHT - CAPTION_HEIGHT;
    axis(sketch, barsFrom, room, barsTop, bottom);
    double at = barsTop + GROUP_GAP / 2.0;
    for (Group group : groups) {
      double middle = at + group.bars.size() * BAR_STEP / 2.0 + 3;
      sketch.write(barsFrom - 8, middle, Anchor.END, SIZE, Palette.INK, group.name);
      for (Bar bar : group.bars) {
        draw(sketch, bar, barsFrom, room, at);
        at += BAR_STEP;
      }
      at += GROUP_GAP;
    }
  }

  private void axis(Sketch sketch, double barsFrom, double room, int top, int bottom) {
    for (double tick : y.scale().ticks()) {
      double at = barsFrom + y.scale().position(tick) * room;
      sketch.line(at, top, at, bottom, Palette.GRID);
      sketch.write(at, bottom + 16, Anchor.MIDDLE, SIZE, Palette.FAINT_INK, y.unit().text(tick));
    }
    sketch.write(
        barsFrom + room / 2, bottom + 38, Anchor.MIDDLE, SIZE, Palette.FAINT_INK, y.caption());
  }

  private void draw(Sketch sketch, Bar bar, double barsFrom, double room, double at) {
    double before = 0;
    double from = barsFrom;
    for (Part part : bar.parts) {
      before += part.value;
      double to = barsFrom + y.scale().position(before) * room;
      sketch.box(from, at, Math.max(to - from, 1), BAR_HEIGHT, color(part.series));
      from = to;
    }
    sketch.write(from + 6, at + 11, Anchor.START, SIZE, Palette.INK, y.unit().text(bar.value()));
  }

  private int color(String series) {
    return colors.getOrDefault(series, Palette.INK);
  }
}
