// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.css.EntryArray.Arrangement;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.MemoryLimitException;
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
