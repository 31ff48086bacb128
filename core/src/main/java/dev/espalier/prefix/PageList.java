// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.support.Torn;
import java.util.Arrays;

/** Numbers of pages of a tree, or references to pieces of them. */
final class PageList {
  private final int most;
  private int[] numbers = new int[64];
  private int count;

  /** Makes an empty list, which never has more pages than {@code most}. */
  PageList(int most) {
    this.most = most;
  }

  int count() {
    return count;
  }

  int get(int i) {
    return numbers[i];
  }

  /** Adds a page; lists that grow beyond all pages there are have some twice, where pages lie. */
  void add(int number) {
    if (count == most) {
      throw Torn.torn("pages lead to more than there are");
    }
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = number;
  }

  /** Puts the numbers in ascending order. */
  void sort() {
    Arrays.sort(numbers, 0, count);
  }
}
