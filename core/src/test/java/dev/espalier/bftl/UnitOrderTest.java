// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fallback-exhaustive")
class UnitOrderTest {
  private record Unit(long key, int slot) {}

  private static void assertHas(List<Unit> units, UnitOrder order) {
    List<Unit> sorted = new ArrayList<>(units);
    sorted.sort(Comparator.comparingLong(Unit::key).thenComparingInt(Unit::slot));
    assertEquals(sorted.size(), order.count());
    for (int place = 0; place < sorted.size(); place++) {
      assertEquals(sorted.get(place), new Unit(order.key(place), order.slot(place)));
    }
    for (long key = -1; key <= 21; key++) {
      long most = key;
      assertEquals(sorted.stream().filter(unit -> unit.key <= most).count(), order.upTo(key));
    }
  }

  @Test
  void unitsAreByKeyAndThenByTurn() {
    SplittableRandom random = new SplittableRandom(4);
    UnitOrder order = new UnitOrder();
    List<Unit> units = new ArrayList<>();
    for (int slot = 0; slot < 300; slot++) {
      Unit unit = new Unit(random.nextInt(20), slot);
      units.add(unit);
      order.add(unit.key, slot);
      assertHas(units, order);
    }
    assertEquals(0, order.firstSlot());
    int[] turn = order.inTurn();
    char[] slots = order.toArray();
    for (int i = 0; i < 300; i++) {
      assertEquals(i, turn[i]);
      assertEquals(order.slot(i), slots[i]);
    }
  }

  @Test
  void unitsMoveUpInTurn() {
    UnitOrder order = new UnitOrder();
    int[] slots = {3, 5, 6, 9};
    for (int slot : slots) {
      order.add(7, slot);
    }
    assertEquals(3, order.firstSlot());
    for (int i = 0; i < slots.length; i++) {
      order.move(7, slots[i], i);
    }
    order.move(7, 11, 20);
    order.move(8, 0, 20);
    assertHas(List.of(new Unit(7, 0), new Unit(7, 1), new Unit(7, 2), new Unit(7, 3)), order);
    assertArrayEquals(new int[] {0, 1, 2, 3}, order.inTurn());
  }

  @Test
  void aRunTellsSectorAndSlots() {
    int[] numbers = {0, 1, 2729, (1 << 15) - 1};
    for (int sector : new int[] {1, 77, Integer.MAX_VALUE}) {
      for (int first : numbers) {
        for (int units : numbers) {
          long run = UnitRun.of(sector, first, units, true);
          long scattered = UnitRun.of(sector, first, units, false);
          assertTrue(UnitRun.isInOrder(run));
          assertFalse(UnitRun.isInOrder(scattered));
          for (long each : new long[] {run, scattered}) {
            assertEquals(sector, UnitRun.sector(each));
            assertEquals(first, UnitRun.first(each));
            assertEquals(units, UnitRun.units(each));
          }
        }
      }
    }
  }

  @Test
  void changesAreInOrderIfTheirKeysAscend() {
    UnitGroup ascending = new UnitGroup(1, 3, false);
    UnitGroup scattered = new UnitGroup(1, 3, false);
    for (long key : new long[] {4, 4, 9}) {
      ascending.add(SectorPage.PUT, key, 0);
      scattered.add(SectorPage.PUT, 9 - key, 0);
    }
    assertNull(ascending.order());
    assertArrayEquals(new char[] {2, 0, 1}, scattered.order());
  }
}
