// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.util.Arrays;

/** Keeps the pairs that some queries find, and gives them out by the queries' numbers (4.3). */
final class OrderedOverlaps implements OverlapVisitor {
  private final int firstQuery;

  /** By query, how many values were found; then where the next one goes. */
  private final int[] places;

  private int[] queries = new int[1024];
  private long[] values = new long[1024];
  private int count;

  /** Makes room for the results of {@code count} queries from a number on. */
  OrderedOverlaps(int firstQuery, int count) {
    this.firstQuery = firstQuery;
    this.places = new int[count];
  }

  @Override
  public boolean visit(int query, long value) {
    if (count == values.length) {
      queries = Arrays.copyOf(queries, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    queries[count] = query - firstQuery;
    values[count++] = value;
    places[query - firstQuery]++;
    return true;
  }

  /** Visits all pairs; returns how many, -1 - how many if the visitor has ended it. */
  long giveTo(OverlapVisitor visitor) {
    int place = 0;
    for (int query = 0; query < places.length; query++) {
      int found = places[query];
      places[query] = place;
      place += found;
    }
    long[] sorted = new long[count];
    for (int i = 0; i < count; i++) {
      sorted[places[queries[i]]++] = values[i];
    }
    int visited = 0;
    for (int query = 0; query < places.length; query++) {
      while (visited < places[query]) {
        if (!visitor.visit(firstQuery + query, sorted[visited++])) {
          return -1L - visited;
        }
      }
    }
    return visited;
  }
}
