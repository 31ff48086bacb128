// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.family.Family;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transactions of several threads over very few keys. Each writes values that nobody else writes,
 * and only to keys that it has read. So of what they have read and written follows who came before
 * whom, in the manner of Elle (Kingsbury and Alvaro, 2020), and a circle shows that an isolation
 * was broken.
 */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionThreadsTest {
  private static final int THREADS = 4;
  private static final long KEYS = 6;

  /** What a transaction that committed has read and written; a value of 0 is that of no entry. */
  private record History(Map<Long, Long> read, Map<Long, Long> written) {}

  private final ConcurrentLinkedQueue<History> histories = new ConcurrentLinkedQueue<>();
  private final AtomicLong values = new AtomicLong();
  private String tree = "";

  private void work(IndexStore store, Isolation isolation, long seed, int transactions) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < transactions; i++) {
      try (Transaction transaction = store.begin(isolation)) {
        History history = new History(new HashMap<>(), new HashMap<>());
        for (int calls = 1 + random.nextInt(4); calls > 0; calls--) {
          call(transaction, history, random);
          if (random.nextInt(4) == 0) {
            Thread.yield();
          }
        }
        transaction.commit();
        histories.add(history);
      } catch (TransactionConflictException refused) {
        // Nothing has happened.
      }
      if (random.nextInt(8) == 0) {
        writeWithout(store, random);
      }
    }
  }

  private void call(Transaction transaction, History history, SplittableRandom random) {
    long key = random.nextLong(KEYS);
    LongIndex index = AsLongs.of(transaction, tree, key < KEYS / 2 ? "a" : "b");
    switch (random.nextInt(4)) {
      case 0 -> note(history, key, index.getOrDefault(key, 0));
      case 1 -> {
        long[] seen = new long[(int) KEYS];
        LongCursor cursor = index.cursor();
        while (cursor.next()) {
          seen[(int) cursor.key()] = cursor.value();
        }
        long from = key < KEYS / 2 ? 0 : KEYS / 2;
        for (long each = from; each < from + KEYS / 2; each++) {
          note(history, each, seen[(int) each]);
        }
      }
      default -> {
        note(history, key, index.getOrDefault(key, 0));
        long value = values.incrementAndGet();
        index.set(key, value);
        history.written.put(key, value);
      }
    }
  }

  /** Notes what was read, unless it is what the transaction itself has written. */
  private static void note(History history, long key, long value) {
    Long own = history.written.get(key);
    Long before = history.read.putIfAbsent(key, value);
    long expected = own != null ? own : before != null ? before : value;
    assertEquals(expected, value, "read again");
  }

  /** A write without a transaction, which has read the value that it replaces. */
  private void writeWithout(IndexStore store, SplittableRandom random) {
    long key = random.nextLong(KEYS);
    LongIndex index = AsLongs.of(store, tree, key < KEYS / 2 ? "a" : "b");
    long value = values.incrementAndGet();
    if (tree.equals(StoreBytesIndex.KIND)) {
      long before = index.put(key, value);
      histories.add(
          new History(new HashMap<>(Map.of(key, before)), new HashMap<>(Map.of(key, value))));
      return;
    }
    long before = index.getOrDefault(key, 0);
    boolean isDone = before == 0 ? index.insert(key, value) : index.replace(key, before, value);
    if (isDone) {
      histories.add(
          new History(new HashMap<>(Map.of(key, before)), new HashMap<>(Map.of(key, value))));
    }
  }

  private void run(String tree, Isolation isolation, Set<Rule> without, int transactions) {
    StoreEnvironment environment =
        new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false, without);
    this.tree = tree;
    StoreOptions options =
        tree.equals(StoreBytesIndex.KIND)
            ? StoreOptions.DEFAULT
            : StoreOptions.DEFAULT.withFiles(FileOptions.DEFAULT.withVariant(Family.named(tree)));
    try (IndexStore store =
        new StoreOpening(SimulatedDisk.path("store"), options, environment).open()) {
      AsLongs.of(store, tree, "a");
      AsLongs.of(store, tree, "b");
      List<Thread> threads = new ArrayList<>();
      ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
      for (int i = 0; i < THREADS; i++) {
        int seed = i;
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        work(store, isolation, seed, transactions / THREADS);
                      } catch (Throwable failed) {
                        failures.add(failed);
                      }
                    }));
      }
      threads.forEach(TransactionReadsTest::awaitEnd);
      if (!failures.isEmpty()) {
        throw new AssertionError("a thread failed", failures.peek());
      }
      Transactions all = store.state().transactions;
      assertEquals(0, all.keysWithVersions());
      assertEquals(0, all.bytes());
    }
  }

  // ---------------------------------------------------------------- the search

  /** Who came before whom, by the numbers of the transactions. */
  private static final class Order {
    final int count;

    /** By what was written: who has written what another one has read or replaced. */
    final List<Set<Integer>> byWrites = new ArrayList<>();

    /** Who has read what another one has replaced. */
    final List<Set<Integer>> byReads = new ArrayList<>();

    Order(List<History> histories) {
      count = histories.size();
      Map<Long, Integer> writers = new HashMap<>();
      Map<List<Long>, Integer> replacers = new HashMap<>();
      for (int i = 0; i < count; i++) {
        byWrites.add(new HashSet<>());
        byReads.add(new HashSet<>());
        History history = histories.get(i);
        for (Map.Entry<Long, Long> write : history.written.entrySet()) {
          writers.put(write.getValue(), i);
          long before = history.read.get(write.getKey());
          Integer other = replacers.put(List.of(write.getKey(), before), i);
          assertEquals(null, other, "two transactions have replaced the same value");
        }
      }
      for (int i = 0; i < count; i++) {
        for (Map.Entry<Long, Long> read : histories.get(i).read.entrySet()) {
          if (read.getValue() != 0) {
            Integer writer = writers.get(read.getValue());
            assertTrue(writer != null, "what nobody has committed was read");
            byWrites.get(writer).add(i);
          }
          Integer replacer = replacers.get(List.of(read.getKey(), read.getValue()));
          if (replacer != null && replacer != i) {
            byReads.get(i).add(replacer);
          }
        }
      }
    }

    /** Tells whether there is a circle of any steps. */
    boolean hasCircle() {
      List<Set<Integer>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Set<Integer> next = new HashSet<>(byWrites.get(i));
        next.addAll(byReads.get(i));
        all.add(next);
      }
      return isCircular(all);
    }

    /** Tells whether there is a circle in which no two steps by reads follow one another. */
    boolean hasCircleOfASnapshot() {
      List<Set<Integer>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Set<Integer> next = new HashSet<>(byWrites.get(i));
        byWrites.get(i).forEach(one -> next.addAll(byReads.get(one)));
        all.add(next);
      }
      return isCircular(all);
    }

    /** Takes away again and again who has nobody before; what is left is circular. */
    private boolean isCircular(List<Set<Integer>> next) {
      int[] before = new int[count];
      next.forEach(all -> all.forEach(one -> before[one]++));
      Deque<Integer> free = new ArrayDeque<>();
      for (int i = 0; i < count; i++) {
        if (before[i] == 0) {
          free.add(i);
        }
      }
      int taken = 0;
      while (!free.isEmpty()) {
        taken++;
        for (int one : next.get(free.remove())) {
          if (--before[one] == 0) {
            free.add(one);
          }
        }
      }
      return taken < count;
    }
  }

  private Order order() {
    return new Order(List.copyOf(histories));
  }

  private static final int TRANSACTIONS = TestSize.share(20_000, 200_000);

  @ParameterizedTest
  @ValueSource(strings = {"FpbLinkTree", "DiskFirstFpbPlusTree", StoreBytesIndex.KIND})
  void serializableTransactionsHaveAnOrder(String tree) {
    run(tree, Isolation.SERIALIZABLE, Set.of(), TRANSACTIONS);
    assertTrue(histories.size() > TRANSACTIONS / 50, () -> histories.size() + " have committed");
    assertTrue(!order().hasCircle(), "a circle");
  }

  @ParameterizedTest
  @ValueSource(strings = {"FpbLinkTree", "DiskFirstFpbPlusTree", StoreBytesIndex.KIND})
  void snapshotsHaveCirclesOfWriteSkewOnly(String tree) {
    run(tree, Isolation.SNAPSHOT, Set.of(), TRANSACTIONS);
    assertTrue(histories.size() > TRANSACTIONS / 50, () -> histories.size() + " have committed");
    Order order = order();
    assertTrue(!order.hasCircleOfASnapshot(), "a circle");
    assertTrue(order.hasCircle(), "no write skew: the transactions hardly met");
  }

  private boolean isFound(String tree, Isolation isolation, Rule rule) {
    histories.clear();
    try {
      run(tree, isolation, Set.of(rule), TRANSACTIONS);
      Order order = order();
      return isolation == Isolation.SERIALIZABLE ? order.hasCircle() : order.hasCircleOfASnapshot();
    } catch (AssertionError found) {
      return true;
    }
  }

  @ParameterizedTest
  @EnumSource(
      names = {"KEYS_READ_ARE_CHECKED", "RANGES_READ_ARE_CHECKED", "KEYS_WRITTEN_ARE_CHECKED"})
  @Tag("thorough")
  void circleIsFoundWithoutACheck(Rule rule) {
    Isolation isolation =
        rule == Rule.KEYS_WRITTEN_ARE_CHECKED ? Isolation.SNAPSHOT : Isolation.SERIALIZABLE;
    for (String each : List.of("FpbLinkTree", StoreBytesIndex.KIND)) {
      assertTrue(isFound(each, isolation, rule), each);
    }
  }

  @Test
  void searchFindsEachKindOfCircle() {
    TreeMap<Long, Long> none = new TreeMap<>();
    histories.add(
        new History(new TreeMap<>(Map.of(1L, 0L, 2L, 0L)), new TreeMap<>(Map.of(1L, 5L))));
    histories.add(
        new History(new TreeMap<>(Map.of(1L, 0L, 2L, 0L)), new TreeMap<>(Map.of(2L, 6L))));
    assertTrue(order().hasCircle(), "write skew");
    assertTrue(!order().hasCircleOfASnapshot(), "write skew is no circle of a snapshot");
    histories.add(new History(new TreeMap<>(Map.of(1L, 5L, 2L, 0L)), none));
    histories.add(new History(new TreeMap<>(Map.of(1L, 0L, 2L, 6L)), none));
    assertTrue(order().hasCircleOfASnapshot(), "a long fork");
  }
}
