// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The colours of all charts. A tree has the same colour everywhere; other series take what is left
 * of the palette in their order. Distinguishable with the common forms of colour blindness (after
 * Okabe and Ito), on white.
 */
final class Palette {
  private static final Color BLUE = new Color(0x0072B2);
  private static final Color VERMILION = new Color(0xD55E00);
  private static final Color GREEN = new Color(0x009E73);
  private static final Color PURPLE = new Color(0xCC79A7);
  private static final Color ORANGE = new Color(0xE69F00);
  private static final Color SKY = new Color(0x56B4E9);
  private static final Color WINE = new Color(0x882255);
  private static final Color OLIVE = new Color(0x999933);
  private static final Color GREY = new Color(0x777777);
  private static final Color BLACK = new Color(0x000000);
  private static final Color BROWN = new Color(0x8C564B);

  private static final List<Color> COLORS =
      List.of(BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, WINE, OLIVE, GREY, BLACK, BROWN);

  private static final Map<String, Color> TREES =
      Map.of(
          "BPlusTree", BLUE,
          "PbPlusTree", VERMILION,
          "CssTree", GREEN,
          "CsbPlusTree", PURPLE,
          "TTree", ORANGE,
          "DiskFirstFpbPlusTree", SKY,
          "CacheFirstFpbPlusTree", WINE,
          "MicroIndexBPlusTree", OLIVE,
          "DiskOptimizedBPlusTree", GREY);

  private Palette() {}

  /** Returns a colour for each series of one chart, in the same order. */
  static List<Color> colors(List<String> series) {
    List<Color> free = new ArrayList<>(COLORS);
    series.forEach(name -> free.remove(TREES.get(name)));
    List<Color> colors = new ArrayList<>();
    int next = 0;
    for (String name : series) {
      Color ofTree = TREES.get(name);
      colors.add(ofTree != null ? ofTree : free.get(next++ % free.size()));
    }
    return colors;
  }
}
