// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The node translation table: for each node the sectors with its units, oldest first, where in them
 * these are, and what else is known of it. It is on the heap and is made anew from the sectors when
 * an index is opened.
 */
final class NodeTable {
  private static final long[] NO_RUNS = {};
  private static final char[] NO_ORDER = {};

  private long[] @Nullable [] runs = new long[16][];
  private char[] @Nullable [] orders = new char[16][];
  private @Nullable UnitOrder[] waiting = new UnitOrder[16];
  private int[] counts = new int[16];
  private int[] free = new int[16];
  private int freeCount;
  private int top;

  /** How many lists have a sector, by its page. */
  private int[] references = new int[16];

  NodeTable() {}

  void clear() {
    Arrays.fill(runs, null);
    Arrays.fill(orders, null);
    Arrays.fill(waiting, null);
    Arrays.fill(counts, 0);
    Arrays.fill(references, 0);
    freeCount = 0;
    top = 0;
  }

  /** Returns the number of nodes that were ever there; they are numbered from 1 to it. */
  int top() {
    return top;
  }

  /** Makes nodes known up to a number. */
  void extend(int node) {
    if (node >= runs.length) {
      int length = Math.max(node + 1, 2 * runs.length);
      runs = Arrays.copyOf(runs, length);
      orders = Arrays.copyOf(orders, length);
      waiting = Arrays.copyOf(waiting, length);
      counts = Arrays.copyOf(counts, length);
      free = Arrays.copyOf(free, length);
    }
    top = Math.max(top, node);
  }

  /** Takes a node that is not in use. */
  int take() {
    if (freeCount > 0) {
      return free[--freeCount];
    }
    extend(top + 1);
    return top;
  }

  /** Gives back a node that has no sectors any more. */
  void giveBack(int node) {
    counts[node] = 0;
    waiting[node] = null;
    free[freeCount++] = node;
  }

  // ---------------------------------------------------------------- sectors

  /** Returns the {@linkplain UnitRun runs} of a node, one of each of its sectors, oldest first. */
  long[] runs(int node) {
    long[] list = runs[node];
    return list == null ? NO_RUNS : list;
  }

  /**
   * Returns the slots of a node's units by the order of their keys, for the runs that are
   * scattered, one after the other; none for all others.
   */
  char[] order(int node) {
    char[] order = orders[node];
    return order == null ? NO_ORDER : order;
  }

  /**
   * Adds the newest run of a node.
   *
   * @param order the slots of its units by the order of their keys, counted from the first, or null
   *     if they are in that order
   */
  void append(int node, int sector, int first, int units, char @Nullable [] order) {
    long[] list = runs(node);
    long[] longer = Arrays.copyOf(list, list.length + 1);
    longer[list.length] = UnitRun.of(sector, first, units, order == null);
    runs[node] = longer;
    if (order != null) {
      char[] before = order(node);
      char[] joined = Arrays.copyOf(before, before.length + order.length);
      System.arraycopy(order, 0, joined, before.length, order.length);
      orders[node] = joined;
    }
  }

  /** Empties the list of a node. */
  void forgetRuns(int node) {
    runs[node] = null;
    orders[node] = null;
  }

  int references(int sector) {
    return sector < references.length ? references[sector] : 0;
  }

  /** Changes how many lists have a sector; returns how many have it now. */
  int refer(int sector, int more) {
    if (sector >= references.length) {
      references = Arrays.copyOf(references, Math.max(sector + 1, 2 * references.length));
    }
    references[sector] += more;
    return references[sector];
  }

  // ---------------------------------------------------------------- entries

  int count(int node) {
    return counts[node];
  }

  void count(int node, int count) {
    counts[node] = count;
  }

  // ---------------------------------------------------------------- buffer

  /**
   * Returns the units of a node that wait in the reservation buffer, by slots that are counted from
   * its first page on; null if there are none.
   */
  @Nullable UnitOrder waiting(int node) {
    return waiting[node];
  }

  /** Returns how many units of a node are in the reservation buffer. */
  int pending(int node) {
    UnitOrder units = waiting[node];
    return units == null ? 0 : units.count();
  }

  /** Adds a unit that is the last in the reservation buffer. */
  void addWaiting(int node, long key, int slot) {
    UnitOrder units = waiting[node];
    if (units == null) {
      units = new UnitOrder();
      waiting[node] = units;
    }
    units.add(key, slot);
  }

  /** Notes that a unit has moved within the reservation buffer, if it is known. */
  void moveWaiting(int node, long key, int from, int to) {
    UnitOrder units = node > 0 && node <= top ? waiting[node] : null;
    if (units != null) {
      units.move(key, from, to);
    }
  }

  /** Forgets the units of a node, which have left the reservation buffer. */
  void forgetWaiting(int node) {
    waiting[node] = null;
  }
}
