// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The anomalies of Berenson et al. (1995), Adya (1999) and Fekete et al. (2004), each as a schedule
 * of transactions, mostly those of Hermitage: which of them an isolation lets happen.
 */
class TransactionAnomaliesTest {
  private static final Set<Isolation> NEVER = EnumSet.noneOf(Isolation.class);
  private static final Set<Isolation> IN_SNAPSHOTS = EnumSet.of(Isolation.SNAPSHOT);

  /** Tells whether an anomaly happened. */
  private interface Schedule {
    boolean happens(Setting setting);
  }

  enum Anomaly {
    /** G0: writes of two transactions are mixed. */
    DIRTY_WRITE(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          set(first, 1, 11);
          set(second, 1, 12);
          set(first, 2, 21);
          setting.commit(first);
          set(second, 2, 22);
          setting.commit(second);
          List<Long> mixed = setting.stored();
          return !mixed.equals(List.of(11L, 21L)) && !mixed.equals(List.of(12L, 22L));
        }),
    /** G1a: what was taken back is read. */
    ABORTED_READ(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          set(first, 1, 101);
          boolean early = get(second, 1) == 101;
          first.close();
          return early || get(second, 1) == 101;
        }),
    /** G1b: what a transaction wrote before its last write is read. */
    INTERMEDIATE_READ(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          set(first, 1, 101);
          boolean early = get(second, 1) == 101;
          set(first, 1, 11);
          setting.commit(first);
          return early || get(second, 1) == 101;
        }),
    /** G1c: each of two transactions reads what the other has written. */
    CIRCULAR_INFORMATION_FLOW(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          set(first, 1, 11);
          set(second, 2, 22);
          return get(first, 2) == 22 && get(second, 1) == 11;
        }),
    /** OTV: part of what a transaction wrote is seen, and then part of another one. */
    OBSERVED_TRANSACTION_VANISHES(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          set(first, 1, 11);
          set(first, 2, 19);
          set(second, 1, 12);
          setting.commit(first);
          Seat third = setting.begin();
          long one = get(third, 1);
          set(second, 2, 18);
          long two = get(third, 2);
          setting.commit(second);
          return one != 11 || two != 19 || get(third, 2) != 19 || get(third, 1) != 11;
        }),
    /** PMP: a range has other entries when it is read again. */
    PREDICATE_MANY_PRECEDERS(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          boolean early = keys(first).contains(3L);
          Seat second = setting.begin();
          set(second, 3, 30);
          setting.commit(second);
          return early || keys(first).contains(3L);
        }),
    /** PMP, for writes: a transaction removes what another one has changed meanwhile. */
    PREDICATE_MANY_PRECEDERS_OF_A_WRITE(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          for (LongCursor cursor = index(first).cursor(); cursor.next(); ) {
            cursor.setValue(cursor.value() + 10);
          }
          for (LongCursor cursor = index(second).cursor(); cursor.next(); ) {
            if (cursor.value() == 20) {
              cursor.remove();
            }
          }
          return setting.commit(first) && setting.commit(second);
        }),
    /** P4: an increment is lost. */
    LOST_UPDATE(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          set(first, 1, get(first, 1) + 1);
          set(second, 1, get(second, 1) + 1);
          return setting.commit(first) && setting.commit(second);
        }),
    /** P4, with a cursor. */
    LOST_UPDATE_OF_A_CURSOR(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          for (Seat each : List.of(first, second)) {
            LongCursor cursor = index(each).cursor();
            cursor.ceiling(1);
            cursor.setValue(cursor.value() + 1);
          }
          return setting.commit(first) && setting.commit(second);
        }),
    /** G-single: one value is read of before, another one of after a commit. */
    READ_SKEW(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          long one = get(first, 1);
          Seat second = setting.begin();
          set(second, 1, 12);
          set(second, 2, 18);
          setting.commit(second);
          return one != 10 || get(first, 2) != 20;
        }),
    /** G-single, by the entries of a range. */
    READ_SKEW_OF_A_RANGE(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          long count = index(first).size();
          Seat second = setting.begin();
          set(second, 3, 30);
          setting.commit(second);
          return index(first).countRange(1, true, 3, true) != count;
        }),
    /** G-single, by what is written. */
    READ_SKEW_OF_A_WRITE(
        NEVER,
        setting -> {
          Seat first = setting.begin();
          get(first, 1);
          Seat second = setting.begin();
          set(second, 1, 12);
          set(second, 2, 18);
          setting.commit(second);
          index(first).remove(2, 20);
          return setting.commit(first);
        }),
    /** G2-item: two transactions each read what the other one writes. */
    WRITE_SKEW(
        IN_SNAPSHOTS,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          set(first, 1, get(first, 1) + get(first, 2));
          set(second, 2, get(second, 1) + get(second, 2));
          return setting.commit(first) && setting.commit(second);
        }),
    /** G2: two transactions each read a range to which the other one adds. */
    WRITE_SKEW_OF_RANGES(
        IN_SNAPSHOTS,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          set(first, 3, index(first).countRange(0, true, 9, true));
          set(second, 4, index(second).countRange(0, true, 9, true));
          return setting.commit(first) && setting.commit(second);
        }),
    /** G2, by what a seek did not find. */
    WRITE_SKEW_OF_GAPS(
        IN_SNAPSHOTS,
        setting -> {
          Seat first = setting.begin();
          Seat second = setting.begin();
          for (Seat each : List.of(first, second)) {
            assertTrue(!index(each).cursor().higher(2));
          }
          set(first, 3, 30);
          set(second, 4, 40);
          return setting.commit(first) && setting.commit(second);
        }),
    /**
     * Fekete's: only by a third transaction, which writes nothing, is the order seen to be none.
     */
    ANOMALY_OF_A_READER(
        IN_SNAPSHOTS,
        setting -> {
          Seat withdrawal = setting.begin();
          long before = get(withdrawal, 1) + get(withdrawal, 2);
          Seat deposit = setting.begin();
          set(deposit, 2, get(deposit, 2) + 20);
          setting.commit(deposit);
          Seat reader = setting.begin();
          boolean readerSawTheDepositOnly = get(reader, 1) == 10 && get(reader, 2) == 40;
          setting.commit(reader);
          set(withdrawal, 1, before == 30 ? -5 : 0);
          return setting.commit(withdrawal) && readerSawTheDepositOnly;
        });

    private final Set<Isolation> where;
    private final Schedule schedule;

    Anomaly(Set<Isolation> where, Schedule schedule) {
      this.where = where;
      this.schedule = schedule;
    }
  }

  private static LongIndex index(Seat seat) {
    return seat.index;
  }

  private static long get(Seat transaction, long key) {
    return index(transaction).get(key);
  }

  private static void set(Seat transaction, long key, long value) {
    index(transaction).set(key, value);
  }

  private static List<Long> keys(Seat transaction) {
    return new ArrayList<>(AsLongs.entries(index(transaction)).keySet());
  }

  /** A transaction, and the index as it sees it. */
  private record Seat(Transaction transaction, LongIndex index) {
    void close() {
      transaction.close();
    }
  }

  /** A store in which keys 1 and 2 have 10 and 20. */
  private record Setting(IndexStore store, String tree, Isolation isolation) {
    Seat begin() {
      Transaction transaction = store.begin(isolation);
      return new Seat(transaction, AsLongs.of(transaction, tree, "a"));
    }

    boolean commit(Seat seat) {
      try {
        seat.transaction.commit();
        return true;
      } catch (TransactionConflictException refused) {
        return false;
      }
    }

    List<Long> stored() {
      LongIndex index = AsLongs.of(store, tree, "a");
      return List.of(index.get(1), index.get(2));
    }
  }

  private static boolean happens(Anomaly anomaly, String tree, Isolation isolation) {
    StoreEnvironment environment =
        new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false);
    try (IndexStore store =
        new StoreOpening(SimulatedDisk.path("store"), StoreOptions.DEFAULT, environment).open()) {
      LongIndex index = AsLongs.of(store, tree, "a");
      index.set(1, 10);
      index.set(2, 20);
      return anomaly.schedule.happens(new Setting(store, tree, isolation));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anomalyHappensWhereItIsAllowedOnly(Anomaly anomaly) {
    for (String tree : List.of("FpbLinkTree", StoreBytesIndex.KIND)) {
      Set<Isolation> where = EnumSet.noneOf(Isolation.class);
      for (Isolation isolation : Isolation.values()) {
        if (happens(anomaly, tree, isolation)) {
          where.add(isolation);
        }
      }
      assertEquals(anomaly.where, where, tree);
    }
  }
}
