// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.experiment.Sketch.Anchor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Lines over numbers.
 *
 * @param title above the lines; blank if there is nothing to tell apart
 * @param series the rows of each line
 */
record LinePanel(
    String title, Map<String, Table> series, Map<String, Integer> colors, Axis x, Axis y)
    implements Drawing.Panel {
  private static final int TITLE_HEIGHT = 24;
  private static final int CAPTION_HEIGHT = 26;
  private static final int LABELS_WIDTH = 58;
  private static final int LABELS_HEIGHT = 22;
  private static final int RIGHT_MARGIN = 14;
  private static final int SIZE = 12;
  private static final double LINE = 2;
  private static final double DOT = 3.5;

  /** More points than these run into one another. */
  private static final int MOST_DOTS = 40;

  /** Less wide than this is one of two in a row. */
  private static final int WIDE = 600;

  private static final int HEIGHT = 400;
  private static final int HEIGHT_BESIDE_ANOTHER = 260;

  @Override
  public int height(int width) {
    return headHeight(width)
        + (width < WIDE ? HEIGHT_BESIDE_ANOTHER : HEIGHT)
        + LABELS_HEIGHT
        + CAPTION_HEIGHT
        + CAPTION_HEIGHT;
  }

  private int headHeight(int width) {
    return (title.isBlank() ? 0 : TITLE_HEIGHT)
        + (isOfPoints() ? 0 : new Legend(colors).height(series.keySet(), width))
        + CAPTION_HEIGHT;
  }

  /** Tells whether there is nothing to join: each series is one point, named beside it. */
  private boolean isOfPoints() {
    return series.values().stream().allMatch(rows -> rows.rows().size() == 1);
  }

  @Override
  public void draw(Sketch sketch, int left, int top, int width) {
    int legendFrom = top;
    if (!title.isBlank()) {
      sketch.heading(left, top + SIZE, SIZE + 1, Palette.INK, title);
      legendFrom += TITLE_HEIGHT;
    }
    if (!isOfPoints()) {
      new Legend(colors).draw(sketch, series.keySet(), left, legendFrom, width);
    }
    Plot plot =
        new Plot(
            left + LABELS_WIDTH,
            top + headHeight(width),
            width - LABELS_WIDTH - RIGHT_MARGIN,
            width < WIDE ? HEIGHT_BESIDE_ANOTHER : HEIGHT);
    axes(sketch, plot, left);
    series.forEach((name, rows) -> line(sketch, plot, name, rows));
  }

  /** Where the lines are. */
  private record Plot(int left, int top, int width, int height) {
    int bottom() {
      return top + height;
    }
  }

  private void axes(Sketch sketch, Plot plot, int left) {
    sketch.write(left, plot.top - 12, Anchor.START, SIZE, Palette.FAINT_INK, y.caption());
    for (double tick : y.scale().ticks()) {
      double at = plot.bottom() - y.scale().position(tick) * plot.height;
      sketch.line(plot.left, at, plot.left + plot.width, at, Palette.GRID);
      sketch.write(plot.left - 6, at + 4, Anchor.END, SIZE, Palette.INK, y.unit().text(tick));
    }
    double free = Double.NEGATIVE_INFINITY;
    for (double tick : x.scale().ticks()) {
      double at = plot.left + x.scale().position(tick) * plot.width;
      sketch.line(at, plot.top, at, plot.bottom(), Palette.GRID);
      String text = x.unit().text(tick);
      double half = Sketch.widthOf(text, SIZE) / 2;
      if (at - half > free) {
        sketch.write(at, plot.bottom() + 18, Anchor.MIDDLE, SIZE, Palette.INK, text);
        free = at + half + 4;
      }
    }
    sketch.line(plot.left, plot.bottom(), plot.left + plot.width, plot.bottom(), Palette.FAINT_INK);
    sketch.write(
        plot.left + plot.width / 2.0,
        plot.bottom() + 40,
        Anchor.MIDDLE,
        SIZE,
        Palette.FAINT_INK,
        x.caption());
  }

  private void line(Sketch sketch, Plot plot, String name, Table rows) {
    double[] xs = rows.numbers(x.column());
    double[] ys = rows.numbers(y.column());
    List<double[]> points = new ArrayList<>();
    for (int i = 0; i < xs.length; i++) {
      points.add(
          new double[] {
            plot.left + x.scale().position(xs[i]) * plot.width,
            plot.bottom() - y.scale().position(ys[i]) * plot.height
          });
    }
    int color = colors.getOrDefault(name, Palette.INK);
    if (points.size() > 1) {
      sketch.path(points, LINE, color);
    }
    if (isOfPoints()) {
      double[] point = points.getFirst();
      boolean right = point[0] > plot.left + plot.width * 0.8;
      sketch.write(
          point[0] + (right ? -8 : 8),
          point[1] + 4,
          right ? Anchor.END : Anchor.START,
          SIZE,
          Palette.INK,
          name);
    }
    if (points.size() <= MOST_DOTS) {
      points.forEach(point -> sketch.dot(point[0], point[1], DOT, color));
    }
  }
}
