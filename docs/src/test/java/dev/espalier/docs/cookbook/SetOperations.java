// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import java.util.stream.LongStream;

class SetOperations {
  private static LongIndex setOf(LongStream members) {
    LongIndex set = Indexes.create();
    members.forEach(member -> set.set(member, 0));
    return set;
  }

  public static void main(String[] args) {
    try (LongIndex evens = setOf(LongStream.range(0, 100_000).map(i -> 2 * i));
        LongIndex squares = setOf(LongStream.range(0, 400).map(i -> i * i))) {
      // The smaller set asks the larger one
      System.out.println("both: " + squares.keyStream().filter(evens::containsKey).count());

      // Streams of keys are sorted, and parallel() divides them
      LongStream rest = evens.keyStream().parallel().filter(key -> !squares.containsKey(key));
      System.out.println("even, no square: " + rest.count());

      LongStream odd = squares.keyStream().filter(key -> !evens.containsKey(key));
      System.out.println("either: " + LongStream.concat(evens.keyStream(), odd).count());

      LongStream some = squares.subView(100, true, 400, true).keyStream();
      System.out.println(some.filter(key -> !evens.containsKey(key)).boxed().toList());
    }
  }
}
