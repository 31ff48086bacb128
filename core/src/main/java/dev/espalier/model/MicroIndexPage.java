// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The layout of a page with a micro-index (fpB+ 4.1): the header, immediately followed by the
 * micro-index; then the keys; then the pointers. The keys, each sub-array of them, and the pointers
 * start at a line. The micro-index holds the first key of every sub-array.
 *
 * @param lines number of lines of the page
 * @param lineBytes size of a cache line, in bytes
 * @param headerBytes size of the header, in bytes
 * @param keyBytes size of a key, in bytes, at most a line
 * @param pointerBytes size of a pointer or value, in bytes
 */
public record MicroIndexPage(
    int lines, int lineBytes, int headerBytes, int keyBytes, int pointerBytes) {

  /**
   * Checks the sizes.
   *
   * @throws IllegalArgumentException if one is out of range, or a key is larger than a line
   */
  public MicroIndexPage {
    checkAtLeast(1, "lines", lines);
    checkAtLeast(1, "lineBytes", lineBytes);
    checkAtLeast(0, "headerBytes", headerBytes);
    checkAtLeast(1, "keyBytes", keyBytes);
    checkAtLeast(1, "pointerBytes", pointerBytes);
    if (keyBytes > lineBytes) {
      throw new IllegalArgumentException(
          "keyBytes is " + keyBytes + "; it must be at most a line, " + lineBytes + " bytes");
    }
  }

  /** Returns how many keys fit into a sub-array of {@code subArrayLines} lines. */
  public int subArrayCapacity(int subArrayLines) {
    checkAtLeast(1, "subArrayLines", subArrayLines);
    return Math.toIntExact((long) subArrayLines * lineBytes / keyBytes);
  }

  /**
   * Returns the most entries that fit into the page, or 0. Header and micro-index together, the
   * keys, and the pointers each take whole lines.
   *
   * @param subArrayLines width of a sub-array of keys, in lines
   */
  public int entries(int subArrayLines) {
    int entries = Math.toIntExact((long) lines * lineBytes / (keyBytes + pointerBytes));
    while (entries > 0 && linesTaken(subArrayLines, entries) > lines) {
      entries--;
    }
    return entries;
  }

  private long linesTaken(int subArrayLines, int entries) {
    int perSubArray = subArrayCapacity(subArrayLines);
    long keyLines =
        (long) entries / perSubArray * subArrayLines
            + linesOf((long) entries % perSubArray * keyBytes);
    return indexLines(subArrayLines, entries) + keyLines + linesOf((long) entries * pointerBytes);
  }

  /**
   * Returns how many lines the header and the micro-index take for {@code entries} entries; the
   * keys start after them.
   */
  public int indexLines(int subArrayLines, int entries) {
    int subArrays = Math.ceilDiv(entries, subArrayCapacity(subArrayLines));
    return linesOf(headerBytes + (long) subArrays * keyBytes);
  }

  /** Returns how many lines the pointers of one sub-array take. */
  public int pointerLines(int subArrayLines) {
    return linesOf((long) subArrayCapacity(subArrayLines) * pointerBytes);
  }

  private int linesOf(long bytes) {
    return Math.toIntExact(Math.ceilDiv(bytes, lineBytes));
  }

  private static void checkAtLeast(int least, String name, int value) {
    if (value < least) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be at least " + least);
    }
  }
}
