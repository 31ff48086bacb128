// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pairs of any numbers are in the order of a comparator afterwards. */
final class PairSortTest {
  private static final Comparator<long[]> ORDER =
      Comparator.<long[]>comparingLong(pair -> pair[0]).thenComparingLong(pair -> pair[1]);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 17, 1000, 5000})
  void sortsByFirstAndThenBySecond(int count) {
    Random random = new Random(count);
    for (long bound : new long[] {1, 3, 300, 70_000, 1L << 40, Long.MAX_VALUE}) {
      long[] few = random.longs(count, -bound, bound).toArray();
      long[] any = random.longs(count).toArray();
      long[] ascending = few.clone();
      Arrays.sort(ascending);
      for (long[] first : List.of(few, any, ascending)) {
        for (long[] second : List.of(few, any, ascending)) {
          assertSorts(first, second);
        }
      }
    }
  }

  private static void assertSorts(long[] first, long[] second) {
    long[] firstBefore = first.clone();
    long[] secondBefore = second.clone();
    List<long[]> expected = new ArrayList<>();
    for (int i = 0; i < first.length; i++) {
      expected.add(new long[] {first[i], second[i]});
    }
    expected.sort(ORDER);
    PairSort sort = new PairSort(first, second);
    assertArrayEquals(firstBefore, first, "the arrays given are left as they are");
    assertArrayEquals(secondBefore, second, "the arrays given are left as they are");
    assertEquals(text(expected), text(pairs(sort, first.length)));

    TreeSet<long[]> distinct = new TreeSet<>(ORDER);
    distinct.addAll(expected);
    int kept = sort.dropEqual();
    assertEquals(text(List.copyOf(distinct)), text(pairs(sort, kept)));
  }

  private static List<long[]> pairs(PairSort sort, int count) {
    List<long[]> pairs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pairs.add(new long[] {sort.first[i], sort.second[i]});
    }
    return pairs;
  }

  private static List<String> text(List<long[]> pairs) {
    return pairs.stream().map(Arrays::toString).toList();
  }
}
