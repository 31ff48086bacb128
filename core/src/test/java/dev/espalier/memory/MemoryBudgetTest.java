// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class MemoryBudgetTest {
  private final MemoryBudget budget = new MemoryBudget(100);

  @Test
  void nothingIsTakenAtFirst() {
    assertState(0, 100);
  }

  @Test
  void allThatIsLeftMayBeTaken() {
    budget.check(100);
    budget.count(100);
    assertState(100, 0);
  }

  @Test
  void oneByteMoreThanIsLeftIsRefused() {
    assertRefused(101, 101);
    budget.count(60);
    budget.check(40);
    assertRefused(41, 101);
    budget.count(40);
    assertRefused(1, 101);
  }

  @Test
  void checkTakesNothing() {
    budget.count(10);
    budget.check(90);
    assertRefused(91, 101);
    assertState(10, 90);
    budget.check(90);
  }

  @Test
  void partsShareWhatIsLeft() {
    budget.count(30);
    budget.count(50);
    assertState(80, 20);
    budget.count(20);
    assertState(100, 0);
  }

  @Test
  void whatIsGivenBackCanBeTakenAgain() {
    budget.count(70);
    budget.count(30);
    budget.count(-70);
    assertState(30, 70);
    budget.check(70);
    assertRefused(71, 101);
    budget.count(-30);
    assertState(0, 100);
  }

  @Test
  void nothingMoreAndLessAreAlwaysAllowed() {
    budget.count(100);
    assertDoesNotThrow(() -> budget.check(0));
    assertDoesNotThrow(() -> budget.check(-1));
    assertState(100, 0);
  }

  /** What is counted without a check, because it is there already. */
  @Test
  void budgetThatIsExceededRefusesEvenNothingMore() {
    budget.count(103);
    assertState(103, -3);
    assertRefused(0, 103);
    assertRefused(-2, 101);
    budget.check(-3);
  }

  @Test
  void needBeyondAllNumbersIsRefused() {
    budget.count(10);
    assertThrows(MemoryLimitException.class, () -> budget.check(Long.MAX_VALUE));
    MemoryBudget largest = new MemoryBudget(Long.MAX_VALUE);
    largest.count(Long.MAX_VALUE - 1);
    largest.check(1);
    assertThrows(MemoryLimitException.class, () -> largest.check(2));
  }

  @Test
  void clearGivesAllBackWhateverWasCounted() {
    budget.count(40);
    budget.clear();
    assertState(0, 100);
    budget.count(-7); // Given back twice.
    budget.clear();
    assertState(0, 100);
    budget.check(100);
    assertRefused(101, 101);
  }

  private void assertState(long taken, long left) {
    assertEquals(taken, budget.taken());
    assertEquals(left, budget.left());
  }

  private void assertRefused(long more, long needed) {
    long before = budget.taken();
    String message =
        assertThrows(MemoryLimitException.class, () -> budget.check(more)).getMessage();
    assertEquals(
        "the index needs " + needed + " bytes of native memory, but its limit is 100", message);
    assertEquals(before, budget.taken());
  }
}
