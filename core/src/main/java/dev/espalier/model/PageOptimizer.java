// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.IntUnaryOperator;

/**
 * Chooses the widths within a page: for the two fpB+-trees, and for the tree with micro-indices.
 * Pure functions, which take less than a millisecond.
 *
 * <p>All follow the goal G of fpB+ 3.1.1. Every width is tried; of those whose search takes at most
 * {@linkplain #TOLERANCE a tenth} longer than the fastest, the one with the largest fan-out of a
 * page is taken: fan-outs decide how many pages are read, while small differences of cost vanish
 * beside what the model leaves out. Among equal fan-outs the fastest search is taken, which costs
 * nothing then; among equals in both, the narrowest nodes, where an insert moves the fewest
 * entries.
 *
 * <p>Nothing is taken to be cached, and of T1 and Tnext only the ratio counts.
 */
public final class PageOptimizer {
  /** The widest node or sub-array that is tried, in lines; as in fpB+ 3.1.1. */
  public static final int MAX_WIDTH = 32;

  /** The longest time that a search may take, by the least; as in fpB+ 3.1.1. */
  public static final double TOLERANCE = 1.1;

  /** A node that holds less can't be split, and an inner node does not branch. */
  private static final int MIN_CAPACITY = 2;

  private PageOptimizer() {}

  // ---------------------------------------------------------------- disk-first

  /**
   * Returns the widths for the disk-first fpB+-tree. Each pair of them is taken with the
   * {@linkplain InPageTree#largest largest tree} that fits: the one that uses the page best.
   *
   * <p>In-page trees have two levels at least: a single leaf that leaves room unused must not pass
   * for a fast tree. Only in a page too small for two levels of whatever widths, the tree is one
   * leaf, as wide as the page.
   *
   * @param lines lines of a page, without its header
   * @param innerCapacity the most children of an in-page inner node of a width in lines; 0 or 1 if
   *     none can have that width
   * @param leafCapacity the most entries of an in-page leaf of a width in lines; 0 or 1 if none can
   *     have that width
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
   * @param levels height of the in-page tree; L
   * @param innerWidth lines of its inner nodes; w
   * @param leafWidth lines of its leaves; x
   */
  public static double diskFirstCost(MemoryTimes times, int levels, int innerWidth, int leafWidth) {
    return (levels - 1) * times.ofLines(innerWidth) + times.ofLines(leafWidth);
  }

  // ---------------------------------------------------------------- cache-first

  /**
   * Returns the width of all nodes for the cache-first fpB+-tree, at most that of a page.
   *
   * @param lines lines of a page, without its header
   * @param innerCapacity the most children of an inner node of a width in lines; 0 or 1 if none can
   *     have that width
   * @param leafCapacity the most entries of a leaf of a width in lines; 0 or 1 if none can have
   *     that width
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
   * Returns the time of a search in a cache-first fpB+-tree, by the logarithm of its size to base
   * 2: {@code (T1 + (w - 1) Tnext) / log2(fan-out)}. The tree has a level for each logarithm of its
   * size to the base of the fan-out, and pages do not matter. The paper leaves the formula to its
   * full version.
   *
   * @param width lines of a node; w
   * @param innerCapacity the most children of an inner node: the fan-out
   */
  public static double cacheFirstCost(MemoryTimes times, int width, int innerCapacity) {
    return times.ofLines(width) / (Math.log(innerCapacity) / Math.log(2));
  }

  // ---------------------------------------------------------------- micro-indexing

  /**
   * Returns the width of the sub-arrays for a tree with micro-indices.
   *
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
   * the m lines of header and micro-index, then {@code T1 + (s + p - 1) Tnext} for the s lines of a
   * sub-array of keys and the p lines of its pointers, which are asked for together. The paper
   * leaves the formula to its full version; this one gives what it prints.
   *
   * @param subArrayLines lines of a sub-array of keys; s
   */
  public static double microIndexCost(MemoryTimes times, MicroIndexPage page, int subArrayLines) {
    int indexLines = page.indexLines(subArrayLines, page.entries(subArrayLines));
    return times.ofLines(indexLines)
        + times.ofLines(subArrayLines + page.pointerLines(subArrayLines));
  }

  // ---------------------------------------------------------------- the goal

  /** Widths that were tried; what they are is made once the least cost is known. */
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
