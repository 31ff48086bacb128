// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The colours of all charts. A tree has the same colour everywhere; other series take what is left
 * of the palette in their order. Distinguishable with the common forms of colour blindness (after
 * Okabe and Ito), on white.
 */
final class Palette {
  private static final int BLUE = 0x0072B2;
  private static final int VERMILION = 0xD55E00;
  private static final int GREEN = 0x009E73;
  private static final int PURPLE = 0xCC79A7;
  private static final int ORANGE = 0xE69F00;
  private static final int SKY = 0x56B4E9;
  private static final int WINE = 0x882255;
  private static final int OLIVE = 0x999933;
  private static final int GREY = 0x777777;
  private static final int BLACK = 0x000000;
  private static final int BROWN = 0x8C564B;

  private static final List<Integer> COLORS =
      List.of(BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, WINE, OLIVE, GREY, BLACK, BROWN);

  private static final Map<String, Integer> TREES =
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

  /** For texts. */
  static final int INK = 0x222222;

  /** For what is said by the way. */
  static final int FAINT_INK = 0x666666;

  /** For lines behind what is shown. */
  static final int GRID = 0xE0E0E0;

  private Palette() {}

  /** Returns how many series can be told apart. */
  static int size() {
    return COLORS.size();
  }

  /**
   * Returns a colour for each series, in the same order, none of them twice.
   *
   * @throws IllegalArgumentException if there are more series than colours
   */
  static List<Integer> colors(List<String> series) {
    if (series.size() > COLORS.size()) {
      throw new IllegalArgumentException(
          series.size() + " series in " + COLORS.size() + " colours: " + series);
    }
    List<Integer> free = new ArrayList<>(COLORS);
    free.removeAll(series.stream().map(TREES::get).filter(Objects::nonNull).toList());
    List<Integer> colors = new ArrayList<>();
    for (String name : series) {
      Integer ofTree = TREES.get(name);
      colors.add(ofTree != null ? ofTree : free.removeFirst());
    }
    return colors;
  }
}
