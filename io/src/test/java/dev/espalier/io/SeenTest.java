// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.Seen.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a transaction sees beside the tree, and what its writes cost. */
class SeenTest {
  private final IndexStore store =
      new StoreOpening(
              LogCalls.STORE,
              StoreOptions.DEFAULT,
              new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false))
          .open();

  private final Transactions transactions = store.state().transactions;
  private final Transaction transaction = store.begin(Isolation.SNAPSHOT);
  private final IndexVersions<Long, Long> versions =
      new IndexVersions<>("a", new ConcurrentSkipListMap<>());
  private final Seen<Long, Long> seen = new Seen<>(transaction, versions, new TreeMap<>());

  @AfterEach
  void close() {
    transaction.close();
    assertEquals(0, transactions.bytes());
    store.close();
  }

  private static Object value(Write<Long> write) {
    return write == null ? "none" : write.value == null ? "removed" : write.value;
  }

  // ---------------------------------------------------------------- others

  @Test
  void nothingIsLookedUpBeforeOthersHaveChangedTheIndex() {
    assertEquals(0, transaction.time());
    versions.add(5L, 0, 50L, 160); // By those that it sees.
    assertTrue(seen.isTree());
    assertFalse(seen.isChanged());
    assertNull(seen.version(5L));
    assertNull(seen.changedUp(1L, true));
    assertNull(seen.changedDown(9L, true));
    versions.add(5L, 1, 51L, 160);
    assertFalse(seen.isTree());
    assertTrue(seen.isChanged());
    assertEquals(51, Objects.requireNonNull(seen.version(5L)).before);
    assertNull(seen.version(6L));
    assertEquals(5, seen.changedUp(5L, true));
    assertNull(seen.changedUp(5L, false));
    assertEquals(5, seen.changedDown(5L, true));
    assertNull(seen.changedDown(5L, false));
  }

  @Test
  void whatOthersHaveChangedIsToldOfKeysAndRanges() {
    versions.add(5L, 0, 50L, 160);
    versions.add(7L, 1, null, 160);
    assertNull(seen.changedOf(5L));
    assertEquals(7, seen.changedOf(7L));
    assertEquals(7, seen.changedOf(1L, 7L, true));
    assertNull(seen.changedOf(1L, 7L, false));
    assertEquals(7, seen.changedOf(1L, null, false));
    assertNull(seen.changedOwn());
    seen.write(5L, 1L, 10);
    assertNull(seen.changedOwn());
    seen.write(7L, 1L, 10);
    assertEquals(7, seen.changedOwn());
  }

  // ---------------------------------------------------------------- own

  @Test
  void ownWritesAreSeenInOrder() {
    assertFalse(seen.hasWrites());
    assertNull(seen.own(5L));
    assertNull(seen.ownUp(0L, true));
    assertNull(seen.ownDown(9L, true));
    seen.write(7L, 70L, 10);
    seen.write(5L, null, 10);
    seen.write(7L, 71L, 10);
    assertTrue(seen.hasWrites());
    assertFalse(seen.isTree());
    assertFalse(seen.isChanged());
    assertEquals(71L, value(seen.own(7L)));
    assertEquals("removed", value(seen.own(5L)));
    assertNull(seen.own(6L));
    assertEquals(5, seen.ownUp(5L, true));
    assertEquals(7, seen.ownUp(5L, false));
    assertNull(seen.ownUp(7L, false));
    assertEquals(7, seen.ownDown(7L, true));
    assertEquals(5, seen.ownDown(7L, false));
    assertNull(seen.ownDown(5L, false));
    assertEquals(2, seen.writeCount());
    List<String> all = new ArrayList<>();
    seen.forEachWrite((key, value) -> all.add(key + "=" + value));
    assertEquals(List.of("5=null", "7=71"), all);
    List<Long> keys = new ArrayList<>();
    seen.keys().forEach(keys::add);
    assertEquals(List.of(5L, 7L), keys);
  }

  @Test
  void theLastWriteOfAKeyIsPaidFor() {
    seen.write(5L, 1L, 100);
    seen.write(6L, 1L, 7);
    assertEquals(107, transactions.bytes());
    seen.write(5L, 2L, 130);
    assertEquals(137, transactions.bytes());
    seen.write(5L, null, 60);
    assertEquals(67, transactions.bytes());
    seen.write(5L, 3L, 60);
    assertEquals(67, transactions.bytes());
  }

  // ---------------------------------------------------------------- take back

  @Test
  void writesAreTakenBackAndNotPaidForAnyMore() {
    seen.write(5L, 1L, 100);
    assertFalse(transaction.hasSavepoints());
    Savepoint first = transaction.savepoint();
    assertTrue(transaction.hasSavepoints());
    seen.write(5L, 2L, 130);
    assertEquals(100 + 130 + 64, transactions.bytes());
    Savepoint second = transaction.savepoint();
    seen.write(6L, 3L, 7);
    seen.write(5L, null, 60);
    assertEquals(100 + 130 + 7 + 60 + 3 * 64, transactions.bytes());
    transaction.rollbackTo(second);
    assertEquals(2L, value(seen.own(5L)));
    assertNull(seen.own(6L));
    assertEquals(1, seen.writeCount());
    assertEquals(100 + 130 + 64, transactions.bytes());
    seen.write(6L, 4L, 7);
    transaction.rollbackTo(second); // As often as one likes.
    transaction.rollbackTo(first);
    assertEquals(1L, value(seen.own(5L)));
    assertEquals(1, seen.writeCount());
    assertEquals(100, transactions.bytes());
    assertEquals(
        "the transaction has no such savepoint, or no longer",
        assertThrows(IllegalArgumentException.class, () -> transaction.rollbackTo(second))
            .getMessage());
    transaction.rollbackTo(first);
  }

  // ---------------------------------------------------------------- end

  @Test
  void nothingIsWrittenWhenTheTransactionIsOver() {
    transaction.close();
    assertThrows(IllegalStateException.class, () -> seen.write(5L, 1L, 10));
    assertFalse(seen.hasWrites());
    assertThrows(IllegalStateException.class, transaction::savepoint);
    assertTrue(transaction.isEnded());
  }

  @Test
  void nothingIsWrittenWhenTheTransactionIsTooOld() {
    transactions.mostBytes = 100;
    seen.write(5L, 1L, 100); // As many as there may be.
    transaction.checkAlive();
    seen.write(6L, 1L, 1);
    assertThrows(TransactionTooOldException.class, () -> seen.write(7L, 1L, 1));
    assertEquals(2, seen.writeCount());
    assertEquals(0, transactions.bytes());
    assertFalse(transactions.areEntering());
    assertNotNull(seen.own(6L));
  }
}
