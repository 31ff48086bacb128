// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.Transactions.Place;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which moments transactions see, who waits for whom, and which versions are kept for how long. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionsTest {
  private static final int VERSION = Transactions.VERSION_BYTES;

  private IndexStore store;
  private WriterGate gate;
  private Transactions transactions;
  private LongIndex longs;
  private BytesIndex strings;
  private final List<OpenTransaction> begun = new ArrayList<>();

  @BeforeEach
  void openAndFill() {
    StoreEnvironment environment =
        new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false);
    store = new StoreOpening(LogCalls.STORE, StoreOptions.DEFAULT, environment).open();
    gate = store.state().gate;
    transactions = store.state().transactions;
    longs = store.index("a");
    strings = store.bytesIndex("b");
    for (int key = 10; key <= 50; key += 10) {
      longs.set(key, key);
      strings.set(bytes(key), bytes(key, key));
    }
  }

  @AfterEach
  void close() {
    begun.forEach(transactions::end);
    assertEquals(0, transactions.bytes());
    assertEquals(0, transactions.keysWithVersions());
    assertFalse(transactions.areEntering());
    assertEquals(0, gate.sum());
    store.close();
  }

  private static byte[] bytes(int... bytes) {
    byte[] all = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      all[i] = (byte) bytes[i];
    }
    return all;
  }

  private OpenTransaction begin() {
    OpenTransaction one = transactions.begin();
    begun.add(one);
    return one;
  }

  /** Has a thread do something, and returns it when it waits. */
  private static Thread waiting(Runnable action) {
    Thread thread = Thread.ofPlatform().daemon().start(action);
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "it should wait");
      Thread.onSpinWait();
    }
    return thread;
  }

  /** A thread that is alone in the gate until it is told to leave. */
  private final class Alone {
    private final CountDownLatch leave = new CountDownLatch(1);
    private final Thread thread =
        waiting(
            () -> {
              gate.enterAlone();
              try {
                leave.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              } finally {
                gate.leaveAlone();
              }
            });

    void leave() throws InterruptedException {
      leave.countDown();
      thread.join();
    }
  }

  // ---------------------------------------------------------------- begin and end

  @Test
  void aTransactionIsOpenUntilItEnds() {
    assertFalse(transactions.areEntering());
    OpenTransaction one = begin();
    OpenTransaction other = begin();
    assertEquals(0, one.time);
    assertEquals(0, other.time);
    assertTrue(transactions.areEntering());
    assertTrue(transactions.end(one));
    assertFalse(transactions.end(one));
    assertTrue(transactions.areEntering());
    assertFalse(other.isDoomed());
    other.run();
    assertFalse(transactions.areEntering());
    assertEquals(1, transactions.dropped());
    other.run(); // It was over.
    assertEquals(1, transactions.dropped());
  }

  /** After an error, as for want of memory, nobody has it who could end it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatFailsToBeginIsNotEntering(boolean isBesideAnother) throws InterruptedException {
    if (isBesideAnother) {
      begin();
    }
    transactions.beforeListed =
        () -> {
          throw new OutOfMemoryError("says a test");
        };
    assertThrows(OutOfMemoryError.class, transactions::begin);
    transactions.beforeListed = () -> {};
    assertEquals(isBesideAnother, transactions.areEntering());
    begun.forEach(transactions::end);
    assertFalse(transactions.areEntering());
    Thread other = Thread.ofPlatform().start(() -> longs.set(10, 11));
    other.join();
    assertEquals(11, longs.get(10));
  }

  /** Nobody has to wait again until all are over, since all writers keep versions meanwhile. */
  @Test
  void onlyTheFirstWaitsForThoseWithin() throws InterruptedException {
    Alone alone = new Alone();
    List<OpenTransaction> all = new ArrayList<>();
    Thread first = waiting(() -> all.add(transactions.begin()));
    assertTrue(transactions.areEntering()); // So that writers see it before it sees them.
    alone.leave();
    first.join();
    Alone again = new Alone();
    all.add(transactions.begin());
    assertTrue(transactions.end(all.get(0)));
    all.add(transactions.begin());
    assertTrue(transactions.end(all.get(1)));
    assertTrue(transactions.end(all.get(2)));
    Thread last = waiting(() -> all.add(transactions.begin()));
    again.leave();
    last.join();
    assertTrue(transactions.end(all.get(3)));
  }

  @Test
  void noneBeginsWithinAWriteOfItsThread() {
    gate.enterAlone();
    transactions.beginTurn();
    assertFalse(transactions.isWithinWrite());
    assertEquals(
        "a transaction can't begin within a write",
        assertThrows(IllegalStateException.class, transactions::begin).getMessage());
    assertFalse(transactions.areEntering());
    transactions.beginTurn();
    assertTrue(transactions.isWithinWrite());
    transactions.endTurn();
    assertFalse(transactions.isWithinWrite());
    transactions.endTurn();
    begin();
    gate.leaveAlone();
  }

  // ---------------------------------------------------------------- turns

  @Test
  void timePassesWithTheTurnsThatSomebodyMaySee() {
    longs.set(10, 1);
    assertEquals(0, begin().time);
    longs.set(10, 2);
    assertEquals(1, begin().time);
    strings.set(bytes(10), bytes(2));
    assertEquals(2, begin().time);
    begun.forEach(transactions::end);
    longs.set(10, 3);
    assertEquals(2, begin().time);
  }

  /** A bulkload may write from what it reads, and is one turn with that. */
  @Test
  void aTurnWithinATurnIsPublishedAtTheEndOfBoth() {
    begin();
    List<Place> reached = new ArrayList<>();
    transactions.atPlace = reached::add;
    gate.enterAlone();
    transactions.beginTurn();
    transactions.beginTurn();
    transactions.endTurn();
    assertEquals(List.of(), reached);
    assertEquals(0, begin().time);
    transactions.reachInTurn(Place.VERSIONS_ARE_PUT);
    transactions.endTurn();
    assertEquals(List.of(Place.VERSIONS_ARE_PUT, Place.TREES_ARE_CHANGED), reached);
    assertEquals(1, begin().time);
    gate.leaveAlone();
  }

  @Test
  void aTurnThatNobodySeesReachesNoPlace() {
    List<Place> reached = new ArrayList<>();
    transactions.atPlace = reached::add;
    gate.enterAlone();
    transactions.beginTurn();
    transactions.reachInTurn(Place.VERSIONS_ARE_PUT);
    transactions.endTurn();
    gate.leaveAlone();
    assertEquals(List.of(), reached);
  }

  // ---------------------------------------------------------------- versions

  @Test
  void versionsAreKeptOfWhatIsWrittenWhileOneIsOpen() {
    longs.set(10, 1);
    assertEquals(0, transactions.bytes());
    begin();
    longs.set(10, 2);
    longs.set(10, 3); // A version of each turn.
    longs.delete(99);
    assertEquals(3 * VERSION, transactions.bytes());
    assertEquals(2, transactions.keysWithVersions());
    strings.set(bytes(10), bytes(1)); // One byte, and two that it had.
    strings.set(bytes(1, 2, 3), bytes(1)); // Three, and nothing.
    assertEquals(5 * VERSION + 3 + 3, transactions.bytes());
    assertEquals(4, transactions.keysWithVersions());
  }

  @Test
  void aKeyHasOneVersionPerTurn() {
    begin();
    store.write(
        new WriteBatch()
            .set(longs, 10, 1)
            .delete(longs, 10)
            .set(strings, bytes(10), bytes(1))
            .delete(strings, bytes(10)));
    assertEquals(2 * VERSION + 3, transactions.bytes());
    assertEquals(1, begin().time);
  }

  @ParameterizedTest
  @CsvSource({
    "20, true, 40, true, 3",
    "20, false, 40, true, 2",
    "20, true, 40, false, 2",
    "20, false, 40, false, 1",
    "15, true, 45, false, 3",
    "51, true, 60, true, 0",
  })
  void versionsAreKeptOfTheRangeThatIsRemoved(
      int from, boolean fromIncluded, int to, boolean toIncluded, int count) {
    begin();
    longs.removeRange(from, fromIncluded, to, toIncluded);
    assertEquals(count, transactions.keysWithVersions());
    strings.removeRange(bytes(from), fromIncluded, bytes(to), toIncluded);
    assertEquals(2 * count, transactions.keysWithVersions());
    assertEquals(count * (2 * VERSION + 3), transactions.bytes());
    assertEquals(5 - count, longs.size());
    assertEquals(5 - count, strings.size());
  }

  @Test
  void versionsAreKeptOfAllThatIsCleared() {
    begin();
    longs.clear();
    strings.clear();
    assertEquals(10, transactions.keysWithVersions());
    assertEquals(5 * (2 * VERSION + 3), transactions.bytes());
  }

  @Test
  void versionsAreKeptOfAllThatIsPutTogether() {
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      longs.putAll(new long[] {30, 10, 11, 20, 40}, 1, new long[] {0, 1, 2, 3}, 1, 3);
      assertEquals(3, transactions.keysWithVersions());
      assertEquals(3 * VERSION, transactions.bytes());
      assertEquals(10, transaction.index("a").get(10));
      assertFalse(transaction.index("a").containsKey(11));
      assertEquals(20, transaction.index("a").get(20));
      transactions.mostBytes = 5 * VERSION;
      longs.putAll(new long[] {12, 13, 14, 15}, new long[4]); // Ends it in the middle.
      assertThrows(TransactionTooOldException.class, () -> transaction.index("a").get(10));
    }
    assertEquals(10, longs.size());
  }

  @Test
  void anIndexThatIsFilledHasNoVersionsOfItsKeys() {
    LongIndex empty = store.index("empty");
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      long[] keys = LongStream.range(0, 100).toArray();
      empty.bulkload(keys, keys);
      assertEquals(0, transactions.keysWithVersions());
      assertEquals(0, transaction.index("empty").size());
      assertFalse(transaction.index("empty").containsKey(5));
    }
    assertEquals(100, empty.size());
  }

  @Test
  void anIndexOfByteStringsThatIsFilledHasNoVersionsOfItsKeys() {
    BytesIndex empty = store.bytesIndex("empty");
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT);
        ConcurrentPrefixBPlusTree source = ConcurrentPrefixBPlusTree.create(IndexOptions.DEFAULT)) {
      source.set(bytes(5), bytes(6));
      empty.bulkload(source.cursor(), 1, -1, ProgressListener.NONE);
      assertEquals(0, transactions.keysWithVersions());
      assertEquals(0, transaction.bytesIndex("empty").size());
      assertFalse(transaction.bytesIndex("empty").containsKey(bytes(5)));
    }
    assertEquals(1, empty.size());
  }

  // ---------------------------------------------------------------- forget

  @Test
  void versionsAreForgottenWhenNoOpenTransactionIsOlder() {
    OpenTransaction old = begin();
    longs.set(10, 1);
    OpenTransaction young = begin();
    longs.set(20, 1);
    assertEquals(2 * VERSION, transactions.bytes());
    transactions.end(old);
    assertEquals(VERSION, transactions.bytes());
    assertEquals(1, transactions.keysWithVersions());
    longs.set(30, 1);
    assertEquals(2 * VERSION, transactions.bytes());
    transactions.end(young);
    assertEquals(0, transactions.bytes());
  }

  @Test
  void aTurnForgetsWhatOnlyItsOwnTransactionsNeeded() {
    OpenTransaction old = begin();
    longs.set(10, 1);
    longs.set(20, 1);
    transactions.forgottenAtOnce = 0;
    OpenTransaction young = begin();
    transactions.end(old);
    assertEquals(2 * VERSION, transactions.bytes());
    transactions.forgottenAtOnce = 1;
    longs.set(30, 1);
    assertEquals(2 * VERSION, transactions.bytes()); // One more, and one less.
    longs.set(40, 1);
    assertEquals(2 * VERSION, transactions.bytes());
    longs.set(50, 1);
    assertEquals(3 * VERSION, transactions.bytes()); // All are younger.
    transactions.end(young);
    assertEquals(0, transactions.bytes()); // The last one forgets all.
  }

  // ---------------------------------------------------------------- memory

  @Test
  void theOldestIsEndedWhereThereIsTooMuch() {
    transactions.mostBytes = 3 * VERSION;
    OpenTransaction old = begin();
    longs.set(10, 1);
    OpenTransaction young = begin();
    longs.set(20, 1);
    longs.set(30, 1);
    assertFalse(old.isDoomed()); // As much as there may be.
    longs.set(40, 1);
    assertTrue(old.isDoomed());
    assertFalse(young.isDoomed());
    assertFalse(transactions.end(old));
    assertEquals(3 * VERSION, transactions.bytes());
    transactions.charge(old, 1000); // It is over.
    assertEquals(3 * VERSION, transactions.bytes());
    transactions.charge(young, 1);
    assertTrue(young.isDoomed());
    assertEquals(0, transactions.bytes());
  }

  @Test
  void ofTransactionsOfOneTimeTheFirstIsTheOldest() {
    transactions.mostBytes = 100;
    OpenTransaction first = begin();
    OpenTransaction second = begin();
    transactions.charge(second, 60);
    transactions.charge(first, 40);
    assertEquals(100, transactions.bytes());
    transactions.charge(second, 1);
    assertTrue(first.isDoomed());
    assertFalse(second.isDoomed());
    assertEquals(61, transactions.bytes());
    transactions.charge(second, -21);
    assertEquals(40, transactions.bytes());
    transactions.end(second);
    assertEquals(0, transactions.bytes());
  }

  /** The value is not copied in vain. */
  @Test
  void aVersionOfMoreThanThereMayBeEndsAllAndIsNotKept() {
    int bytes = VERSION + 3;
    transactions.mostBytes = bytes;
    OpenTransaction one = begin();
    strings.set(bytes(10), bytes(1));
    assertFalse(one.isDoomed());
    assertEquals(bytes, transactions.bytes());
    transactions.end(one);
    transactions.mostBytes = bytes - 1;
    OpenTransaction other = begin();
    strings.set(bytes(20), bytes(1));
    assertTrue(other.isDoomed());
    assertEquals(0, transactions.bytes());
    assertEquals(1, strings.get(bytes(20)).length);
  }

  @Test
  void aChangeOfMoreThanThereMayBeGoesOnWithoutVersions() {
    transactions.mostBytes = 3 * VERSION;
    OpenTransaction one = begin();
    longs.clear();
    assertTrue(one.isDoomed());
    assertTrue(longs.isEmpty());
    OpenTransaction other = begin();
    strings.clear();
    assertTrue(other.isDoomed());
    assertTrue(strings.isEmpty());
  }
}
