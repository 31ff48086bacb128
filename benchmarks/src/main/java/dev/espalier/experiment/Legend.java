// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.experiment.Sketch.Anchor;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of series beside their colours, in as many rows as they need. */
final class Legend {
  private static final int ROW_HEIGHT = 18;
  private static final int SIZE = 12;
  private static final int DOT = 5;
  private static final int TEXT_FROM = 14;
  private static final int GAP = 18;

  private final Map<String, Integer> colors;

  Legend(Map<String, Integer> colors) {
    this.colors = colors;
  }

  /** Returns how high the legend is at a certain width. */
  int height(Collection<String> names, int width) {
    return place(null, names, 0, 0, width);
  }

  /** Draws it. */
  void draw(Sketch sketch, Collection<String> names, int left, int top, int width) {
    place(sketch, names, left, top, width);
  }

  private int place(
      @Nullable Sketch sketch, Collection<String> names, int left, int top, int width) {
    double x = left;
    int y = top;
    for (String name : names) {
      double length = TEXT_FROM + Sketch.widthOf(name, SIZE);
      if (x > left && x + length > left + width) {
        x = left;
        y += ROW_HEIGHT;
      }
      if (sketch != null) {
        sketch.dot(x + DOT, y + DOT + 3, DOT, colors.getOrDefault(name, Palette.INK));
        sketch.write(x + TEXT_FROM, y + SIZE, Anchor.START, SIZE, Palette.INK, name);
      }
      x += length + GAP;
    }
    return y - top + ROW_HEIGHT;
  }
}
