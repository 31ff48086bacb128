// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * The parameters of the optimizer of fpB+ 3.1.1 for the trees of that paper. The trees of this
 * library differ slightly and know their own nodes.
 *
 * <p>The paper states the sizes of keys and pointers (4.1), but not those of headers. The sizes
 * used here reproduce its table 2. The header of a page takes one line. That of a leaf may have 1
 * to 8 bytes; 8 hold a count and the page and offset of the next leaf. That of an in-page inner
 * node has at most 4 bytes. That of an inner node of the cache-first tree has 5 to 14 bytes,
 * according to the example of fpB+ 3.2.2, which has 69 children in 704 bytes. That of a page with a
 * micro-index has 5 to 8 bytes.
 *
 * @param times T1 and Tnext, in any unit
 * @param lineBytes size of a cache line, in bytes
 * @param pageBytes size of a page, in bytes: at least two whole lines
 * @param keyBytes size of a key, in bytes, at most a line
 * @param pointerBytes size of a page id and of a tuple id, in bytes
 * @param offsetBytes size of an offset within a page, in bytes; offsets count lines
 */
public record PageParameters(
    MemoryTimes times,
    int lineBytes,
    int pageBytes,
    int keyBytes,
    int pointerBytes,
    int offsetBytes) {

  /** Header of a leaf, and of an inner node of the cache-first tree. */
  private static final int NODE_HEADER_BYTES = 8;

  /** Header of an inner node of the disk-first tree, which needs no more than its count. */
  private static final int IN_PAGE_INNER_HEADER_BYTES = 4;

  /** Header of a page with a micro-index, which shares a line with the micro-index. */
  private static final int MICRO_INDEX_HEADER_BYTES = 8;

  /** Header of a page of the fpB+-trees, whose nodes begin at a line. */
  private static final int PAGE_HEADER_LINES = 1;

  /**
   * Checks the parameters.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public PageParameters {
    checkPositive("lineBytes", lineBytes);
    checkPositive("keyBytes", keyBytes);
    checkPositive("pointerBytes", pointerBytes);
    checkPositive("offsetBytes", offsetBytes);
    if (keyBytes > lineBytes) {
      throw new IllegalArgumentException(
          "keyBytes is " + keyBytes + "; it must be at most a line, " + lineBytes + " bytes");
    }
    if (pageBytes % lineBytes != 0 || pageBytes / lineBytes < 2) {
      throw new IllegalArgumentException(
          "pageBytes is "
              + pageBytes
              + "; it must be two or more whole lines of "
              + lineBytes
              + " bytes");
    }
    if (offsetBytes < Integer.BYTES && pageBytes / lineBytes > 1 << (offsetBytes * Byte.SIZE)) {
      throw new IllegalArgumentException(
          "offsetBytes is "
              + offsetBytes
              + "; it is too small to count the "
              + pageBytes / lineBytes
              + " lines of a page");
    }
  }

  private static void checkPositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be positive");
    }
  }

  /**
   * Returns the parameters of table 2 of the paper, for one of its page sizes or any other.
   *
   * @param pageBytes size of a page, in bytes
   */
  public static PageParameters ofTable2(int pageBytes) {
    return new PageParameters(new MemoryTimes(150, 10), 64, pageBytes, 4, 4, 2);
  }

  /** Returns the best widths for the disk-first fpB+-tree. */
  public DiskFirstWidths diskFirst() {
    return PageOptimizer.diskFirst(
        times, linesForNodes(), this::inPageInnerCapacity, this::leafCapacity);
  }

  /** Returns the best width for the cache-first fpB+-tree. */
  public CacheFirstWidths cacheFirst() {
    return PageOptimizer.cacheFirst(
        times, linesForNodes(), this::cacheFirstInnerCapacity, this::leafCapacity);
  }

  /** Returns the best width of sub-arrays for the B+-tree with micro-indexes. */
  public MicroIndexWidths microIndex() {
    return PageOptimizer.microIndex(times, microIndexPage());
  }

  /** Returns the number of lines of a page after its header. */
  public int linesForNodes() {
    return pageBytes / lineBytes - PAGE_HEADER_LINES;
  }

  /**
   * Returns the most children of an in-page inner node of the disk-first tree, whose pointers are
   * offsets.
   */
  public int inPageInnerCapacity(int width) {
    return capacity(width, IN_PAGE_INNER_HEADER_BYTES, offsetBytes);
  }

  /**
   * Returns the most children of an inner node of the cache-first tree, whose pointers are page ids
   * with offsets.
   */
  public int cacheFirstInnerCapacity(int width) {
    return capacity(width, NODE_HEADER_BYTES, pointerBytes + offsetBytes);
  }

  /** Returns the most entries of a leaf of either fpB+-tree. */
  public int leafCapacity(int width) {
    return capacity(width, NODE_HEADER_BYTES, pointerBytes);
  }

  private int capacity(int width, int headerBytes, int bytesPerKey) {
    return Math.max(0, width * lineBytes - headerBytes) / (keyBytes + bytesPerKey);
  }

  /** Returns the layout of a page with a micro-index. */
  public MicroIndexPage microIndexPage() {
    return new MicroIndexPage(
        pageBytes / lineBytes, lineBytes, MICRO_INDEX_HEADER_BYTES, keyBytes, pointerBytes);
  }
}
