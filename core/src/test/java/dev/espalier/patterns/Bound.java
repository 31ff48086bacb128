// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import dev.espalier.LongIndex;

/**
 * Passes calls on to an index, and adds up the lines that they need: a call descends, shifts what
 * comes after its entry in a leaf, visits the entries of a scan, and gives back the leaves of a
 * range.
 */
final class Bound implements PatternTarget {
  /** The logarithm of a million, to the base of 2: what the trees of the tests do not exceed. */
  private static final int DESCENT_LINES = 20;

  /** Key and value may be in lines of their own. */
  private static final int VISIT_LINES = 2;

  private final LongIndex index;
  private final PatternTarget target;
  private final int movedLines;
  private final int nodeLines;
  private long lines;

  /**
   * Takes an index.
   *
   * @param movedLines what moves for an insert
   * @param nodeLines of a leaf that a range leaves
   */
  Bound(LongIndex index, int movedLines, int nodeLines) {
    this.index = index;
    this.target = new IndexTarget(index);
    this.movedLines = movedLines;
    this.nodeLines = nodeLines;
  }

  /** Returns the lines that all calls until now need. */
  long lines() {
    return lines;
  }

  @Override
  public long get(long key) {
    lines += DESCENT_LINES + VISIT_LINES;
    return target.get(key);
  }

  @Override
  public void put(long key, long value) {
    lines += DESCENT_LINES + movedLines;
    target.put(key, value);
  }

  @Override
  public void remove(long key) {
    lines += DESCENT_LINES + movedLines;
    target.remove(key);
  }

  @Override
  public long first() {
    lines += DESCENT_LINES + VISIT_LINES;
    return target.first();
  }

  @Override
  public long scan(long from, int count) {
    lines += DESCENT_LINES + (long) VISIT_LINES * count;
    return target.scan(from, count);
  }

  /**
   * At each end of a range, a leaf and its neighbour are read and written. A line for each entry is
   * more than what leaves between them need, and less than any removal of one entry.
   */
  @Override
  public void removeRange(long from, long to) {
    lines += 2 * (DESCENT_LINES + 4 * nodeLines) + index.removeRange(from, true, to, false);
  }

  /** Checks that the index is whole. */
  void verify() {
    index.verify();
  }

  @Override
  public void close() {
    index.close();
  }
}
