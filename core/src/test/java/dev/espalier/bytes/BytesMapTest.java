// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Spliterator;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

class BytesMapTest {
  private final BytesIndex index = new HeapBytesIndex();
  private final NavigableMap<String, Integer> map =
      index.asMap(BytesKeyCodec.ofString(), BytesValueCodec.ofInt());

  BytesMapTest() {
    map.putAll(Map.of("one", 1, "two", 2, "six", 6));
  }

  @Tag("thorough")
  @TestFactory
  DynamicContainer keepsTheWholeContractOfNavigableMap() {
    return BytesMapContract.of("HeapBytesIndex", HeapBytesIndex::new);
  }

  @TestFactory
  Stream<DynamicContainer> everyShapeKeepsTheContractOfNavigableMap() {
    return TestSize.part(BytesShape.all()).stream()
        .map(shape -> BytesMapContract.withoutSubMaps(shape.name(), shape::create));
  }

  @TestFactory
  @Tag("thorough")
  Stream<DynamicContainer> everyShapeKeepsTheWholeContractOfNavigableMap() {
    return TestSize.part(BytesShape.all()).stream()
        .map(shape -> BytesMapContract.of(shape.name(), shape::create));
  }

  /** As it may be in pages that lie. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anEntryThatIsShownButNotFoundIsNotPolledForEver() {
    BytesIndex lying =
        new HeapBytesIndex() {
          @Override
          public byte @Nullable [] remove(byte[] key) {
            return null;
          }
        };
    lying.set(new byte[] {1}, new byte[0]);
    NavigableMap<byte[], byte[]> all =
        lying.asMap(BytesKeyCodec.ofBytes(), BytesValueCodec.ofBytes());
    assertThrows(ConcurrentModificationException.class, all::pollFirstEntry);
    assertThrows(ConcurrentModificationException.class, all::pollLastEntry);
  }

  @Test
  void entryOfIteratorWritesThrough() {
    Map.Entry<String, Integer> entry = map.entrySet().iterator().next();
    assertEquals(1, entry.setValue(11));
    assertEquals(11, entry.getValue());
    assertEquals(11, map.get("one"));
  }

  @Test
  void entryOfIteratorDoesNotBringARemovedKeyBack() {
    Map.Entry<String, Integer> entry = map.entrySet().iterator().next();
    map.remove("one");
    Exception thrown = assertThrows(IllegalStateException.class, () -> entry.setValue(11));
    assertEquals("the entry of key one has been removed", thrown.getMessage());
    assertFalse(map.containsKey("one"));
  }

  @Test
  void iteratorGoesOnWhileTheMapChanges() {
    Iterator<String> keys = map.keySet().iterator();
    List<String> seen = new ArrayList<>();
    seen.add(keys.next());
    map.remove("two");
    map.put("zero", 0);
    map.put("none", 0);
    keys.forEachRemaining(seen::add);
    assertEquals(List.of("one", "six", "zero"), seen);
  }

  @Test
  void iteratorGivesTheEntryItPromised() {
    Iterator<Map.Entry<String, Integer>> entries = map.entrySet().iterator();
    map.clear();
    assertTrue(entries.hasNext());
    assertEquals(Map.entry("one", 1), entries.next());
    assertFalse(entries.hasNext());
  }

  @Test
  void arraysAreFoundByContent() {
    NavigableMap<byte[], byte[]> arrays =
        new HeapBytesIndex().asMap(BytesKeyCodec.ofBytes(), BytesValueCodec.ofBytes());
    byte[] value = {5};
    arrays.put(new byte[] {1, (byte) 0x80}, value);
    value[0] = 6;
    assertArrayEquals(new byte[] {5}, arrays.get(new byte[] {1, (byte) 0x80}));
    assertArrayEquals(new byte[] {1, (byte) 0x80}, arrays.higherKey(new byte[] {1, 0x7F}));
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what this test is about.
  void nullIsRefusedByName() {
    assertNamed("key", () -> map.get(null));
    assertNamed("key", () -> map.put(null, 1));
    assertNamed("value", () -> map.put("one", null));
    assertNamed("value", () -> map.entrySet().iterator().next().setValue(null));
    assertNamed("keyCodec", () -> index.asMap(null, BytesValueCodec.ofInt()));
    assertNamed("valueCodec", () -> index.asMap(BytesKeyCodec.ofString(), null));
    assertEquals(Map.of("one", 1, "two", 2, "six", 6), map);
  }

  @Test
  void keyOfAnotherTypeIsRefused() {
    Map<?, ?> untyped = map;
    assertThrows(ClassCastException.class, () -> untyped.containsKey(7));
  }

  @Test
  void streamsPromiseOrderButNoSize() {
    for (Spliterator<?> spliterator :
        List.of(
            map.keySet().spliterator(), map.entrySet().spliterator(), map.values().spliterator())) {
      assertTrue(spliterator.hasCharacteristics(Spliterator.ORDERED | Spliterator.NONNULL));
      assertFalse(spliterator.hasCharacteristics(Spliterator.SIZED));
    }
    assertEquals(
        List.of("two", "six", "one"),
        map.descendingKeySet().stream().sorted(map.descendingMap().comparator()).toList());
  }

  @Test
  void comparatorFollowsCodecAndDirection() {
    assertTrue(map.comparator().compare("\uFFFD", "\uD83D\uDE00") < 0);
    assertTrue(map.descendingMap().comparator().compare("\uFFFD", "\uD83D\uDE00") > 0);
    NavigableMap<Long, Integer> longs =
        index.asMap(BytesKeyCodec.ofLong(), BytesValueCodec.ofInt());
    assertNull(longs.comparator());
    assertTrue(longs.descendingMap().comparator().compare(1L, 2L) > 0);
  }

  @Test
  void closedIndexIsRefused() {
    Iterator<String> keys = map.keySet().iterator();
    index.close();
    for (Function<NavigableMap<String, Integer>, @Nullable Object> call :
        List.<Function<NavigableMap<String, Integer>, @Nullable Object>>of(
            closed -> closed.get("one"),
            closed -> closed.containsKey("one"),
            closed -> closed.put("one", 1),
            closed -> closed.remove("one"),
            NavigableMap::size,
            NavigableMap::isEmpty,
            NavigableMap::firstKey,
            NavigableMap::lastEntry,
            NavigableMap::pollFirstEntry,
            closed -> closed.floorKey("one"),
            closed -> closed.higherEntry("one"),
            closed -> closed.headMap("one"),
            NavigableMap::descendingMap,
            closed -> closed.keySet().iterator(),
            closed -> closed.values().iterator(),
            closed -> closed.entrySet().size())) {
      assertThrows(IllegalStateException.class, () -> call.apply(map));
    }
    assertThrows(IllegalStateException.class, keys::next);
  }

  private static void assertNamed(String argument, Runnable call) {
    assertEquals(argument, assertThrows(NullPointerException.class, call::run).getMessage());
  }
}
