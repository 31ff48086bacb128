// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.CountingPageStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A map asks an index once for a key, be there an entry, the missing value or nothing. */
final class OneLookupTest {
  private static final long MISSING = IndexOptions.DEFAULT.missingValue();
  private static final int ENTRIES = 2_000;

  /** What tells nothing of a key. */
  private static final Set<String> OF_NO_KEY =
      Set.of("missingValue", "isClosed", "allowsTornReads");

  /** Returns an index that notes which of its methods are called for a key. */
  private static LongIndex noting(LongIndex index, List<String> calls) {
    return (LongIndex)
        Proxy.newProxyInstance(
            LongIndex.class.getClassLoader(),
            new Class<?>[] {LongIndex.class},
            (_, method, arguments) -> {
              if (!OF_NO_KEY.contains(method.getName())) {
                calls.add(method.getName());
              }
              try {
                return method.invoke(index, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  static Stream<Named<Function<LongIndex, LongNavigable>>> wrappers() {
    return Stream.of(
        Named.of("index", index -> index),
        Named.of("view", index -> IndexView.all(index).subView(-5, true, 5, true)),
        Named.of("lock", LockedIndex::new));
  }

  @ParameterizedTest
  @MethodSource("wrappers")
  void aMapAsksItsIndexOnce(Function<LongIndex, LongNavigable> wrapper) {
    List<String> calls = new ArrayList<>();
    try (LongIndex index = TreeShape.bPlus(1).create(IndexOptions.DEFAULT)) {
      index.put(1, 10);
      index.put(2, MISSING);
      Map<Long, Long> map = mapOf(wrapper.apply(noting(index, calls)));
      calls.clear();
      assertEquals(10, map.get(1L));
      assertEquals(MISSING, map.get(2L));
      assertNull(map.get(3L));
      assertEquals(List.of("find", "find", "find"), calls);
    }
  }

  private static Map<Long, Long> mapOf(LongNavigable entries) {
    return new IndexMap<>(entries, KeyCodec.ofLong(), ValueCodec.ofLong(), false);
  }

  static List<TreeShape> shapes() {
    return TreeShape.defaults();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void everyTreeHasALookupThatKnowsAbsent(TreeShape shape) throws NoSuchMethodException {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      Method find = index.getClass().getMethod("find", long.class, long[].class);
      assertNotEquals(LongNavigable.class, find.getDeclaringClass());
      assertThrows(IndexOutOfBoundsException.class, () -> findInto(index, new long[0]));
      assertTrue(findInto(index, new long[1])); // No latch or pin is left.
      index.delete(7);
    }
  }

  private static boolean findInto(LongIndex index, long[] value) {
    index.put(7, MISSING);
    return index.find(7, value);
  }

  static Stream<PagedShape> pagedShapes() {
    return Stream.concat(
        PagedShape.smallest().stream(),
        Stream.of(PagedShape.cola(), PagedShape.pio(), PagedShape.fd(), PagedShape.bftl()));
  }

  @ParameterizedTest
  @MethodSource("pagedShapes")
  void whatIsNotThereIsFoundOutByTheSamePages(PagedShape shape) {
    CountingPageStore store = new CountingPageStore(shape.newStore(), CountingPageStore.UNLIMITED);
    try (LongIndex index = shape.opener().apply(IndexOptions.DEFAULT, store)) {
      for (long key = 0; key < ENTRIES; key++) {
        index.put(2 * key, key % 2 == 0 ? MISSING : key);
      }
      Map<Long, Long> map = mapOf(index);
      SplittableRandom random = new SplittableRandom(3);
      for (int i = 0; i < 200; i++) {
        long key = random.nextLong(2 * ENTRIES);
        long once = pins(store, () -> index.get(key));
        assertTrue(once > 0);
        assertEquals(once, pins(store, () -> map.get(key)), "of key " + key);
      }
    }
  }

  private static long pins(CountingPageStore store, Runnable call) {
    store.resetCounters();
    call.run();
    return store.counters().pins();
  }
}
