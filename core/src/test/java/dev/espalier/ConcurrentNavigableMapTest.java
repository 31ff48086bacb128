// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.bplus.PbPlusTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Maps of indexes that many threads use have the type that says so, and so have their views. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrentNavigableMapTest {
  private static final int KEYS = TestSize.of(20_000, 500_000);

  private static ConcurrentPbPlusTree tree() {
    return ConcurrentPbPlusTree.create(
        IndexOptions.DEFAULT, new ConcurrentPbPlusTree.Geometry(1, 1));
  }

  @Test
  void viewsOfViewsShowTheirRangeInTheirOrder() {
    try (ConcurrentPbPlusTree tree = tree()) {
      ConcurrentNavigableMap<Long, Long> map = tree.asMap();
      for (long key = 0; key < 100; key++) {
        map.put(key, -key);
      }
      ConcurrentNavigableMap<Long, Long> part =
          map.tailMap(10L).headMap(90L).subMap(20L, 80L).descendingMap();
      assertEquals(60, part.size());
      assertEquals(79, part.firstKey());
      assertEquals(20, part.lastKey());
      assertEquals(List.of(79L, 78L), part.headMap(78L, true).keySet().stream().toList());
      assertEquals(List.of(20L, 21L), part.tailMap(21L, true).descendingKeySet().stream().toList());
      assertEquals(31, part.subMap(60L, true, 30L, true).descendingMap().keySet().size());
      assertThrows(IllegalArgumentException.class, () -> part.put(80L, 1L));
      assertEquals(-50, part.getOrDefault(50L, 7L));
      assertEquals(7, part.getOrDefault(90L, 7L));
      assertNull(map.putIfAbsent(100L, -100L));
      assertEquals(101, tree.size());
    }
  }

  @Test
  void theMapBehindALockIsConcurrentAndThatOfATreeForOneThreadIsNot() {
    try (LongIndex tree = PbPlusTree.create(IndexOptions.DEFAULT)) {
      assertFalse(tree.asMap() instanceof ConcurrentMap);
      assertFalse(tree.asMap().descendingMap() instanceof ConcurrentMap);
      var locked = assertInstanceOf(ConcurrentNavigableMap.class, tree.withReadWriteLock().asMap());
      assertInstanceOf(ConcurrentNavigableMap.class, locked.descendingMap());
    }
  }

  @Test
  void ofTwoThreadsThatInsertThroughViewsOneWins() throws Exception {
    try (ConcurrentPbPlusTree tree = tree();
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      AtomicInteger inserted = new AtomicInteger();
      List<ConcurrentNavigableMap<Long, Long>> views =
          List.of(tree.asMap().headMap((long) KEYS), tree.asMap().descendingMap());
      List<Future<?>> both = new ArrayList<>();
      for (ConcurrentNavigableMap<Long, Long> view : views) {
        both.add(
            threads.submit(
                () -> {
                  for (long key = 0; key < KEYS; key++) {
                    if (view.putIfAbsent(key, key) == null) {
                      inserted.incrementAndGet();
                    }
                  }
                }));
      }
      for (Future<?> one : both) {
        one.get();
      }
      assertEquals(KEYS, inserted.get());
      assertEquals(KEYS, tree.size());
      tree.verify();
    }
  }
}
