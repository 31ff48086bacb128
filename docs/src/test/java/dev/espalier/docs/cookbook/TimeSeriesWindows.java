// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.CompositeKey;
import dev.espalier.LongIndex;
import dev.espalier.LongNavigable;
import dev.espalier.family.Indexes;

class TimeSeriesWindows {
  public static void main(String[] args) {
    CompositeKey key = CompositeKey.of(16, 48); // a sensor and a time in seconds
    try (LongIndex readings = Indexes.create()) {
      for (int time = 0; time < 3600; time += 10) {
        for (int sensor = 1; sensor <= 3; sensor++) {
          readings.put(key.encode(sensor, time), 20 * sensor + time / 900);
        }
      }

      // A sensor's entries lie side by side, in the order of time
      for (int from = 0; from < 3600; from += 1200) {
        LongNavigable window =
            readings.subView(key.encode(2, from), true, key.encode(2, from + 1200), false);
        double average = window.valueStream().average().orElseThrow();
        System.out.println("from " + from + " s: " + average);
      }

      // What is older than the last ten minutes goes, whole leaves at a time
      long removed = 0;
      for (int sensor = 1; sensor <= 3; sensor++) {
        removed += readings.removeRange(key.least(sensor), true, key.encode(sensor, 3000), false);
      }
      System.out.println(removed + " removed, " + readings.size() + " left");
    }
  }
}
