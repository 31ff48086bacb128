// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.IntUnaryOperator;

/**
 * Chooses the widths of nodes within a page, for the two fpB+-trees and for the B+-tree with
 * micro-indexes. All methods are pure functions and take less than a millisecond.
 *
 * <p>All pursue the goal G of fpB+ 3.1.1. Of all widths whose search takes at most {@linkplain
 * #TOLERANCE a tenth} longer than the fastest, they choose the one with the largest fan-out of a
 * page, because fan-outs determine how many pages are read, while small differences in cost are
 * less than what the model leaves out. Of equal fan-outs, they choose the fastest search; if this
 * is equal too, the narrowest nodes, in which an insert moves the fewest entries.
 *
 * <p>The model assumes that nothing is cached. Of T1 and Tnext, only the ratio matters.
 */
public final class PageOptimizer {
  /** The widest node or sub-array considered, in lines, as in fpB+ 3.1.1. */
  public static final int MAX_WIDTH = 32;

  /** The longest time that a search may take, divided by the shortest, as in fpB+ 3.1.1. */
  public static final double TOLERANCE = 1.1;

  /** A node that holds less can't be split, and an inner node does not branch. */
  private static final int MIN_CAPACITY = 2;

  private PageOptimizer() {}

  // ---------------------------------------------------------------- disk-first

  /**
   * Returns the widths for the disk-first fpB+-tree. Each pair of widths is judged by the
   * {@linkplain InPageTree#largest largest tree} that fits into the page.
   *
   * <p>In-page trees have at least two levels, so that a single leaf that leaves part of the page
   * unused does not pass for a fast tree. The tree is a single leaf, as wide as the page, only if
   * the page is too small for two levels of any widths.
   *
   * @param times latencies of memory
   * @param lines number of lines of a page, without its header
   * @param innerCapacity returns the most children of an in-page inner node of a given width in
   *     lines; 0 or 1 if that width is impossible
   * @param leafCapacity returns the most entries of an in-page leaf of a given width in lines; 0 or
   *     1 if that width is impossible
   * @throws IllegalArgumentException if no tree fits
   */
  public static DiskFirstWidths diskFirst(
      MemoryTimes times, int lines, IntUnaryOperator innerCapacity, IntUnaryOperator leafCapacity) {
    List<Candidate<DiskFirstWidths>> trees = new ArrayList<>();
    List<Candidate<DiskFirstWidths>> leaves = new ArrayList<>();
    int widestLeaf = Math.min(lines, MAX_WIDTH);
    for (int innerWidth = 1; innerWidth <= MAX_WIDTH; innerWidth++) {
      int children = innerCapacity.applyAsInt(innerWidth);
      for (int leafWidth = 1; leafWidth <= widestLeaf; leafWidth++) {
        int entries = leafCapacity.applyAsInt(leafWidth);
        if (children >= MIN_CAPACITY && entries >= MIN_CAPACITY) {
          InPageTree tree = InPageTree.largest(lines, innerWidth, children, leafWidth);
          Candidate<DiskFirstWidths> candidate =
              diskFirst(times, tree, innerWidth, leafWidth, tree.leaves() * entries);
          if (tree.levels() > 1) {
            trees.add(candidate);
          } else if (leafWidth == widestLeaf) {
            leaves.add(candidate);
          }
        }
      }
    }
    return best(trees.isEmpty() ? leaves : trees, lines);
  }

  private static Candidate<DiskFirstWidths> diskFirst(
      MemoryTimes times, InPageTree tree, int innerWidth, int leafWidth, int fanOut) {
    return new Candidate<>(
        diskFirstCost(times, tree.levels(), innerWidth, leafWidth),
        fanOut,
        ratio ->
            new DiskFirstWidths(
                tree.levels(), innerWidth, leafWidth, tree.leaves(), fanOut, ratio));
  }

  /**
   * Returns the time of a search in a page of the disk-first fpB+-tree: {@code (L - 1) (T1 + (w -
   * 1) Tnext) + T1 + (x - 1) Tnext} (fpB+ 3.1.1).
   *
   * @param times latencies of memory
   * @param levels height of the in-page tree; L
   * @param innerWidth width of its inner nodes, in lines; w
   * @param leafWidth width of its leaves, in lines; x
   */
  public static double diskFirstCost(MemoryTimes times, int levels, int innerWidth, int leafWidth) {
    return (levels - 1) * times.ofLines(innerWidth) + times.ofLines(leafWidth);
  }

  // ---------------------------------------------------------------- cache-first

