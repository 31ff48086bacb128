// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.TransactionReadsTest.assertShows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How transactions end, and what they need. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionTest {
  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final IndexStore store = open(Set.of());
  private final Transactions transactions = store.state().transactions;
  private final LongIndex index = store.index("a");

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

  // ---------------------------------------------------------------- commit and end

  @Test
  void conflictNamesIndexAndKeyAndChangesNothing() {
    fill(3);
    store.index("b");
    try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
      transaction.index("a").set(20, 1);
      transaction.index("b").set(1, 1);
      transaction.index("a").get(10);
      index.set(10, 7);
      TransactionConflictException refused =
          assertThrows(TransactionConflictException.class, transaction::commit);
      assertEquals("a", refused.index());
      assertEquals(10, refused.key());
      assertEquals(
          "the transaction has read key 10 of index 'a', which was changed after it had begun",
          refused.getMessage());
      assertThrows(IllegalStateException.class, transaction::commit);
    }
    assertEquals(20, index.get(20));
    assertTrue(store.index("b").isEmpty());
  }

  @Test
  void commitIsOneRecordThatACrashKeepsOrLoses() {
    store.index("b");
    store.commit();
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      transaction.index("a").set(1, 1);
      transaction.index("b").set(2, 2);
      transaction.commit();
    }
    store.commit();
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      transaction.index("a").set(3, 3);
      transaction.index("b").set(4, 4);
      transaction.commit();
    }
    disk.losePower();
    assertThrows(RuntimeException.class, store::close);
    disk.restart(CrashPlan.NOTHING);
    try (IndexStore again = open(Set.of())) {
      assertEquals(1, again.index("a").get(1));
      assertEquals(2, again.index("b").get(2));
      assertEquals(again.index("a").containsKey(3), again.index("b").containsKey(4));
    }
  }

  @Test
  void closeWithoutCommitWritesNothing() {
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      transaction.index("a").set(1, 1);
    }
    assertTrue(index.isEmpty());
    assertEquals(0, transactions.bytes());
  }

  /** Else it would be committed without what was written to the other one. */
  @Test
  void anIndexThatWasMadeAgainWithOtherKeysIsRefused() {
    store.bytesIndex("strings");
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      transaction.index("a").set(1, 1);
      transaction.bytesIndex("strings").set(new byte[] {1}, new byte[] {1});
      store.drop("a");
      store.drop("strings");
      store.bytesIndex("a");
      store.index("strings");
      assertEquals(
          "the transaction has used another index 'a', which was dropped",
          assertThrows(IllegalStateException.class, () -> transaction.bytesIndex("a"))
              .getMessage());
      assertThrows(IllegalStateException.class, () -> transaction.index("strings"));
      assertThrows(IllegalStateException.class, transaction::commit);
    }
    assertTrue(store.bytesIndex("a").isEmpty());
    assertTrue(store.index("strings").isEmpty());
  }

  @Test
  void writesAreTakenBackToASavepoint() {
    fill(3);
    store.index("b");
    try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
      LongIndex own = transaction.index("a");
      own.set(1, 1);
      own.delete(20);
      long bytes = transactions.bytes();
      Savepoint first = transaction.savepoint();
      own.set(1, 2);
      own.set(2, 2);
      own.set(20, 2);
      Savepoint second = transaction.savepoint();
      own.clear();
      transaction.index("b").set(9, 9);
      transaction.rollbackTo(second);
      assertShows(new TreeMap<>(Map.of(0L, 0L, 1L, 2L, 2L, 2L, 10L, 10L, 20L, 2L)), own);
      assertTrue(transaction.index("b").isEmpty());
      for (int i = 0; i < 2; i++) {
        transaction.rollbackTo(first);
        assertEquals(bytes, transactions.bytes());
        assertShows(new TreeMap<>(Map.of(0L, 0L, 1L, 1L, 10L, 10L)), own);
        own.set(3, i);
      }
      assertThrows(IllegalArgumentException.class, () -> transaction.rollbackTo(second));
      transaction.commit();
      assertThrows(IllegalStateException.class, () -> transaction.rollbackTo(first));
      assertThrows(IllegalStateException.class, transaction::savepoint);
    }
    assertShows(new TreeMap<>(Map.of(0L, 0L, 1L, 1L, 3L, 1L, 10L, 10L)), index);
    assertTrue(store.index("b").isEmpty());
  }

  @Test
  void savepointIsOfOneTransaction() {
    try (Transaction one = store.begin(Isolation.SNAPSHOT);
        Transaction other = store.begin(Isolation.SNAPSHOT)) {
      Savepoint savepoint = one.savepoint();
      assertThrows(IllegalArgumentException.class, () -> other.rollbackTo(savepoint));
    }
  }

  @Test
  void nothingOfItWorksWhenItIsOver() {
    fill(3);
    Transaction transaction = store.begin(Isolation.SNAPSHOT);
    LongIndex own = transaction.index("a");
    LongCursor cursor = own.cursor();
    cursor.next();
    Map<Long, Long> map = own.asMap();
    transaction.commit();
    transaction.close();
    assertTrue(own.isClosed());
    List<Consumer<LongIndex>> calls =
        List.of(
            all -> all.get(1),
            all -> all.set(1, 1),
            all -> all.delete(1),
            LongIndex::size,
            LongIndex::cursor,
            LongIndex::isEmpty,
            LongIndex::clear,
            all -> all.countRange(1, true, 2, true),
            all -> all.getAll(new long[1], new long[1]),
            all -> all.putAll(new long[1], new long[1]));
    for (Consumer<LongIndex> call : calls) {
      assertThrows(IllegalStateException.class, () -> call.accept(own));
    }
    assertThrows(IllegalStateException.class, cursor::next);
    assertThrows(IllegalStateException.class, cursor::value);
    assertThrows(IllegalStateException.class, () -> map.get(1L));
    assertThrows(IllegalStateException.class, () -> transaction.index("a"));
    assertThrows(IllegalStateException.class, transaction::commit);
  }

  @Test
  void whatIsOfTheWholeTreeIsRefusedWithTheOtherWay() {
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      LongIndex own = transaction.index("a");
      UnsupportedOperationException refused =
          assertThrows(
              UnsupportedOperationException.class,
              () -> own.bulkload(new long[] {1}, new long[] {1}));
      assertEquals(
          "bulkload is not for index 'a' in a transaction; load the index of the store",
          refused.getMessage());
      List<Consumer<LongIndex>> calls =
          List.of(
              LongIndex::shrink,
              LongIndex::verify,
              LongIndex::flush,
              LongIndex::rootView,
              LongIndex::statistics,
              LongIndex::withReadWriteLock);
      for (Consumer<LongIndex> call : calls) {
        assertThrows(UnsupportedOperationException.class, () -> call.accept(own));
      }
      own.close();
      own.set(1, 1);
    }
  }

  @Test
  void indexMustBeThereAndHaveLongs() {
    store.bytesIndex("strings");
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      assertThrows(IllegalArgumentException.class, () -> transaction.index("none"));
      assertThrows(IllegalArgumentException.class, () -> transaction.index("strings"));
    }
    assertEquals(List.of("a", "strings"), store.names());
  }

  @Test
  void storeThatIsOpenedAgainOrWhoseIndexWasDroppedIsNoneOfTheTransaction() {
    fill(3);
    Transaction transaction = store.begin(Isolation.SNAPSHOT);
    LongIndex own = transaction.index("a");
    own.set(1, 1);
    store.drop("a");
    assertThrows(IllegalStateException.class, () -> own.get(2));
    assertThrows(IllegalStateException.class, transaction::commit);
    store.index("a").set(5, 5);
    store.transact(Isolation.SNAPSHOT, again -> again.index("a").put(5, 6));
    assertEquals(6, store.index("a").get(5));
  }

  // ---------------------------------------------------------------- work that is repeated

  @Test
  void workIsRepeatedAndEndsThoughOthersComeBetweenEachTime() {
    index.set(1, 0);
    AtomicInteger attempts = new AtomicInteger();
    List<Thread> others = new ArrayList<>();
    long result =
        store.transact(
            Isolation.SERIALIZABLE,
            transaction -> {
              LongIndex own = transaction.index("a");
              long before = own.get(1);
              Thread other = Thread.ofPlatform().start(() -> index.set(1, index.get(1) + 100));
              others.add(other);
              if (attempts.incrementAndGet() <= 8) {
                TransactionReadsTest.awaitEnd(other);
              }
              own.set(1, before + 1);
              return before;
            });
    others.forEach(TransactionReadsTest::awaitEnd);
    assertEquals(9, attempts.get());
    assertEquals(800, result);
    assertTrue(Set.of(801L, 900L, 901L).contains(index.get(1)), () -> "" + index.get(1));
  }

  @Test
  void workThatIsItsOwnConflictEnds() {
    AtomicInteger attempts = new AtomicInteger();
    assertThrows(
        TransactionConflictException.class,
        () ->
            store.transact(
                Isolation.SNAPSHOT,
                transaction -> {
                  attempts.incrementAndGet();
                  transaction.index("a").set(1, 1);
                  index.set(1, 2);
                  return 0;
                }));
    assertEquals(9, attempts.get());
    store.checkpoint();
  }

  @Test
  void workThatFailsIsNotRepeated() {
    IllegalArgumentException failure = new IllegalArgumentException("no");
    assertSame(
        failure,
        assertThrows(
            IllegalArgumentException.class,
            () ->
                store.transact(
                    Isolation.SNAPSHOT,
                    transaction -> {
                      transaction.index("a").set(1, 1);
                      throw failure;
                    })));
    assertTrue(index.isEmpty());
  }

  @Test
  void neitherBeginsNorCommitsWithinAWrite() {
    LongIndex other = store.index("b");
    Transaction open = store.begin(Isolation.SNAPSHOT);
    open.index("a").set(1, 1);
    other.bulkload(
        source(() -> assertThrows(IllegalStateException.class, open::commit)),
        1,
        -1,
        ProgressListener.NONE);
    other.clear();
    other.bulkload(
        source(
            () -> assertThrows(IllegalStateException.class, () -> store.begin(Isolation.SNAPSHOT))),
        1,
        -1,
        ProgressListener.NONE);
    assertTrue(index.isEmpty());
    store.transact(Isolation.SNAPSHOT, transaction -> transaction.index("a").put(1, 2));
    assertEquals(2, index.get(1));
  }

  private static LongEntrySource source(Runnable meanwhile) {
    return new LongEntrySource() {
      private long at;

      @Override
      public boolean next() {
        meanwhile.run();
        return ++at < 3;
      }

      @Override
      public long key() {
        return at;
      }

      @Override
      public long value() {
        return at;
      }
    };
  }

  // ---------------------------------------------------------------- memory

  @Test
  void oldestIsEndedAtTheLimitAndOthersGoOn() {
    fill(10);
    transactions.mostBytes = 100L * Transactions.VERSION_BYTES;
    Transaction oldest = store.begin(Isolation.SNAPSHOT);
    LongCursor cursor = oldest.index("a").cursor();
    cursor.next();
    for (int i = 0; i < 60; i++) {
      index.set(i % 10, i);
    }
    try (Transaction newer = store.begin(Isolation.SNAPSHOT)) {
      TreeMap<Long, Long> then = new TreeMap<>(index.asMap());
      for (int i = 0; i < 60; i++) {
        index.set(i % 10, 100 + i);
      }
      assertThrows(TransactionTooOldException.class, cursor::next);
      LongIndex own = oldest.index("a");
      assertThrows(TransactionTooOldException.class, () -> own.get(1));
      assertThrows(TransactionTooOldException.class, () -> own.set(1, 1));
      assertThrows(TransactionTooOldException.class, own::size);
      assertShows(then, newer.index("a"));
      assertTrue(transactions.bytes() <= transactions.mostBytes);
    }
    oldest.close();
    assertEquals(0, transactions.bytes());
  }

  @Test
  void changeOfMoreThanTheLimitIsMadeAndEndsAll() {
    fill(500);
    transactions.mostBytes = 100L * Transactions.VERSION_BYTES;
    Transaction first = store.begin(Isolation.SNAPSHOT);
    Transaction second = store.begin(Isolation.SNAPSHOT);
    index.clear();
    assertTrue(transactions.bytes() <= transactions.mostBytes);
    for (Transaction each : List.of(first, second)) {
      assertThrows(TransactionTooOldException.class, () -> each.index("a").get(0));
    }
    try (Transaction third = store.begin(Isolation.SNAPSHOT)) {
      assertShows(new TreeMap<>(), third.index("a"));
      index.set(1, 1);
      assertShows(new TreeMap<>(), third.index("a"));
    }
    assertEquals(0, transactions.bytes());
  }

  @Test
  void millionWritesInOneTransactionAreRefusedCleanly() {
    Transaction large = store.begin(Isolation.SNAPSHOT);
    LongIndex own = large.index("a");
    TransactionTooOldException refused =
        assertThrows(
            TransactionTooOldException.class,
            () -> {
              for (int i = 0; i < 1_000_000; i++) {
                own.set(i, i);
              }
            });
    assertTrue(refused.getMessage().contains("" + Transactions.MOST_BYTES), refused.getMessage());
    assertThrows(TransactionTooOldException.class, large::commit);
    assertTrue(index.isEmpty());
    assertEquals(0, transactions.bytes());
    store.transact(Isolation.SNAPSHOT, small -> small.index("a").put(1, 1));
    assertEquals(1, index.get(1));
  }

  @Test
  void droppedTransactionIsEndedByTheCollector() {
    drop();
    for (int i = 0; i < 1000 && transactions.dropped() == 0; i++) {
      System.gc();
      Waiting.nap(10_000_000);
    }
    assertEquals(1, transactions.dropped());
    index.set(1, 1);
    assertEquals(0, transactions.bytes());
  }

  private void drop() {
    store.begin(Isolation.SNAPSHOT).index("a").set(1, 1);
    assertTrue(transactions.bytes() > 0);
  }
}
