// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import java.util.Map;
import java.util.TreeMap;

/** Patterns that are known to cost a tree many times what they need. */
final class KnownMisses {
  /** Tree, pattern, and the lines that it touches for each operation. */
  private static final String ALL =
      """
      TTree REFILL 80
      TTree REMOVE_RANGE 28
      CssTree REMOVE_RANGE 40
      DigestCssTree WINDOW 329
      DigestCssTree REFILL 288
      DigestCssTree SCAN 269
      DigestCssTree SCAN_BEHIND_DEAD 282
      DigestCssTree REMOVE_RANGE 293
      CsbPlusTree WINDOW 85
      CsbPlusTree REFILL 94
      CsbPlusTree REMOVE_RANGE 47
      CacheFirstFpbPlusTree REMOVE_RANGE 67
      PackedMemoryArray REMOVE_RANGE 49
      CacheObliviousBTree REMOVE_RANGE 50
      PioBTree SCAN 273
      PioBTree SCAN_BEHIND_DEAD 286
      FdTree SCAN 451
      FdTree SCAN_BEHIND_DEAD 408
      BLinkTree SCAN 259
      """;

  private KnownMisses() {}

  /** Returns the lines of an operation by tree and pattern, with a space in between. */
  static Map<String, Double> all() {
    Map<String, Double> all = new TreeMap<>();
    for (String line : ALL.lines().toList()) {
      int space = line.lastIndexOf(' ');
      all.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
    }
    return all;
  }
}
