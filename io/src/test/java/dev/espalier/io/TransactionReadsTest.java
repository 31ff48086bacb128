// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.LongCursor;
import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a transaction shows: one moment, and its own writes. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionReadsTest {
  private final SimulatedDisk disk = DiskTrials.disk(1);
  private IndexStore store;
  private Transactions transactions;
  private LongIndex index;

  @BeforeEach
  void open() {
    store = open(Set.of());
    transactions = store.state().transactions;
    index = store.index("a");
  }

  private IndexStore open(Set<Rule> without) {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(1), false, false, without);
    return new StoreOpening(SimulatedDisk.path("store"), StoreOptions.DEFAULT, environment).open();
  }

  @AfterEach
  void close() {
    if (!disk.crashed()) {
      store.close();
    }
  }

  private void fill(int entries) {
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    index.putAll(keys, keys);
  }

  // ---------------------------------------------------------------- what it sees

  /** Every way of writing to an index outside of transactions. */
  enum Plain {
    PUT((_, index) -> index.put(10, 1)),
    SET((_, index) -> index.set(11, 1)),
    PUT_IF_ABSENT((_, index) -> index.putIfAbsent(11, 1)),
    INSERT((_, index) -> index.insert(11, 1)),
    REPLACE((_, index) -> index.replace(10, 10, 1)),
    REMOVE((_, index) -> index.remove(10)),
    REMOVE_A_VALUE((_, index) -> index.remove(10, 10)),
    DELETE((_, index) -> index.delete(10)),
    PUT_ALL((_, index) -> index.putAll(new long[] {10, 11}, new long[] {1, 2})),
    REMOVE_RANGE((_, index) -> index.removeRange(10, false, 50, true)),
    CLEAR((_, index) -> index.clear()),
    CLEAR_AND_BULKLOAD(
        (_, index) -> {
          index.clear();
          index.bulkload(new long[] {5, 10, 15}, new long[] {1, 2, 3});
          index.clear();
          index.bulkload(new long[] {5, 20}, new long[] {4, 5});
        }),
    CURSOR_SET(
        (_, index) -> {
          LongCursor cursor = index.cursor();
          cursor.first();
          cursor.setValue(7);
        }),
    CURSOR_REMOVE(
        (_, index) -> {
          LongCursor cursor = index.cursor();
          cursor.last();
          cursor.remove();
        }),
    BATCH((store, index) -> store.write(new WriteBatch().set(index, 10, 1).delete(index, 20)));

    private interface Write {
      void make(IndexStore store, LongIndex index);
    }

    private final Write write;

    Plain(Write write) {
      this.write = write;
    }
  }

  @ParameterizedTest
  @EnumSource
  void showsTheMomentOfItsBeginningWhateverIsWrittenMeanwhile(Plain plain) {
    for (TreeVariant variant : List.of(index.variant(), DiskFirstFpbPlusTree.VARIANT)) {
      LongIndex written = store.index(variant.name(), variant);
      long[] keys = LongStream.range(0, 20).map(i -> 10 * i).toArray();
      written.putAll(keys, keys);
      TreeMap<Long, Long> then = new TreeMap<>(written.asMap());
      try (Transaction before = store.begin(Isolation.SNAPSHOT)) {
        LongCursor half = before.index(variant.name()).cursor();
        half.next();
        half.next();
        plain.write.make(store, written);
        TreeMap<Long, Long> now = new TreeMap<>(written.asMap());
        assertFalse(now.equals(then), variant.name());
        assertShows(then, before.index(variant.name()));
        assertTrue(half.next());
        assertEquals(20, half.key());
        try (Transaction after = store.begin(Isolation.SNAPSHOT)) {
          assertShows(now, after.index(variant.name()));
        }
        assertEquals(now, written.asMap());
      }
      assertEquals(0, transactions.keysWithVersions());
      assertEquals(0, transactions.bytes());
    }
  }

  @Test
  void aBulkloadInBetweenIsNotSeen() {
    try (Transaction before = store.begin(Isolation.SERIALIZABLE)) {
      index.bulkload(new long[] {5, 10}, new long[] {1, 2});
      assertShows(new TreeMap<>(), before.index("a"));
      before.index("a").set(5, 9);
      assertThrows(TransactionConflictException.class, before::commit);
    }
    assertShows(new TreeMap<>(Map.of(5L, 1L, 10L, 2L)), index);
  }

  /** Compares all ways of reading an index with a map. */
  static void assertShows(TreeMap<Long, Long> expected, LongIndex seen) {
    assertEquals(expected, new TreeMap<>(seen.asMap()));
    assertEquals(expected.size(), seen.size());
    assertEquals(expected.isEmpty(), seen.isEmpty());
    assertEquals(
        new ArrayList<>(expected.descendingMap().entrySet()),
        new ArrayList<>(seen.asMap().descendingMap().entrySet()));
    long[] keys = LongStream.range(-1, 202).toArray();
    long[] values = new long[keys.length];
    long[] found = new long[4];
    assertEquals(expected.size(), seen.getAll(keys, values, found));
    long[] same = keys.clone();
    seen.getAll(same, same);
    long[] value = new long[1];
    for (int i = 0; i < keys.length; i++) {
      long key = keys[i];
      boolean isThere = expected.containsKey(key);
      long stored = expected.getOrDefault(key, seen.missingValue());
      assertEquals(stored, seen.get(key), () -> "get " + key);
      assertEquals(stored, values[i], () -> "getAll " + key);
      assertEquals(stored, same[i], () -> "getAll in place " + key);
      assertEquals(isThere, (found[i / 64] >>> i & 1) != 0, () -> "found " + key);
      assertEquals(isThere, seen.containsKey(key));
      assertEquals(isThere, seen.find(key, value));
      assertEquals(expected.getOrDefault(key, -7L), seen.getOrDefault(key, -7));
      LongEntry entry = new LongEntry();
      assertEquals(expected.floorKey(key) != null, seen.floor(key, entry));
      assertEquals(expected.floorKey(key), seen.floor(key, entry) ? entry.key() : null);
      LongCursor cursor = seen.cursor();
      assertAt(expected.floorEntry(key), cursor.floor(key), cursor);
      assertAt(expected.ceilingEntry(key), cursor.ceiling(key), cursor);
      assertAt(expected.lowerEntry(key), cursor.lower(key), cursor);
      assertAt(expected.higherEntry(key), cursor.higher(key), cursor);
      LongCursor back = seen.cursor();
      assertAt(expected.higherEntry(key), back.higher(key), back);
      assertAt(expected.ceilingEntry(key), back.ceiling(key), back);
      back = seen.cursor();
      assertAt(expected.lowerEntry(key), back.lower(key), back);
      assertAt(expected.floorEntry(key), back.floor(key), back);
      assertEquals(
          expected.subMap(key, true, key + 25, false).size(),
          seen.countRange(key, true, key + 25, false));
      assertEquals(
          expected.subMap(key, false, key + 25, true).size(),
          seen.subView(key, false, key + 25, true).size());
    }
    TreeMap<Long, Long> each = new TreeMap<>();
    seen.forEach(each::put);
    assertEquals(expected, each);
    List<Long> runs = new ArrayList<>();
    LongRun run = new LongRun();
    LongCursor cursor = seen.cursor();
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++) {
        runs.add(run.key(i));
        assertEquals(expected.get(run.key(i)), run.value(i));
      }
      assertEquals(runs.getLast(), cursor.key());
    }
    assertEquals(new ArrayList<>(expected.keySet()), runs);
  }

  private static void assertAt(Map.Entry<Long, Long> expected, boolean found, LongCursor cursor) {
    assertEquals(expected != null, found);
    if (found) {
      assertEquals(expected, Map.entry(cursor.key(), cursor.value()));
    }
  }

  @Test
  void showsItsOwnWritesInAllWays() {
    fill(20);
    TreeMap<Long, Long> model = new TreeMap<>(index.asMap());
    try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
      LongIndex own = transaction.index("a");
      assertSame(own, transaction.index("a"));
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < 300; i++) {
        write(random, own, model, i);
        if (i % 20 == 0) {
          assertShows(model, own);
        }
      }
      assertShows(model, own);
      assertEquals(20, index.size(), "nobody else sees them");
      transaction.commit();
    }
    assertShows(model, index);
  }

  @Test
  void cursorCopiesItsEntryButDoesNotBringItBack() {
    fill(3);
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      LongIndex own = transaction.index("a");
      LongCursor cursor = own.cursor();
      cursor.ceiling(10);
      own.delete(10);
      assertEquals(10, cursor.key());
      assertEquals(10, cursor.value());
      assertThrows(IllegalStateException.class, () -> cursor.setValue(1));
      assertThrows(IllegalStateException.class, cursor::remove);
      assertTrue(cursor.next());
      assertEquals(20, cursor.key());
      own.set(10, 5);
      assertTrue(cursor.previous());
      assertEquals(5, cursor.value());
    }
  }

  private static void write(
      SplittableRandom random, LongIndex own, TreeMap<Long, Long> model, long value) {
    long key = random.nextInt(200);
    long missing = own.missingValue();
    switch (random.nextInt(16)) {
      case 0 -> assertEquals(or(missing, model.put(key, value)), own.put(key, value));
      case 1 -> assertEquals(or(missing, model.remove(key)), own.remove(key));
      case 2 ->
          assertEquals(or(missing, model.putIfAbsent(key, value)), own.putIfAbsent(key, value));
      case 3 -> assertEquals(model.putIfAbsent(key, value) == null, own.insert(key, value));
      case 4 -> assertEquals(model.replace(key, key, value), own.replace(key, key, value));
      case 5 -> assertEquals(model.remove(key, key), own.remove(key, key));
      case 6 -> {
        model.keySet().removeIf(k -> k >= key && k < key + 12);
        own.removeRange(key, true, key + 12, false);
      }
      case 7 -> {
        own.putAll(new long[] {key, key + 1}, new long[] {value, -value});
        model.put(key, value);
        model.put(key + 1, -value);
      }
      case 8 -> {
        LongCursor cursor = own.cursor();
        if (cursor.ceiling(key)) {
          model.put(cursor.key(), value);
          cursor.setValue(value);
          assertEquals(value, cursor.value());
        }
      }
      case 9 -> {
        LongCursor cursor = own.cursor();
        if (cursor.floor(key)) {
          model.remove(cursor.key());
          cursor.remove();
          assertThrows(IllegalStateException.class, cursor::key);
          Long next = model.higherKey(key);
          assertEquals(next == null || next < key, !cursor.ceiling(key) || cursor.key() < key);
        }
      }
      case 10 ->
          assertEquals(
              model.merge(key, value, Long::sum), own.asMap().merge(key, value, Long::sum));
      case 11 -> {
        own.tailView(190, true).clear();
        model.tailMap(190L, true).clear();
      }
      case 13 -> assertEquals(model.merge(key, 7L, Long::sum), own.addTo(key, 7));
      case 14 -> {
        LongEntry last = new LongEntry();
        assertEquals(model.pollLastEntry() != null, own.pollLast(last));
      }
      case 12 -> {
        own.set(key, value);
        model.put(key, value);
      }
      default -> {
        own.delete(key);
        model.remove(key);
      }
    }
  }

  private static long or(long missing, Long value) {
    return value == null ? missing : value;
  }

  static Stream<TreeVariant> variants() {
    return Family.all().stream().filter(tree -> tree.medium() == TreeVariant.Medium.PAGES);
  }

  /** In each tree: one transaction from before, and one from after so many writes by batches. */
  @ParameterizedTest
  @MethodSource("variants")
  void everyTreeShowsBothMoments(TreeVariant variant) {
    LongIndex written = store.index(variant.name(), variant);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100; i++) {
      written.set(random.nextInt(200), i);
    }
    TreeMap<Long, Long> then = new TreeMap<>(written.asMap());
    try (Transaction before = store.begin(Isolation.SERIALIZABLE)) {
      for (int i = 0; i < 20; i++) {
        try (Transaction other = store.begin(Isolation.SERIALIZABLE)) {
          for (int j = 0; j < 10; j++) {
            LongIndex own = other.index(variant.name());
            long key = random.nextInt(200);
            if (own.remove(key) == own.missingValue()) {
              own.set(key, 1000 + i);
            }
          }
          other.commit();
        }
      }
      assertShows(then, before.index(variant.name()));
      before.commit();
    }
    try (Transaction after = store.begin(Isolation.SERIALIZABLE)) {
      assertShows(new TreeMap<>(written.asMap()), after.index(variant.name()));
    }
    assertEquals(0, transactions.keysWithVersions());
  }

  // ---------------------------------------------------------------- a change without versions

  /** Waits until a thread has ended. */
  static void awaitEnd(Thread thread) {
    assertDoesNotThrow(() -> thread.join());
  }

  /** Returns a tree of which a put waits before it changes anything. */
  private static TreeVariant pausing(CountDownLatch isPaused, CountDownLatch goOn) {
    TreeVariant plain = Family.named("FpbLinkTree");
    return TreeVariant.inPages(
        plain.name(),
        plain.paper(),
        plain.factory(),
        (options, pages) -> {
          LongIndex tree = plain.open(options, pages);
          return (LongIndex)
              Proxy.newProxyInstance(
                  TransactionReadsTest.class.getClassLoader(),
                  new Class<?>[] {ConcurrentLongIndex.class},
                  (_, method, arguments) -> {
                    if (method.getName().equals("put")) {
                      isPaused.countDown();
                      Waiting.await(goOn);
                    }
                    try {
                      return method.invoke(tree, arguments);
                    } catch (InvocationTargetException failed) {
                      throw failed.getCause();
                    }
                  });
        });
  }

  /** Returns what a transaction reads before and after a put that was under way as it began. */
  private static List<Long> readsBesideAPut(Set<Rule> without) {
    CountDownLatch isPaused = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch hasRead = new CountDownLatch(1);
    StoreEnvironment environment =
        new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false, without);
    try (IndexStore store =
        new StoreOpening(SimulatedDisk.path("paused"), StoreOptions.DEFAULT, environment).open()) {
      LongIndex index = store.index("a", pausing(isPaused, goOn));
      store.transact(Isolation.SNAPSHOT, transaction -> transaction.index("a").get(1)); // opens it
      Thread writer = Thread.ofPlatform().start(() -> index.put(1, 20));
      Waiting.await(isPaused);
      List<Long> reads = new ArrayList<>();
      Thread reader =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
                      LongIndex own = transaction.index("a");
                      reads.add(own.getOrDefault(1, 10));
                      hasRead.countDown();
                      awaitEnd(writer);
                      reads.add(own.getOrDefault(1, 10));
                    }
                  });
      while (reader.getState() != Thread.State.WAITING && hasRead.getCount() > 0) {
        Thread.onSpinWait();
      }
      goOn.countDown();
      awaitEnd(reader);
      return reads;
    }
  }

  @Test
  void beginsWhenChangesUnderWayHaveEnded() {
    assertEquals(List.of(20L, 20L), readsBesideAPut(Set.of()));
  }

  @Test
  void transactionThatDoesNotWaitReadsTwoMoments() {
    assertEquals(List.of(10L, 20L), readsBesideAPut(Set.of(Rule.TRANSACTIONS_WAIT_FOR_CHANGES)));
  }
}
