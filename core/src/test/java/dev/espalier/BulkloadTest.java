// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TreeVariant.Capability;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BulkloadTest {
  private static final int MANY = 20_000;

  @RegisterExtension final Indexes indexes = new Indexes();

  /** Counts at which nodes, and levels of nodes, are just full or just begun. */
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallest")
  void everyCountAndFillGivesASoundTree(TreeShape shape) {
    double[] all = {0.5, 2.0 / 3, 0.9, 1.0};
    for (double fill : TestSize.isThorough() ? all : new double[] {2.0 / 3}) {
      for (int count = 0; count <= 200; count += count < 70 ? 1 : TestSize.of(9, 1)) {
        try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
          index.bulkload(counting(count), fill, count, ProgressListener.NONE);
          index.verify();
          assertEquals(count, index.size());
          assertHoldsCounting(index, count);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void loadedTreeCanBeEmptiedEntryByEntry(TreeShape shape) {
    double[] all = {0.5, 0.67, 1.0};
    for (double fill : TestSize.isThorough() ? all : new double[] {0.67}) {
      LongIndex index = indexes.create(shape);
      index.bulkload(counting(2000), fill, 2000, ProgressListener.NONE);
      for (long i = 0; i < 2000; i++) {
        long key = i * 7919 % 2000;
        assertEquals(-key, index.remove(key));
        if (i % 100 == 0) {
          index.verify();
        }
      }
      assertTrue(index.isEmpty());
      assertEquals(1, index.statistics().height());
    }
  }

  /** What is left of an emptied tree need not look as a new one does. */
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void treeThatWasEmptiedEntryByEntryCanBeLoaded(TreeShape shape) {
    for (int step : new int[] {1, 7, 1999}) {
      LongIndex index = indexes.createCounting(shape, 2000);
      for (long i = 0; i < 2000; i++) {
        index.remove(i * step % 2000);
      }
      index.bulkload(counting(1000), 1.0, 1000, ProgressListener.NONE);
      index.verify();
      assertEquals(1000, index.size());
      assertHoldsCounting(index, 1000);
      for (long key = 0; key < 1000; key++) {
        assertEquals(-key, index.get(key));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaults")
  void fillFactorSaysHowFullLeavesAre(TreeShape shape) {
    for (double fill : new double[] {0.5, 0.67, 1.0}) {
      LongIndex index = indexes.create(shape);
      index.bulkload(counting(MANY), fill, MANY, ProgressListener.NONE);
      boolean leavesRoom = index.variant().capabilities().contains(Capability.UPDATE_IN_PLACE);
      assertEquals(leavesRoom ? fill : 1, index.statistics().leafFill(), 0.04);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void extremeKeysAreLoaded(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    long[] keys = {
      Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE
    };
    long[] values = {Long.MAX_VALUE, Long.MIN_VALUE, 0, -1, 7, 8, 9};
    index.bulkload(keys, values);
    long[] found = new long[keys.length];
    index.getAll(keys, found);
    assertEquals(Arrays.toString(values), Arrays.toString(found));
    assertTrue(index.containsKey(Long.MAX_VALUE));
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void listenerIsToldHowFarTheLoadHasCome(TreeShape shape) {
    List<Long> told = new ArrayList<>();
    LongIndex index = indexes.create(shape);
    index.bulkload(
        counting(MANY),
        1.0,
        MANY,
        (done, total) -> {
          assertEquals(MANY, total);
          told.add(done);
          return true;
        });
    assertEquals(MANY, told.getLast());
    assertEquals(told.stream().sorted().toList(), told);
    assertTrue(told.getFirst() <= 5000, told::toString);
    assertTrue(told.size() >= 4, told::toString);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void cancelledLoadLeavesAnEmptyUsableIndex(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    assertThrows(
        CancellationException.class,
        () -> index.bulkload(counting(MANY), 0.67, -1, (done, total) -> done < MANY / 2));
    assertEmptyAndUsable(index);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void loadCancelledAfterItsLastEntryLeavesAnEmptyUsableIndex(TreeShape shape) {
    for (int count : new int[] {0, 1, 700, 5000}) {
      LongIndex index = indexes.create(shape);
      CancellationException cancelled =
          assertThrows(
              CancellationException.class,
              () -> index.bulkload(counting(count), 0.67, count, (done, total) -> done < total));
      assertEquals("bulkload cancelled after " + count + " entries", cancelled.getMessage());
      assertEmptyAndUsable(index);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void failingSourceLeavesAnEmptyUsableIndex(TreeShape shape) {
    IllegalStateException failure = new IllegalStateException("the source failed");
    LongIndex index = indexes.create(shape);
    LongEntrySource entries = counting(MANY);
    LongEntrySource failing =
        new LongEntrySource() {
          @Override
          public boolean next() {
            return entries.next();
          }

          @Override
          public long key() {
            return entries.key();
          }

          @Override
          public long value() {
            if (entries.key() == MANY / 2) {
              throw failure;
            }
            return entries.value();
          }
        };
    assertSame(
        failure,
        assertThrows(
            IllegalStateException.class,
            () -> index.bulkload(failing, 1.0, MANY, ProgressListener.NONE)));
    assertEmptyAndUsable(index);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void keysOutOfOrderLeaveAnEmptyUsableIndex(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    long[] keys = LongStream.range(0, MANY).toArray();
    keys[MANY - 1] = keys[MANY - 2];
    assertThrows(IllegalArgumentException.class, () -> index.bulkload(keys, keys));
    assertEmptyAndUsable(index);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void indexWithEntriesIsNotLoaded(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 3);
    IllegalStateException refused =
        assertThrows(
            IllegalStateException.class, () -> index.bulkload(new long[] {9}, new long[] {9}));
    assertTrue(String.valueOf(refused.getMessage()).contains("3 entries"), refused::toString);
    assertEquals(3, index.size());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void cursorOfAnotherIndexIsASource(TreeShape shape) {
    LongIndex from = indexes.createCounting(shape, 1000);
    LongIndex to = indexes.create(shape);
    to.bulkload(from.cursor(), 0.8, from.size(), ProgressListener.NONE);
    assertHoldsCounting(to, 1000);
  }

  private static LongEntrySource counting(int count) {
    long[] keys = LongStream.range(0, count).toArray();
    return LongEntrySource.of(keys, Arrays.stream(keys).map(key -> -key).toArray(), count);
  }

  private static void assertEmptyAndUsable(LongIndex index) {
    index.verify();
    assertTrue(index.isEmpty());
    assertFalse(index.cursor().first());
    assertEquals(index.missingValue(), index.get(0));
    index.bulkload(counting(500), 1.0, 500, ProgressListener.NONE);
    assertHoldsCounting(index, 500);
  }

  private static void assertHoldsCounting(LongIndex index, int count) {
    LongCursor cursor = index.cursor();
    for (long key = 0; key < count; key++) {
      assertTrue(cursor.next());
      assertEquals(key, cursor.key());
      assertEquals(-key, cursor.value());
    }
    assertFalse(cursor.next());
  }
}
