// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

/**
 * What the optimizer of fpB+ 3.1.1 is fed with, to lay out the trees of that paper rather than
 * those of this library, which know their own nodes.
 *
 * <p>The paper tells the sizes of keys and pointers (4.1) but not those of headers. The headers
 * here are those with which its table 2 comes out. A header of a page takes one line. One of a leaf
 * may have 1 to 8 bytes: 8 have room for a count and for the next leaf's page and offset. One of an
 * in-page inner node has at most 4. One of an inner node of the cache-first tree has 5 to 14, as
 * the example of fpB+ 3.2.2 shows, which has 69 children in 704 bytes. One of a page with
 * micro-index has 5 to 8.
 *
 * @param times T1 and Tnext, in any unit
 * @param lineBytes size of a cache line
 * @param pageBytes size of a page, in whole lines, two at least
 * @param keyBytes size of a key, at most a line
 * @param pointerBytes size of a page id and of a tuple id
 * @param offsetBytes size of an offset in a page, which counts lines
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

  /** Checks the parts. */
  public PageParameters {
    checkPositive("lineBytes", lineBytes);
    checkPositive("keyBytes", keyBytes);
    checkPositive("pointerBytes", pointerBytes);
    checkPositive("offsetBytes", offsetBytes);
    if (keyBytes > lineBytes) {
      throw new IllegalArgumentException(
          "keyBytes is " + keyBytes + "; a line of " + lineBytes + " bytes must hold a key");
    }
    if (pageBytes % lineBytes != 0 || pageBytes / lineBytes < 2) {
      throw new IllegalArgumentException(
          "pageBytes is " + pageBytes + "; it must be two lines of " + lineBytes + " or more");
    }
    if (offsetBytes < Integer.BYTES && pageBytes / lineBytes > 1 << (offsetBytes * Byte.SIZE)) {
      throw new IllegalArgumentException(
          "offsetBytes is " + offsetBytes + "; it can't tell " + pageBytes / lineBytes + " lines");
    }
  }

  private static void checkPositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be positive");
    }
  }

  /** Returns the setting of table 2 for one of its page sizes, or any other. */
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

  /** Returns the best width of sub-arrays for the tree with micro-indices. */
  public MicroIndexWidths microIndex() {
    return PageOptimizer.microIndex(times, microIndexPage());
  }

  /** Returns the lines of a page behind its header. */
  public int linesForNodes() {
    return pageBytes / lineBytes - PAGE_HEADER_LINES;
  }

  /** Returns the most children of an inner node of the disk-first tree: offsets of one page. */
  public int inPageInnerCapacity(int width) {
    return capacity(width, IN_PAGE_INNER_HEADER_BYTES, offsetBytes);
  }

  /** Returns the most children of an inner node of the cache-first tree: page ids and offsets. */
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
