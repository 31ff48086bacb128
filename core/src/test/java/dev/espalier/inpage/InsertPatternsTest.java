// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.memory.ChangedWords;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Orders in which people insert. What an insert moves, and how full pages get, does not depend on
 * it.
 */
class InsertPatternsTest {
  /** The usual pages: 18 in-page leaves of 55 entries. */
  private static final int PAGE_BYTES = 16 << 10;

  private static final Geometry USUAL = new Geometry(3, 14);
  private static final int PER_PAGE = 18 * 55;

  /** An in-page leaf has 110 words of entries, half of which move at worst, on average. */
  private static final long WORDS_AN_INSERT = 80;

  /** A page is split or stored anew once for so many inserts, at most. */
  private static final int INSERTS_A_MOVE = 40;

  /** Orders in which keys come: each makes the n-th key. */
  enum Order {
    ASCENDING(i -> i, 0.97),
    DESCENDING(i -> -i, 0.97),
    INWARDS(i -> i % 2 == 0 ? i : (1L << 40) - i, 0.95),
    OUTWARDS(i -> i % 2 == 0 ? i : -i, 0.95),
    STREAMS(i -> (i % 10 << 32) + i, 0.75),
    DESCENDING_STREAMS(i -> (i % 10 << 32) - i, 0.75),
    STREAMS_BOTH_WAYS(i -> (i % 10 << 32) + (i / 10 % 2 == 0 ? i : -i), 0.8),
    MANY_STREAMS(i -> (i % 1000 << 32) + i, 0.5),
    RANDOM(i -> random(i), 0.55),
    RANDOM_IN_FEW_PLACES(i -> (i % 7 << 40) + (random(i) >>> 30), 0.55),
    HOT_SPOT(i -> i % 10 == 0 ? random(i) : random(i) >>> 24, 0.55),
    RUNS_OF_8(i -> (random(i >> 3) & -8L) + i % 8, 0.5),
    RUNS_OF_32(i -> (random(i >> 5) & -32L) + i % 32, 0.5);

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
    private final LongUnaryOperator key;

    private final double fill;

    Order(LongUnaryOperator key, double fill) {
      this.key = key;
      this.fill = fill;
    }
  }

  /** Mixes the bits of a number, so that each has a key of its own. */
  private static long random(long i) {
    long z = (i ^ (i >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return z ^ (z >>> 31);
  }

  private static List<Order> orders() {
    return TestSize.part("orders", List.of(Order.values()));
  }

  @ParameterizedTest
  @MethodSource("orders")
  @Tag("thorough")
  void insertsOfAnyOrderMoveLittleInADiskFirstTree(Order order) {
    ChangedWords store = store();
    insert(order, store, DiskFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, USUAL));
  }

  @ParameterizedTest
  @MethodSource("orders")
  @Tag("thorough")
  void insertsOfAnyOrderMoveLittleInATreeForManyThreads(Order order) {
    ChangedWords store = store();
    insert(order, store, FpbLinkTree.open(IndexOptions.DEFAULT, store, USUAL));
  }

  private static ChangedWords store() {
    return new ChangedWords(IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES));
  }

  private static void insert(Order order, ChangedWords store, LongIndex index) {
    int count = TestSize.of(60_000, 300_000);
    try (index) {
      for (long i = 0; i < count; i++) {
        assertEquals(index.missingValue(), index.put(order.key.applyAsLong(i), i));
      }
      index.verify();
      for (long i = 0; i < count; i++) {
        assertEquals(i, index.get(order.key.applyAsLong(i)));
      }
      String what = "%s: %d words, %d pages".formatted(order, store.changed(), store.pagesInUse());
      assertTrue(store.changed() <= WORDS_AN_INSERT * count, what);
      assertTrue((long) INSERTS_A_MOVE * store.moves() <= count, what + ", " + store.moves());
      assertTrue(count >= order.fill * PER_PAGE * store.pagesInUse(), what);
    }
  }
}
