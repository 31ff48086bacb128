// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.family.Indexes;
import java.util.stream.LongStream;

class Counters {
  private static long steps(long number) {
    return number == 1 ? 0 : 1 + steps(number % 2 == 0 ? number / 2 : 3 * number + 1);
  }

  public static void main(String[] args) {
    try (ConcurrentLongIndex counters = Indexes.create()) {
      // How many steps by Collatz's rule lead to 1, counted by many threads
      LongStream numbers = LongStream.rangeClosed(1, 10_000).parallel();
      numbers.forEach(number -> counters.addTo(steps(number), 1));
      System.out.println(counters.valueStream().sum() + " numbers");
      System.out.println("at most " + counters.lastKey() + " steps");
      System.out.println(counters.headView(5, true).valueStream().sum() + " in up to 5 steps");
    }
  }
}
