// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TypedIndexTest {
  private final BytesIndex bytes = new HeapBytesIndex();
  private final TypedIndex<Long, String> index =
      bytes.typed(BytesKeyCodec.ofLong(), BytesValueCodec.ofString());

  @AfterEach
  void close() {
    index.close();
    assertTrue(bytes.isClosed());
  }

  @Test
  void singleEntriesPassThroughTheCodecs() {
    index.set(5L, "five");
    assertEquals("five", index.get(5L));
    assertEquals("five", index.put(5L, "V"));
    assertEquals("V", index.putIfAbsent(5L, "again"));
    assertNull(index.putIfAbsent(-5L, ""));
    assertEquals("", index.get(-5L));
    assertTrue(index.containsKey(5L));
    assertEquals(2, index.size());
    assertEquals("V", index.remove(5L));
    assertNull(index.remove(5L));
    assertNull(index.get(5L));
    assertFalse(index.containsKey(5L));
    assertTrue(index.delete(-5L));
    assertFalse(index.delete(-5L));
    assertNull(index.put(6L, "six"));
    byte[] stored = bytes.get(BytesKeyCodec.ofLong().encode(6L));
    assertArrayEquals(BytesValueCodec.ofString().encode("six"), stored);
    assertEquals(6L, index.decodeKey(index.encodeKey(6L)));
    assertEquals("six", index.decodeValue(stored));
  }

  @Test
  void nullsAreRefused() {
    assertThrows(NullPointerException.class, () -> index.get(null));
    assertThrows(NullPointerException.class, () -> index.set(1L, null));
    assertThrows(NullPointerException.class, () -> index.getAll(Arrays.asList(1L, null)));
    assertThrows(NullPointerException.class, () -> bytes.typed(null, BytesValueCodec.ofString()));
    assertThrows(NullPointerException.class, () -> bytes.typed(BytesKeyCodec.ofInt(), null));
    assertEquals(0, index.size());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.bytes.BytesShape#all")
  void batchesDoWhatSingleCallsDo(BytesShape shape) {
    Map<Long, String> map = new LinkedHashMap<>();
    for (long i = 0; i < 200; i++) {
      map.put(i * 7 % 200 - 100, "x".repeat((int) (i % 9 == 0 ? 3_000 * (i % 5) : i % 7)));
    }
    try (TypedIndex<Long, String> typed =
        shape.create().typed(BytesKeyCodec.ofLong(), BytesValueCodec.ofString())) {
      typed.putAll(map);
      assertEquals(map, typed.asMap());
      List<Long> keys = new ArrayList<>(map.keySet());
      keys.add(3, 1_000L);
      keys.add(0L);
      assertEquals(keys.stream().map(map::get).toList(), typed.getAll(keys));
      assertEquals(List.of(), typed.getAll(List.of()));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.bytes.BytesShape#all")
  void bulkloadTakesAscendingEntries(BytesShape shape) {
    Map<Long, String> map = new TreeMap<>();
    for (long i = -300; i < 300; i++) {
      map.put(i, "y".repeat(i % 50 == 0 ? 5_000 : 3) + i);
    }
    try (TypedIndex<Long, String> typed =
        shape.create().typed(BytesKeyCodec.ofLong(), BytesValueCodec.ofString())) {
      List<Map.Entry<Long, String>> descending = List.of(Map.entry(2L, ""), Map.entry(1L, ""));
      assertThrows(IllegalArgumentException.class, () -> typed.bulkload(descending));
      typed.bulkload(map.entrySet());
      assertEquals(map, typed.asMap());
      assertThrows(IllegalStateException.class, () -> typed.bulkload(map.entrySet()));
    }
  }

  @Test
  void cursorGoesToNeighboursAndWritesThrough() {
    index.putAll(Map.of(-1L, "a", 3L, "b", 7L, "c"));
    TypedCursor<Long, String> cursor = index.cursor();
    assertThrows(IllegalStateException.class, cursor::key);
    assertTrue(cursor.next());
    assertEquals(-1L, cursor.key());
    assertTrue(cursor.last());
    assertEquals("c", cursor.value());
    assertTrue(cursor.floor(3L));
    assertEquals("b", cursor.value());
    assertTrue(cursor.lower(3L));
    assertEquals("a", cursor.value());
    assertTrue(cursor.ceiling(4L));
    assertEquals(7L, cursor.key());
    assertFalse(cursor.higher(7L));
    assertTrue(cursor.higher(-1L));
    cursor.setValue("B");
    assertEquals("B", index.get(3L));
    cursor.remove();
    assertNull(index.get(3L));
    assertTrue(cursor.previous());
    assertEquals(-1L, cursor.key());
    assertTrue(cursor.first());
    assertFalse(cursor.previous());
  }

  @Test
  void rangesAreInTheOrderOfTheKeys() {
    index.putAll(Map.of(-1L, "a", 3L, "b", 7L, "c", 9L, "d"));
    assertEquals(
        List.of(Map.entry(3L, "b"), Map.entry(7L, "c")),
        index.range(-1L, false, 9L, false).toList());
    assertEquals(
        List.of("a", "b"), index.range(-1L, true, 3L, true).map(e -> e.getValue()).toList());
    assertThrows(IllegalArgumentException.class, () -> index.range(2L, true, 1L, true));
    assertEquals(2, index.countRange(3L, true, 9L, false));
    assertEquals(2, index.removeRange(3L, true, 9L, false));
    assertEquals(Map.of(-1L, "a", 9L, "d"), index.asMap());
  }
}
