// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a serializable transaction has read of an index of longs, and what it has not. */
class TransactionNotedTest {
  private IndexStore store;
  private LongIndex index;

  @BeforeEach
  void open() {
    StoreEnvironment environment =
        new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false);
    store = new StoreOpening(SimulatedDisk.path("store"), StoreOptions.DEFAULT, environment).open();
    index = store.index("a");
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** What a serializable transaction reads, and a write of others that has to refuse it. */
  enum Noted {
    KEY(own -> own.get(50), 50),
    NO_KEY(own -> own.containsKey(60), 60),
    FOUND(own -> own.find(50, new long[1]), 50),
    OR_DEFAULT(own -> own.getOrDefault(60, 1), 60),
    PUT(own -> own.put(50, 1), 50),
    PUT_IF_ABSENT(own -> own.putIfAbsent(50, 1), 50),
    REMOVED(own -> own.remove(60), 60),
    BATCH(own -> own.getAll(new long[] {40, 50}, new long[2]), 40),
    BATCH_IN_PLACE(
        own -> {
          long[] keys = {40, 50};
          own.getAll(keys, keys);
        },
        50),
    LOOKUP(own -> own.batchLookup().getAll(new long[] {40, 50}, 1, new long[1], 0, 1), 50),
    FIRST(own -> own.cursor().first(), Long.MIN_VALUE),
    LAST(own -> own.cursor().last(), Long.MAX_VALUE),
    CEILING(own -> own.cursor().ceiling(40), 41),
    CEILING_ITSELF(own -> own.cursor().ceiling(40), 40),
    HIGHER(own -> own.cursor().higher(30), 31),
    FLOOR(own -> own.cursor().floor(40), 40),
    LOWER(own -> own.cursor().lower(30), 29),
    NOTHING_BEHIND(own -> own.cursor().higher(70), 71),
    NOTHING_BEFORE(own -> own.cursor().lower(10), 9),
    NEXT(own -> steps(own, true), 20),
    PREVIOUS(own -> steps(own, false), 60),
    RUN(own -> own.cursor().nextRun(new LongRun()), 20),
    COUNT(own -> own.countRange(20, true, 60, true), 60),
    COUNT_FROM(own -> own.countRange(20, true, 60, true), 20),
    SIZE(LongIndex::size, 999),
    SIZE_WITH_WRITES(
        own -> {
          own.set(5, 5);
          own.size();
        },
        -999),
    IS_EMPTY(LongIndex::isEmpty, 0),
    REMOVED_RANGE(own -> own.removeRange(20, true, 60, true), 60),
    CLEARED(LongIndex::clear, 999),
    POLLED(own -> own.pollLast(new LongEntry()), 80);

    private final Consumer<LongIndex> read;
    private final long written;

    Noted(Consumer<LongIndex> read, long written) {
      this.read = read;
      this.written = written;
    }

    private static void steps(LongIndex own, boolean forwards) {
      LongCursor cursor = own.cursor();
      for (int i = 0; i < 2; i++) {
        assertTrue(forwards ? cursor.next() : cursor.previous());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWasReadIsChecked(Noted noted) {
    TransactionConflictException refused =
        assertThrows(
            TransactionConflictException.class,
            () -> commitsBeside(Isolation.SERIALIZABLE, noted, noted.written));
    assertEquals(noted.written, refused.key());
    assertTrue(commitsBeside(Isolation.SERIALIZABLE, noted));
  }

  @ParameterizedTest
  @EnumSource(
      value = Noted.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"PUT", "REMOVED", "REMOVED_RANGE", "CLEARED", "POLLED"}) // They write it, too.
  void otherwiseItIsNot(Noted noted) {
    assertTrue(commitsBeside(Isolation.SNAPSHOT, noted, noted.written));
  }

  @ParameterizedTest
  @CsvSource({
    "KEY, 51",
    "BATCH, 45",
    "LOOKUP, 40",
    "CEILING, 39",
    "CEILING, 51",
    "HIGHER, 30",
    "HIGHER, 51",
    "FLOOR, 41",
    "FLOOR, 29",
    "LOWER, 30",
    "LOWER, 9",
    "NEXT, 31",
    "PREVIOUS, 49",
    "COUNT, 61",
    "COUNT, 19",
    "REMOVED_RANGE, 61",
    "POLLED, 69",
  })
  void whatWasNotReadIsNot(Noted noted, long written) {
    assertTrue(commitsBeside(Isolation.SERIALIZABLE, noted, written));
  }

  @Test
  void whatWasWrittenIsCheckedInAnyCase() {
    for (Isolation isolation : Isolation.values()) {
      TransactionConflictException refused =
          assertThrows(
              TransactionConflictException.class, () -> commitsBeside(isolation, Noted.KEY, 8));
      assertEquals(8, refused.key());
      assertEquals(
          "the transaction has written key 8 of index 'a', which was changed after it had begun",
          refused.getMessage());
    }
  }

  /** Commits a transaction that has read, and during which others have written a key, or none. */
  private boolean commitsBeside(Isolation isolation, Noted noted, long... written) {
    index.clear();
    for (long key = 10; key <= 70; key += 20) {
      index.set(key, key);
    }
    try (Transaction transaction = store.begin(isolation)) {
      noted.read.accept(transaction.index("a"));
      transaction.index("a").set(8, 1);
      for (long key : written) {
        index.set(key, 1);
      }
      transaction.commit();
      return true;
    }
  }
}
