// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.cola.Cola.Geometry;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys overwritten, deleted and put again, in small levels, beside a map that plainly does it. */
class ColaModelTest {
  private static final int STEPS = 2000;
  private static final int KEYS = 400;

  private final TreeMap<Long, Long> model = new TreeMap<>();
  private final SplittableRandom random = new SplittableRandom(1);

  record Shape(int pageBytes, Geometry geometry) {
    Cola create() {
      return Cola.open(
          IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes), geometry);
    }
  }

  static Stream<Shape> shapes() {
    return Stream.of(
        new Shape(1024, new Geometry(2, 1, 1)),
        new Shape(1024, new Geometry(2, 0.01, 2)),
        new Shape(1024, new Geometry(2, 0.3, 130)),
        new Shape(1024, new Geometry(4, 0.1, 7)),
        new Shape(1024, new Geometry(8, 1, 1)),
        new Shape(4096, new Geometry(2, 1, 5)),
        new Shape(4096, new Geometry(4, 1, 130)),
        new Shape(4096, new Geometry(5, 0.02, 16)));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void anyMixtureOfWritesIsWhatTheModelSays(Shape shape) {
    try (Cola index = shape.create()) {
      for (int step = 0; step < STEPS; step++) {
        boolean grows = step / (STEPS / 6) % 2 == 0;
        write(index, grows);
        if (step % 499 == 0) {
          assertEqual(index);
        }
      }
      assertEqual(index);
    }
  }

  @Test
  void storeWithoutPlacesAnswersTheSame() {
    CheckedPageStore pages =
        new CheckedPageStore(
            new MemoryPageStore(1024, Long.MAX_VALUE, HugePages.OFF), CheckedPageStore.MIN_PINS);
    try (Cola index = Cola.open(IndexOptions.DEFAULT, pages, new Geometry(3, 0.5, 6))) {
      for (int step = 0; step < STEPS / 2; step++) {
        write(index, step / (STEPS / 8) % 2 == 0);
        if (step % 499 == 0) {
          pages.checkBalanced();
          assertEqual(index);
        }
      }
      assertEqual(index);
      pages.checkBalanced();
    }
  }

  private void write(Cola index, boolean grows) {
    long key = random.nextInt(20) == 0 ? extreme() : random.nextLong(KEYS);
    long value = random.nextLong(1000);
    switch (random.nextInt(9)) {
      case 0 -> assertEquals(orMissing(model.get(key)), index.get(key));
      case 1 -> assertEquals(orMissing(model.put(key, value)), index.put(key, value));
      case 2 -> assertEquals(orMissing(model.remove(key)), index.remove(key));
      case 3 ->
          assertEquals(orMissing(model.putIfAbsent(key, value)), index.putIfAbsent(key, value));
      default -> {
        if (random.nextInt(10) < (grows ? 8 : 1)) {
          index.set(key, value);
          model.put(key, value);
        } else {
          index.delete(key);
          model.remove(key);
        }
      }
    }
  }

  private long extreme() {
    return random.nextBoolean()
        ? Long.MIN_VALUE + random.nextInt(2)
        : Long.MAX_VALUE - random.nextInt(2);
  }

  private static long orMissing(Long value) {
    return value == null ? IndexOptions.DEFAULT.missingValue() : value;
  }

  private void assertEqual(Cola index) {
    index.verify();
    assertEquals(model.isEmpty(), index.isEmpty());
    assertEquals(model.size(), index.size());
    index.verify();
    assertScans(index);
    long[] keys =
        LongStream.concat(
                random.longs(80, -3, KEYS + 3),
                LongStream.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE))
            .toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    for (int i = 0; i < keys.length; i++) {
      assertEquals(orMissing(model.get(keys[i])), values[i]);
      assertEquals(values[i], index.get(keys[i]));
      assertEquals(values[i], byWholeLevels(index.tree, keys[i]));
      assertEquals(model.containsKey(keys[i]), index.containsKey(keys[i]));
      LongCursor cursor = index.cursor();
      assertEquals(model.ceilingKey(keys[i]), cursor.ceiling(keys[i]) ? cursor.key() : null);
      assertEquals(model.floorKey(keys[i]), cursor.floor(keys[i]) ? cursor.key() : null);
    }
  }

  private void assertScans(Cola index) {
    LongCursor cursor = index.cursor();
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertTrue(cursor.next());
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
    }
    assertFalse(cursor.next());
    for (Map.Entry<Long, Long> entry : model.descendingMap().entrySet()) {
      assertTrue(cursor.previous());
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
    }
    assertFalse(cursor.previous());
  }

  /** Looks a key up without windows: each level from end to end. */
  private static long byWholeLevels(ColaStructure tree, long key) {
    long page = tree.store.pin((int) tree.meta[ColaStructure.TOP]);
    int slot = tree.findInTop(tree.pages, page, key);
    for (int k = 1; k <= tree.depth && slot < 0; k++) {
      tree.store.unpin(page, false);
      Level level = tree.levels[k];
      long at = tree.lowerBound(level, 0, level.elements(), key);
      long near = Math.min(at, level.elements() - 1);
      page = tree.store.pin(level.firstPage() + (int) (near / tree.layout.capacity));
      int found = (int) (near % tree.layout.capacity);
      if (tree.layout.key(tree.pages, page, found) == key
          && tree.layout.isMessage(tree.pages, page, found)) {
        slot = found;
      }
    }
    long value =
        slot >= 0 && ElementPage.isPut(tree.pages, page, slot)
            ? tree.layout.value(tree.pages, page, slot)
            : IndexOptions.DEFAULT.missingValue();
    tree.store.unpin(page, false);
    return value;
  }

  // ---------------------------------------------------------------- tombstones

  /** Whatever is written after a delete, the tombstone sinks through every level before it goes. */
  @ParameterizedTest
  @MethodSource("shapes")
  void tombstoneHidesWhatIsBelowItInEveryLevelItComesTo(Shape shape) {
    try (Cola index = shape.create()) {
      for (long key = -200; key < 200; key++) {
        index.set(10 * key, key);
        model.put(10 * key, key);
      }
      long[] deleted = {Long.MIN_VALUE, -2000, 0, 10, 1990, Long.MAX_VALUE};
      for (long key : deleted) {
        index.set(key, 1);
      }
      flushDown(index, 1000);
      for (long key : deleted) {
        index.delete(key);
        model.remove(key);
      }
      for (int i = 0; i < 1200; i++) {
        index.set(i + 10_000, i);
        model.put(i + 10_000L, (long) i);
        for (long key : deleted) {
          assertFalse(index.containsKey(key));
        }
      }
      assertEqual(index);
    }
  }

  /** A key deleted and put again, over and over, is what it was made last. */
  @ParameterizedTest
  @MethodSource("shapes")
  void keysComeBackAndGoAgain(Shape shape) {
    try (Cola index = shape.create()) {
      long[] keys = {Long.MIN_VALUE, -7, 0, 7, Long.MAX_VALUE};
      for (int round = 0; round < 30; round++) {
        for (long key : keys) {
          if (random.nextBoolean()) {
            index.delete(key);
            model.remove(key);
          } else {
            index.set(key, round);
            model.put(key, (long) round);
          }
        }
        int others = random.nextInt(60);
        for (int i = 0; i < others; i++) {
          long key = random.nextLong(-100, 100) * 1000;
          index.set(key, i);
          model.put(key, (long) i);
        }
        for (long key : keys) {
          assertEquals(orMissing(model.get(key)), index.get(key));
        }
        assertScans(index);
      }
      assertEqual(index);
    }
  }

  private void flushDown(Cola index, int writes) {
    for (int i = 0; i < writes; i++) {
      index.set(1_000_000 + i, i);
      model.put(1_000_000L + i, (long) i);
    }
  }

  // ---------------------------------------------------------------- scans

  /** Before each step some keys are written, so levels are merged under the cursor. */
  @ParameterizedTest
  @MethodSource("shapes")
  void scansGoOnAcrossMerges(Shape shape) {
    try (Cola index = shape.create()) {
      for (int i = 0; i < 600; i++) {
        write(index, true);
      }
      LongCursor cursor = index.cursor();
      assertTrue(cursor.first());
      for (Long key = model.firstKey(); key != null; ) {
        writeSome(index);
        key = model.higherKey(key);
        assertEquals(key != null, cursor.next());
        if (key != null) {
          assertEquals(key, cursor.key());
          assertEquals(model.get(key), cursor.value());
        }
      }
      assertTrue(cursor.last());
      for (Long key = model.lastKey(); key != null; ) {
        writeSome(index);
        key = model.lowerKey(key);
        assertEquals(key != null, cursor.previous());
        if (key != null) {
          assertEquals(key, cursor.key());
          assertEquals(model.get(key), cursor.value());
        }
      }
    }
  }

  private void writeSome(Cola index) {
    for (int i = random.nextInt(4); i > 0; i--) {
      write(index, random.nextBoolean());
    }
  }

  /** Entries are changed and removed through the cursor that finds them. */
  @ParameterizedTest
  @MethodSource("shapes")
  void cursorRemovesAndReplacesWhileItScans(Shape shape) {
    try (Cola index = shape.create()) {
      for (int i = 0; i < 600; i++) {
        write(index, true);
      }
      LongCursor cursor = index.cursor();
      while (cursor.next()) {
        long key = cursor.key();
        if (random.nextBoolean()) {
          cursor.remove();
          model.remove(key);
        } else {
          cursor.setValue(~key);
          model.put(key, ~key);
        }
      }
      assertEqual(index);
    }
  }
}
