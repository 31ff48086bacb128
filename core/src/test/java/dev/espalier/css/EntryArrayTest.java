// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.css.EntryArray.Arrangement;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fallback-too")
class EntryArrayTest {
  private static final int PADDING = 9;
  private static final long LIMIT = 8 << 20;

  private final MemoryBudget budget = new MemoryBudget(LIMIT);
  private final EntryArray columns =
      new EntryArray(budget, HugePages.OFF, Arrangement.COLUMNS, PADDING);

  @AfterEach
  void everythingTakenIsGivenBack() {
    columns.close();
    assertEquals(0, budget.taken());
  }

  @Test
  void roomForEntriesIsAccountedForBeforeTheyAreThere() {
    for (long entries : new long[] {10, 1_000, 100_000, 200_000, 300_000}) {
      columns.ensure(entries);
      assertTrue(columns.capacity() >= entries);
      assertTrue(columns.committedBytes() >= 16 * entries, entries + " entries");
      assertEquals(columns.committedBytes(), budget.taken());
    }
  }

  @Test
  void growingMovesBothColumnsAndThePadding() {
    for (long slot = 0; slot < 200_000; slot++) {
      columns.ensure(slot + 1);
      columns.insert(slot, slot, ~slot);
    }
    for (long slot = 0; slot < 200_000; slot++) {
      assertEquals(slot, columns.key(slot));
      assertEquals(~slot, columns.value(slot));
    }
    for (int i = 0; i < PADDING; i++) {
      assertEquals(Keys.PADDING, columns.key(200_000 + i));
    }
  }

  @Test
  void pairsLieFourToALineAndMoveTogether() {
    EntryArray pairs = new EntryArray(budget, HugePages.OFF, Arrangement.PAIRS, 1);
    for (long slot = 0; slot < 100_000; slot++) {
      pairs.ensure(slot + 1);
      pairs.insert(slot, slot, ~slot);
    }
    assertEquals(8, pairs.valuesOffset);
    assertEquals(0, pairs.memory.address() % 64);
    assertEquals(5, Words.getLong(pairs.memory, 16 * 5));
    assertEquals(~5, Words.getLong(pairs.memory, 16 * 5 + 8));
    pairs.remove(3);
    pairs.insert(70, -1, -2);
    assertEquals(4, pairs.key(3));
    assertEquals(~4, pairs.value(3));
    assertEquals(-1, pairs.key(70));
    assertEquals(-2, pairs.value(70));
    assertEquals(99_999, pairs.key(99_999));
    assertEquals(~99_999, pairs.value(99_999));
    assertEquals(Keys.PADDING, pairs.key(100_000));
    pairs.close();
  }

  @Test
  void refusalChangesNothing() {
    columns.ensure(100_000);
    columns.insert(0, 7, 70);
    long taken = budget.taken();
    assertThrows(MemoryLimitException.class, () -> columns.ensure(LIMIT / 16));
    assertEquals(taken, budget.taken());
    assertEquals(7, columns.key(0));
    assertEquals(70, columns.value(0));
    assertEquals(Keys.PADDING, columns.key(1));
  }

  @Test
  void growingEntryByEntryTakesFewSteps() {
    int moves = 0;
    long capacity = columns.capacity();
    for (long entries = 1; entries < LIMIT / 17; entries++) {
      columns.ensure(entries);
      if (columns.capacity() != capacity) {
        moves++;
        capacity = columns.capacity();
      }
    }
    assertTrue(moves > 1 && moves < 60, moves + " moves");
  }
}
