// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/** First-fit decreasing: things into few bins of one capacity. */
final class FirstFit {
  private FirstFit() {}

  /** Puts each thing, the largest first, into the first bin that has room. O(things times bins). */
  static <T> List<List<T>> pack(List<T> things, ToIntFunction<T> units, int capacity) {
    List<T> descending = new ArrayList<>(things);
    descending.sort(Comparator.comparingInt(units).reversed());
    List<List<T>> bins = new ArrayList<>();
    int[] rooms = new int[things.size()];
    for (T thing : descending) {
      int size = units.applyAsInt(thing);
      int bin = 0;
      while (bin < bins.size() && rooms[bin] < size) {
        bin++;
      }
      if (bin == bins.size()) {
        bins.add(new ArrayList<>());
        rooms[bin] = capacity;
      }
      bins.get(bin).add(thing);
      rooms[bin] -= size;
    }
    return bins;
  }
}
