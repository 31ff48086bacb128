// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import java.util.Arrays;

/**
 * The node translation table: for each node the sectors with its units, oldest first, and what else
 * is known of it. It is on the heap and is made anew from the sectors when an index is opened.
 */
final class NodeTable {
  private static final int[] NONE = {};

  private int[][] sectors = new int[16][];
  private int[] counts = new int[16];
  private int[] pending = new int[16];
  private int[] free = new int[16];
  private int freeCount;
  private int top;

  /** How many lists have a sector, by its page. */
  private int[] references = new int[16];

  NodeTable() {}

  void clear() {
    Arrays.fill(sectors, null);
    Arrays.fill(counts, 0);
    Arrays.fill(pending, 0);
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
    if (node >= sectors.length) {
      int length = Math.max(node + 1, 2 * sectors.length);
      sectors = Arrays.copyOf(sectors, length);
      counts = Arrays.copyOf(counts, length);
      pending = Arrays.copyOf(pending, length);
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
    pending[node] = 0;
    free[freeCount++] = node;
  }

  int[] sectors(int node) {
    int[] list = sectors[node];
    return list == null ? NONE : list;
  }

  void sectors(int node, int[] list) {
    sectors[node] = list;
  }

  void append(int node, int sector) {
    int[] list = sectors(node);
    int[] longer = Arrays.copyOf(list, list.length + 1);
    longer[list.length] = sector;
    sectors[node] = longer;
  }

  int count(int node) {
    return counts[node];
  }

  void count(int node, int count) {
    counts[node] = count;
  }

  /** Returns how many units of a node are in the reservation buffer. */
  int pending(int node) {
    return pending[node];
  }

  void pending(int node, int units) {
    pending[node] = units;
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
}
