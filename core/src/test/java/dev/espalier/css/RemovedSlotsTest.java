// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.MemoryLimitException;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemovedSlotsTest {
  private static final int SLOTS = 300;

  private final MemoryBudget budget = new MemoryBudget(1 << 20);
  private final RemovedSlots removed = new RemovedSlots(budget);

  @AfterEach
  void everythingTakenIsGivenBack() {
    removed.close();
    assertEquals(0, budget.taken());
  }

  /** Few bits make stretches longer than a word; many leave gaps that are. */
  @ParameterizedTest(name = "{0} of 300 slots")
  @ValueSource(ints = {0, 1, 2, 5, 64, 150, 295, 299, 300})
  void neighboursOfEverySlotAreFoundAcrossWords(int bits) {
    BitSet model = fill(bits);
    assertEquals(bits, removed.count);
    for (int from = 0; from <= SLOTS; from++) {
      for (int end = from; end <= SLOTS; end += 7) {
        assertEquals(orEnd(model.nextSetBit(from), end), removed.next(from, end, true));
        assertEquals(Math.min(model.nextClearBit(from), end), removed.next(from, end, false));
      }
      for (int start = from; start >= 0; start -= 7) {
        int set = Math.max(model.previousSetBit(from - 1), start - 1);
        int clear = Math.max(model.previousClearBit(from - 1), start - 1);
        assertEquals(set, removed.previous(from, start, true));
        assertEquals(clear, removed.previous(from, start, false));
      }
    }
  }

  private static int orEnd(int slot, int end) {
    return slot < 0 ? end : Math.min(slot, end);
  }

  /** Sets bits in stretches, so that some words are all ones and some all zeros. */
  private BitSet fill(int bits) {
    removed.ensure(SLOTS);
    removed.reset(SLOTS);
    BitSet model = new BitSet();
    SplittableRandom random = new SplittableRandom(bits);
    while (model.cardinality() < bits) {
      int slot = random.nextInt(SLOTS);
      for (int i = 0; i < 70 && slot < SLOTS && model.cardinality() < bits; i++, slot++) {
        if (!model.get(slot)) {
          model.set(slot);
          removed.add(slot);
        }
      }
    }
    for (int slot = 0; slot < SLOTS; slot++) {
      assertEquals(model.get(slot), removed.contains(slot));
    }
    return model;
  }

  @Test
  void growingKeepsTheBits() {
    fill(150);
    removed.ensure(100_000);
    assertEquals(150, removed.count);
    assertEquals(removed.committedBytes(), budget.taken());
    long found = 0;
    for (long slot = 0; slot < SLOTS; slot++) {
      found += removed.contains(slot) ? 1 : 0;
    }
    assertEquals(150, found);
  }

  @Test
  void resetClearsEveryBit() {
    fill(SLOTS);
    removed.reset(SLOTS);
    assertEquals(0, removed.count);
    for (long slot = 0; slot < removed.bits(); slot++) {
      assertFalse(removed.contains(slot));
    }
  }

  @Test
  void refusalChangesNothing() {
    fill(SLOTS);
    long taken = budget.taken();
    assertThrows(MemoryLimitException.class, () -> removed.ensure(9L << 20));
    assertEquals(taken, budget.taken());
    assertTrue(removed.contains(SLOTS - 1));
  }
}
