// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bepsilon.BufferedRepositoryTree;
import dev.espalier.cola.Cola;
import dev.espalier.cola.DeamortizedCola;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writes of write-optimized trees that look first look once: they pin what a lookup and a blind
 * write pin.
 */
final class LookupsOfWritesTest {
  private static final int PAGE_BYTES = 1024;
  private static final int ENTRIES = 20_000;

  /** So few that they and all that follows stay in the root. */
  private static final int WRITES = 15;

  private static final long MISSING = IndexOptions.DEFAULT.missingValue();

  private final CountingPageStore store =
      new CountingPageStore(
          new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF),
          CountingPageStore.UNLIMITED);
  private final SplittableRandom random = new SplittableRandom(5);

  static List<Function<PageStore, LongIndex>> trees() {
    return List.of(
        store -> Cola.open(IndexOptions.DEFAULT, store, new Cola.Geometry(4, 0.1, 60)),
        store ->
            DeamortizedCola.open(IndexOptions.DEFAULT, store, new DeamortizedCola.Geometry(60)),
        store -> BEpsilonTree.open(IndexOptions.DEFAULT, store),
        store -> BufferedRepositoryTree.open(IndexOptions.DEFAULT, store));
  }

  /** Makes a tree of even keys, with the missing value for every other, and room at the root. */
  private LongIndex fill(Function<PageStore, LongIndex> tree) {
    LongIndex index = tree.apply(store);
    long[] keys = new long[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
      keys[i] = 2L * i;
    }
    long[] values = keys.clone();
    for (int i = 0; i < ENTRIES; i += 2) {
      values[i] = MISSING;
    }
    index.bulkload(keys, values);
    return index;
  }

  @ParameterizedTest
  @MethodSource("trees")
  void writesLookOnce(Function<PageStore, LongIndex> tree) {
    try (LongIndex index = fill(tree)) {
      index.set(-1, 1);
      long blind = pins(() -> index.set(-2, 1));
      for (int i = 0; i < WRITES; i++) {
        long even = 2L * random.nextInt(ENTRIES); // every other has the missing value
        long odd = even + 1;
        long looked = pins(() -> index.get(odd));
        assertTrue(looked > 1, "more than the root is looked at: " + looked);
        assertEquals(looked, pins(() -> index.containsKey(odd)));
        assertEquals(looked, pins(() -> index.remove(odd)));
        boolean ifAbsent = i % 2 == 0;
        assertEquals(
            looked + blind,
            pins(() -> assertEquals(MISSING, put(index, odd, ifAbsent))),
            "put of a new key");

        long found = pins(() -> index.get(even));
        assertEquals(found, pins(() -> index.containsKey(even)));
        assertEquals(found, pins(() -> index.putIfAbsent(even, 7)));
        assertEquals(found + blind, pins(() -> index.put(even, MISSING)));
        long again = pins(() -> index.get(even));
        long removed = pins(() -> assertEquals(MISSING, index.remove(even)));
        assertTrue(removed <= again + blind, "in place, maybe: " + removed);
      }
    }
  }

  private static long put(LongIndex index, long key, boolean ifAbsent) {
    return ifAbsent ? index.putIfAbsent(key, key) : index.put(key, key);
  }

  private long pins(Runnable call) {
    store.resetCounters();
    call.run();
    return store.counters().pins();
  }
}
