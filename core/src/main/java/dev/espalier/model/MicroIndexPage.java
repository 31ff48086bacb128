// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * A page with a micro-index (fpB+ 4.1): header and micro-index, one behind the other; the keys; the
 * pointers. Keys and pointers begin at a line, and so does each sub-array of keys. The micro-index
 * has the first key of every sub-array.
 *
 * @param lines lines of the page
 * @param lineBytes size of a cache line
 * @param headerBytes size of the header
 * @param keyBytes size of a key, at most a line
 * @param pointerBytes size of a pointer or value
 */
public record MicroIndexPage(
    int lines, int lineBytes, int headerBytes, int keyBytes, int pointerBytes) {

  /** Checks the parts. */
  public MicroIndexPage {
    checkAtLeast(1, "lines", lines);
    checkAtLeast(1, "lineBytes", lineBytes);
    checkAtLeast(0, "headerBytes", headerBytes);
    checkAtLeast(1, "keyBytes", keyBytes);
    checkAtLeast(1, "pointerBytes", pointerBytes);
    if (keyBytes > lineBytes) {
      throw new IllegalArgumentException(
          "keyBytes is " + keyBytes + "; a line of " + lineBytes + " bytes must hold a key");
    }
  }

  /** Returns the keys of a sub-array of so many lines. */
  public int subArrayCapacity(int subArrayLines) {
    checkAtLeast(1, "subArrayLines", subArrayLines);
    return Math.toIntExact((long) subArrayLines * lineBytes / keyBytes);
  }

  /**
   * Returns the most entries that fit, 0 if none do: those whose header, micro-index, keys and
   * pointers, each rounded up to whole lines, are no more than the page.
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

  /** Returns the lines of header and micro-index over so many entries: the keys begin there. */
  public int indexLines(int subArrayLines, int entries) {
    int subArrays = Math.ceilDiv(entries, subArrayCapacity(subArrayLines));
    return linesOf(headerBytes + (long) subArrays * keyBytes);
  }

  /** Returns the lines of the pointers that belong to the keys of one sub-array. */
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
