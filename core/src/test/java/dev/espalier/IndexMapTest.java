// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class IndexMapTest {
  private static final long MISSING = IndexOptions.DEFAULT.missingValue();

  private final ModelIndex index = ModelIndex.ofKeys(1, 2, 3);
  private final NavigableMap<Long, Long> map = index.asMap();

  @TestFactory
  Stream<DynamicContainer> keepsTheContractOfNavigableMap() {
    Supplier<LongIndex> locked = () -> new ModelIndex().withReadWriteLock();
    return Stream.of(
        TestSize.isThorough()
            ? NavigableMapContract.of("ModelIndex behind a lock", locked)
            : NavigableMapContract.withHalfOpenSubMaps("ModelIndex behind a lock", locked));
  }

  @Test
  void missingValueThatIsStoredIsNotAbsent() {
    index.set(7, MISSING);
    assertEquals(MISSING, map.get(7L));
    assertEquals(MISSING, map.putIfAbsent(7L, 70L));
    assertEquals(MISSING, map.put(7L, MISSING));
    assertEquals(MISSING, map.remove(7L));
    assertNull(map.get(7L));
    assertNull(map.remove(7L));
    assertNull(map.putIfAbsent(7L, MISSING));
    assertEquals(MISSING, map.get(7L));
  }

  @Test
  void keyThatGoesWhileItIsLookedUpIsAbsent() {
    List<String> calls = new ArrayList<>();
    NavigableMap<Long, Long> lateMap =
        watched(calls, name -> name.equals("containsKey") && calls.size() < 3);
    index.delete(2);
    assertNull(lateMap.get(2L));
    assertEquals(List.of("getOrDefault", "containsKey", "getOrDefault", "containsKey"), calls);
  }

  @Test
  void keyThatIsFoundIsLookedUpOnce() {
    List<String> calls = new ArrayList<>();
    assertEquals(20, watched(calls, name -> false).get(2L));
    assertEquals(List.of("getOrDefault"), calls);
  }

  /** A map over the index that notes its lookups; some of them answer true whatever there is. */
  private NavigableMap<Long, Long> watched(List<String> calls, Predicate<String> answersTrue) {
    LongIndex watched =
        (LongIndex)
            Proxy.newProxyInstance(
                LongIndex.class.getClassLoader(),
                new Class<?>[] {LongIndex.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("find")) {
                    return InvocationHandler.invokeDefault(proxy, method, arguments);
                  }
                  if (!method.getName().equals("missingValue")) {
                    calls.add(method.getName());
                  }
                  return answersTrue.test(method.getName())
                      ? true
                      : method.invoke(index, arguments);
                });
    return new IndexMap<>(watched, KeyCodec.ofLong(), ValueCodec.ofLong());
  }

  @Test
  void sizeStopsAtTheGreatestInt() {
    LongIndex huge =
        (LongIndex)
            Proxy.newProxyInstance(
                LongIndex.class.getClassLoader(),
                new Class<?>[] {LongIndex.class},
                (proxy, method, arguments) -> 1L << 40);
    NavigableMap<Long, Long> hugeMap = new IndexMap<>(huge, KeyCodec.ofLong(), ValueCodec.ofLong());
    assertEquals(Integer.MAX_VALUE, hugeMap.size());
  }

  @Test
  void entryOfIteratorWritesThrough() {
    Map.Entry<Long, Long> entry = map.entrySet().iterator().next();
    assertEquals(10, entry.setValue(11L));
    assertEquals(11, entry.getValue());
    assertEquals(11, index.get(1));
  }

  @Test
  void entryOfIteratorDoesNotBringARemovedKeyBack() {
    Map.Entry<Long, Long> entry = map.entrySet().iterator().next();
    index.delete(1);
    Exception thrown = assertThrows(IllegalStateException.class, () -> entry.setValue(11L));
    assertEquals("the entry of key 1 has been removed", thrown.getMessage());
    assertFalse(index.containsKey(1));
  }

  @Test
  void entryOfNeighbourIsAnImmutableSnapshot() {
    for (Map.Entry<Long, Long> entry :
        List.of(
            map.floorEntry(2L), map.ceilingEntry(2L), map.lowerEntry(3L), map.higherEntry(1L))) {
      index.set(2, 21);
      assertEquals(Map.entry(2L, 20L), entry);
      assertThrows(UnsupportedOperationException.class, () -> entry.setValue(22L));
      index.set(2, 20);
    }
  }

  @Test
  void iteratorGoesOnWhileTheMapChanges() {
    Iterator<Long> keys = map.keySet().iterator();
    List<Long> seen = new ArrayList<>();
    seen.add(keys.next());
    index.delete(3);
    index.set(4, 40);
    index.set(0, 0);
    keys.forEachRemaining(seen::add);
    assertEquals(List.of(1L, 2L, 4L), seen);
    assertThrows(NoSuchElementException.class, keys::next);
  }

  @Test
  void iteratorGivesTheEntryItPromised() {
    Iterator<Map.Entry<Long, Long>> entries = map.entrySet().iterator();
    index.clear();
    assertTrue(entries.hasNext());
    assertEquals(Map.entry(1L, 10L), entries.next());
    assertFalse(entries.hasNext());
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what this test is about.
  void nullIsRefusedByName() {
    assertNamed("key", () -> map.get(null));
    assertNamed("key", () -> map.put(null, 1L));
    assertNamed("value", () -> map.put(1L, null));
    assertNamed("value", () -> map.entrySet().iterator().next().setValue(null));
    assertNamed("keyCodec", () -> index.asMap(null, ValueCodec.ofLong()));
    assertNamed("valueCodec", () -> index.asMap(KeyCodec.ofLong(), null));
    assertEquals(Map.of(1L, 10L, 2L, 20L, 3L, 30L), map);
  }

  @Test
  void entrySetHoldsNoEntryWithoutAValue() {
    assertFalse(map.entrySet().contains(new java.util.AbstractMap.SimpleEntry<>(9L, null)));
  }

  @Test
  void streamsPromiseOrderButNoSize() {
    for (Spliterator<?> spliterator :
        List.of(
            map.keySet().spliterator(), map.entrySet().spliterator(), map.values().spliterator())) {
      assertTrue(spliterator.hasCharacteristics(Spliterator.ORDERED | Spliterator.NONNULL));
      assertFalse(spliterator.hasCharacteristics(Spliterator.SIZED));
    }
    assertEquals(List.of(1L, 2L, 3L), map.keySet().stream().sorted().toList());
    assertEquals(
        List.of(3L, 2L, 1L),
        map.descendingKeySet().stream().sorted(map.descendingMap().comparator()).toList());
  }

  @Test
  void comparatorFollowsCodecAndDirection() {
    assertNull(map.comparator());
    assertNull(map.descendingMap().descendingMap().comparator());
    assertTrue(map.descendingMap().comparator().compare(1L, 2L) > 0);
    NavigableMap<Long, Long> unsigned = index.asMap(KeyCodec.ofUnsignedLong(), ValueCodec.ofLong());
    assertTrue(unsigned.comparator().compare(1L, -1L) < 0);
    assertTrue(unsigned.descendingMap().comparator().compare(1L, -1L) > 0);
  }

  private static void assertNamed(String argument, Runnable call) {
    assertEquals(argument, assertThrows(NullPointerException.class, call::run).getMessage());
  }
}
