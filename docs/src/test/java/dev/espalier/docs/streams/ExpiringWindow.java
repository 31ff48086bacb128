// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.streams;

import dev.espalier.CompositeKey;
import dev.espalier.LongIndex;
import dev.espalier.LongNavigable;
import dev.espalier.family.Indexes;

class ExpiringWindow {
  private static final CompositeKey KEY = CompositeKey.of(40, 24); // a time and a number
  private static final long LENGTH = 60;

  public static void main(String[] args) {
    try (LongIndex window = Indexes.create()) {
      for (long event = 0; event < 10_000; event++) {
        long time = event / 40; // 40 events a second
        window.put(KEY.encode(time, event), event % 7);
        if (event % 1000 == 999) { // now and then, since what is removed at once costs least
          window.removeRange(Long.MIN_VALUE, true, KEY.least(time - LENGTH), false);
        }
        if (event % 3000 == 2999) {
          LongNavigable last = window.tailView(KEY.encode(time - LENGTH, 0), true);
          System.out.println(
              time + " s: " + last.size() + " events, sum " + last.valueStream().sum());
        }
      }
    }
  }
}