  /**
   * Returns the width of the nodes of the cache-first fpB+-tree, at most that of a page.
   *
   * @param times latencies of memory
   * @param lines number of lines of a page, without its header
   * @param innerCapacity returns the most children of an inner node of a given width in lines; 0 or
   *     1 if that width is impossible
   * @param leafCapacity returns the most entries of a leaf of a given width in lines; 0 or 1 if
   *     that width is impossible
   * @throws IllegalArgumentException if no node fits
   */
  public static CacheFirstWidths cacheFirst(
      MemoryTimes times, int lines, IntUnaryOperator innerCapacity, IntUnaryOperator leafCapacity) {
    List<Candidate<CacheFirstWidths>> candidates = new ArrayList<>();
    for (int tried = 1; tried <= Math.min(lines, MAX_WIDTH); tried++) {
      int width = tried;
      int children = innerCapacity.applyAsInt(width);
      int entries = leafCapacity.applyAsInt(width);
      if (children >= MIN_CAPACITY && entries >= MIN_CAPACITY) {
        int nodes = lines / width;
        int fanOut = nodes * entries;
        candidates.add(
            new Candidate<>(
                cacheFirstCost(times, width, children),
                fanOut,
                ratio -> new CacheFirstWidths(width, nodes, fanOut, ratio)));
      }
    }
    return best(candidates, lines);
  }

  /**
   * Returns the time of a search in a cache-first fpB+-tree divided by the binary logarithm of its
   * size: {@code (T1 + (w - 1) Tnext) / log2(fan-out)}. The number of levels is the logarithm of
   * the size to the base of the fan-out; pages play no part. The paper leaves the formula to its
   * full version.
   *
   * @param times latencies of memory
   * @param width width of a node, in lines; w
   * @param innerCapacity the most children of an inner node, which is the fan-out
   */
  public static double cacheFirstCost(MemoryTimes times, int width, int innerCapacity) {
    return times.ofLines(width) / (Math.log(innerCapacity) / Math.log(2));
  }

  // ---------------------------------------------------------------- micro-indexing

  /**
   * Returns the width of the sub-arrays for the B+-tree with micro-indexes.
   *
   * @param times latencies of memory
   * @param page the layout of a page
   * @throws IllegalArgumentException if no page holds two entries
   */
  public static MicroIndexWidths microIndex(MemoryTimes times, MicroIndexPage page) {
    List<Candidate<MicroIndexWidths>> candidates = new ArrayList<>();
    for (int tried = 1; tried <= Math.min(page.lines(), MAX_WIDTH); tried++) {
      int subArrayLines = tried;
      int entries = page.entries(subArrayLines);
      if (entries >= MIN_CAPACITY) {
        candidates.add(
            new Candidate<>(
                microIndexCost(times, page, subArrayLines),
                entries,
                ratio -> new MicroIndexWidths(subArrayLines, entries, ratio)));
      }
    }
    return best(candidates, page.lines());
  }

  /**
   * Returns the time of a search in a full page with a micro-index: {@code T1 + (m - 1) Tnext} for
   * the m lines of header and micro-index, plus {@code T1 + (s + p - 1) Tnext} for the s lines of a
   * sub-array of keys and the p lines of its pointers, which are fetched together. The paper leaves
   * the formula to its full version; this one yields the numbers it prints.
   *
   * @param times latencies of memory
   * @param page the layout of a page
   * @param subArrayLines width of a sub-array of keys, in lines; s
   */
  public static double microIndexCost(MemoryTimes times, MicroIndexPage page, int subArrayLines) {
    int indexLines = page.indexLines(subArrayLines, page.entries(subArrayLines));
    return times.ofLines(indexLines)
        + times.ofLines(subArrayLines + page.pointerLines(subArrayLines));
  }

  // ---------------------------------------------------------------- the goal

  /** Widths that were tried; the result is created once the least cost is known. */
  private record Candidate<W>(double cost, int fanOut, DoubleFunction<W> ofCostRatio) {}

  /** Applies the goal G to candidates in ascending order of width. */
  private static <W> W best(List<Candidate<W>> candidates, int lines) {
    double least =
        candidates.stream()
            .mapToDouble(Candidate::cost)
            .min()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "lines is " + lines + "; no page of that size can be laid out"));
    Candidate<W> best =
        candidates.stream()
            .filter(candidate -> candidate.cost <= TOLERANCE * least)
            .sorted(
                Comparator.<Candidate<W>>comparingInt(Candidate::fanOut)
                    .reversed()
                    .thenComparingDouble(Candidate::cost))
            .findFirst()
            .orElseThrow();
    return best.ofCostRatio.apply(best.cost / least);
  }
}
