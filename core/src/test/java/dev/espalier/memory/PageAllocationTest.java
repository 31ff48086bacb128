// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fallback-too")
class PageAllocationTest {
  private final PageAllocation numbers = new PageAllocation();

  private int take() {
    int page = numbers.next();
    numbers.take(page, 1);
    return page;
  }

  private int take(int count) {
    int first = numbers.next(count);
    numbers.take(first, count);
    return first;
  }

  private void giveBack(int first, int count) {
    for (int page = first; page < first + count; page++) {
      numbers.giveBack(page);
    }
  }

  @Test
  void singlePagesAreGivenOutAgainTheLastOneTakenBackFirst() {
    for (int page = 1; page <= 5; page++) {
      assertEquals(page, take());
    }
    numbers.giveBack(2);
    numbers.giveBack(4);
    numbers.giveBack(1);
    assertEquals(2, numbers.inUse());
    assertEquals(List.of(1, 4, 2, 6), List.of(take(), take(), take(), take()));
  }

  @Test
  void askingForTheNextPageTakesNothing() {
    assertEquals(1, numbers.next());
    assertEquals(1, numbers.next(7));
    assertEquals(1, numbers.next());
    assertEquals(0, numbers.top());
    assertEquals(0, numbers.inUse());
    assertFalse(numbers.isInUse(1));
  }

  @Test
  void rowGoesIntoTheFirstGapThatIsWideEnough() {
    take(20);
    giveBack(3, 2);
    giveBack(8, 4);
    giveBack(14, 3);
    assertEquals(8, take(3));
    assertEquals(14, take(3));
    assertEquals(3, take(2));
    assertEquals(21, take(2));
    assertEquals(11, take(1));
    assertEquals(22, numbers.inUse());
    assertEquals(22, numbers.top());
  }

  @Test
  void gapAtTheEndIsContinuedBehindIt() {
    take(10);
    giveBack(8, 3);
    assertEquals(8, take(5));
    assertEquals(12, numbers.top());
    assertEquals(12, numbers.inUse());
  }

  @Test
  void pageOfARowIsNotGivenOutOnceMore() {
    take(6);
    giveBack(2, 4);
    assertEquals(2, take(3));
    assertEquals(5, take());
    assertEquals(7, take());
    assertEquals(7, numbers.inUse());
  }

  @Test
  void pageTakenBackTwiceIsInTheListOfFreePagesOnce() {
    take(4);
    giveBack(1, 3);
    assertEquals(1, take(2));
    numbers.giveBack(2);
    numbers.giveBack(1);
    assertArrayEquals(new int[] {3, 2, 1}, numbers.freePages());
    assertEquals(List.of(1, 2, 3, 5), List.of(take(), take(), take(), take()));
    assertArrayEquals(new int[0], numbers.freePages());
  }

  @Test
  void stackOfFreePagesStaysSmallHoweverOftenExtentsComeAndGo() {
    take(8);
    for (int i = 0; i < 10_000; i++) {
      giveBack(1, 8);
      assertEquals(1, take(8));
    }
    giveBack(1, 8);
    assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6, 7, 8}, numbers.freePages());
    assertEquals(8, numbers.top());
  }

  @Test
  void largestGapCountsWhatWasNeverGivenOut() {
    assertEquals(10, numbers.largestGap(10));
    take(8);
    assertEquals(2, numbers.largestGap(10));
    giveBack(2, 3);
    assertEquals(3, numbers.largestGap(10));
    assertEquals(4, numbers.largestGap(12));
    giveBack(7, 2);
    assertEquals(4, numbers.largestGap(10));
    take(2);
    assertEquals(2, numbers.largestGap(8));
    take(2);
    take();
    assertEquals(0, numbers.largestGap(8));
  }

  @Test
  void pageNotInUseIsNotTakenBack() {
    take(3);
    numbers.giveBack(2);
    for (int page : new int[] {2, 0, -1, 4, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertFalse(numbers.isInUse(page));
      assertThrows(IllegalStateException.class, () -> numbers.giveBack(page));
    }
    assertEquals(2, numbers.inUse());
  }

  @Test
  void freePagesMakeAnotherThatGivesOutTheSame() {
    take(30);
    giveBack(5, 3);
    numbers.giveBack(20);
    assertEquals(5, take(2));
    PageAllocation again = new PageAllocation(numbers.top(), numbers.freePages());
    assertEquals(numbers.inUse(), again.inUse());
    assertEquals(20, again.next());
    assertEquals(7, again.next(1));
    assertEquals(31, again.next(2));
    assertArrayEquals(numbers.freePages(), again.freePages());
  }

  @Test
  void clearBeginsAnew() {
    take(5);
    giveBack(2, 2);
    numbers.clear();
    assertEquals(0, numbers.inUse());
    assertEquals(0, numbers.top());
    assertArrayEquals(new int[0], numbers.freePages());
    assertEquals(1, take());
    assertEquals(2, take(3));
  }

  @Test
  void behavesAsAListAndASetOfBits() {
    for (int seed = 0; seed < 20; seed++) {
      numbers.clear();
      new Model(seed).run();
    }
  }

  /** What {@link PageAllocation} promises, said simply. */
  private final class Model {
    private final Random random;
    private final BitSet used = new BitSet();

    /** Free pages, the one taken back last at the end. */
    private final List<Integer> free = new ArrayList<>();

    private int top;

    Model(int seed) {
      random = new Random(seed);
    }

    void run() {
      for (int i = 0; i < 600; i++) {
        switch (random.nextInt(i < 300 ? 4 : 6)) {
          case 0 -> takeOne();
          case 1, 2 -> takeRow(1 + random.nextInt(8));
          default -> giveOneBack();
        }
        assertEquals(used.cardinality(), numbers.inUse());
        assertEquals(top, numbers.top());
      }
      assertArrayEquals(free.stream().mapToInt(page -> page).toArray(), numbers.freePages());
      for (int page = -1; page <= top + 1; page++) {
        assertEquals(page > 0 && used.get(page), numbers.isInUse(page));
      }
    }

    private void takeOne() {
      int expected = free.isEmpty() ? top + 1 : free.getLast();
      assertEquals(expected, take());
      use(expected, 1);
    }

    private void takeRow(int count) {
      int first = 1;
      while (!used.get(first, first + count).isEmpty()) {
        first++;
      }
      int most = top + random.nextInt(10);
      assertEquals(largestGap(most), numbers.largestGap(most));
      assertEquals(first, take(count));
      use(first, count);
    }

    private int largestGap(int most) {
      int largest = 0;
      int gap = 0;
      for (int page = 1; page <= most; page++) {
        gap = used.get(page) ? 0 : gap + 1;
        largest = Math.max(largest, gap);
      }
      return largest;
    }

    private void use(int first, int count) {
      assertTrue(used.get(first, first + count).isEmpty());
      used.set(first, first + count);
      free.removeIf(page -> used.get(page));
      top = Math.max(top, first + count - 1);
    }

    private void giveOneBack() {
      if (used.isEmpty()) {
        return;
      }
      int page = used.nextSetBit(random.nextInt(used.length()));
      numbers.giveBack(page);
      used.clear(page);
      free.add(page);
    }
  }
}
