// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LongLookupTest {
  private final Random random = new Random(42);

  @Test
  void answersAsAMapDoesWhateverTheOffsets() {
    try (LongIndex index = Indexes.create()) {
      TreeMap<Long, Long> model = new TreeMap<>();
      for (long i = 0; i < 1000; i++) {
        // What nulls hold is in the index too.
        long key = i == 1 ? TestColumns.GARBAGE : random.nextInt(3000);
        // One of the values is what the index returns for absent keys.
        long value = i == 0 ? index.missingValue() : i;
        index.set(key, value);
        model.put(key, value);
      }
      LongLookup lookup = new LongLookup(index);
      for (int round = 0; round < 300; round++) {
        List<@Nullable Long> keys = new ArrayList<>();
        for (int i = random.nextInt(200); i > 0; i--) {
          keys.add(random.nextInt(4) == 0 ? null : (long) random.nextInt(3000));
        }
        LongColumn column = TestColumns.longs(keys, random.nextInt(70));
        LongColumn answers =
            TestColumns.longs(Collections.nCopies(keys.size(), null), random.nextInt(70));
        long present = lookup.getAll(column, answers);
        List<@Nullable Long> expected = new ArrayList<>();
        for (Long key : keys) {
          expected.add(key == null ? null : model.get(key));
        }
        assertEquals(expected, TestColumns.read(answers, keys.size()));
        long notNull = keys.stream().filter(k -> k != null && model.containsKey(k)).count();
        assertEquals(notNull, present);
      }
    }
  }

  @Test
  void leavesTheNeighboursOfASliceAsTheyAre() {
    try (LongIndex index = Indexes.create()) {
      index.set(5, 50);
      long[] values = new long[16];
      Arrays.fill(values, 9);
      byte[] bits = {(byte) 0b1010_1010, (byte) 0b0101_0101};
      LongColumn answers =
          new LongColumn(MemorySegment.ofArray(values), MemorySegment.ofArray(bits), 6, 4);
      new LongLookup(index)
          .getAll(
              LongColumn.withoutNulls(MemorySegment.ofArray(new long[] {5, 6, 5, 6}), 4), answers);
      assertEquals(Arrays.asList(50L, null, 50L, null), TestColumns.read(answers, 4));
      assertEquals((byte) 0b0110_1010, bits[0]);
      assertEquals((byte) 0b0101_0101, bits[1]);
      assertEquals(9, values[5]);
      assertEquals(9, values[10]);
    }
  }

  @Test
  void answersMayTakeThePlaceOfKeys() {
    try (LongIndex index = Indexes.create()) {
      index.set(5, 50);
      LongColumn column = TestColumns.longs(Arrays.asList(5L, null, 6L), 3);
      assertEquals(1, new LongLookup(index).getAll(column, column));
      assertEquals(Arrays.asList(50L, null, null), TestColumns.read(column, 3));
    }
  }

  @Test
  void answersMoreRowsThanGoThroughItsArraysAtOnce() {
    int rows = (1 << 20) + 77;
    try (LongIndex index = Indexes.create()) {
      for (long key = 0; key < 1000; key++) {
        index.set(key, -key);
      }
      long[] keys = new long[rows];
      Arrays.setAll(keys, i -> i % 2000);
      LongColumn answers =
          LongColumn.of(
              MemorySegment.ofArray(new long[rows]),
              MemorySegment.ofArray(new byte[rows / 8 + 1]),
              rows);
      new LongLookup(index)
          .getAll(LongColumn.withoutNulls(MemorySegment.ofArray(keys), rows), answers);
      for (int row = 0; row < rows; row++) {
        assertEquals(keys[row] < 1000, answers.isValid(row));
        assertTrue(!answers.isValid(row) || answers.value(row) == -keys[row]);
      }
    }
  }

  @Test
  void saysWhatIsWrongWithColumns() {
    LongColumn three = TestColumns.longs(List.of(1L, 2L, 3L), 0);
    LongColumn two = TestColumns.longs(List.of(1L, 2L), 0);
    try (LongIndex index = Indexes.create()) {
      LongLookup lookup = new LongLookup(index);
      assertMessage("keys has 3 rows and values has 2", () -> lookup.getAll(three, two));
      LongColumn bare = LongColumn.withoutNulls(two.values(), 2);
      assertMessage("answers has no validity bits", () -> lookup.getAll(two, bare));
      LongColumn readOnly = LongColumn.of(two.values().asReadOnly(), two.validity(), 2);
      assertMessage("answers is read-only", () -> lookup.getAll(two, readOnly));
    }
    MemorySegment short8 = MemorySegment.ofArray(new long[1]);
    assertMessage("values has 8 bytes", () -> LongColumn.withoutNulls(short8, 2));
    assertMessage("values has 8 bytes", () -> new LongColumn(short8, two.validity(), 1, 1));
    MemorySegment bits = MemorySegment.ofArray(new byte[1]);
    MemorySegment nine = MemorySegment.ofArray(new long[9]);
    assertMessage("validity has 1 bytes", () -> LongColumn.of(nine, bits, 9));
    assertMessage("neither may be negative", () -> LongColumn.of(nine, bits, -1));
    assertThrows(IndexOutOfBoundsException.class, () -> two.value(2));
    assertThrows(IndexOutOfBoundsException.class, () -> two.isValid(-1));
  }

  static void assertMessage(String part, org.junit.jupiter.api.function.Executable call) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(part), message);
  }

  @Test
  void aClosedIndexSaysSo() {
    LongIndex index = Indexes.create();
    LongLookup lookup = new LongLookup(index);
    index.close();
    LongColumn column = TestColumns.longs(List.of(1L), 0);
    assertThrows(IllegalStateException.class, () -> lookup.getAll(column, column));
  }
}
