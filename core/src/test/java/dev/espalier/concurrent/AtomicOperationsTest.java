// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.TestSize;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What reads and then writes, alone and with several threads that do it to the same keys. */
@Tag("fallback-exhaustive")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AtomicOperationsTest {
  private static final int THREADS = 4;
  private static final int CALLS = TestSize.share(5_000, 400_000);
  private static final int KEYS = 100;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ConcurrentPbPlusTree index =
      ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 1));

  @BeforeEach
  void letOthersGoBetweenSteps() {
    index.tree.beforeStep = Thread::yield;
  }

  @AfterEach
  void verifyAndClose() {
    threads.shutdownNow();
    index.verify();
    index.close();
  }

  private interface Call {
    void with(SplittableRandom random);
  }

  /** Has all threads make a call again and again. */
  private void repeat(Call call) throws Exception {
    List<Future<?>> calling = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      SplittableRandom random = new SplittableRandom(i);
      calling.add(
          threads.submit(
              () -> {
                for (int done = 0; done < CALLS; done++) {
                  call.with(random);
                }
              }));
    }
    for (Future<?> one : calling) {
      one.get();
    }
  }

  private long sumOfValues() {
    long sum = 0;
    for (LongCursor cursor = index.cursor(); cursor.next(); ) {
      sum += cursor.value();
    }
    return sum;
  }

  @Test
  void insertTellsWhetherItDid() {
    assertTrue(index.insert(1, index.missingValue()));
    assertFalse(index.insert(1, 5), "an entry is there, whatever its value");
    assertEquals(index.missingValue(), index.get(1));
    assertEquals(1, index.size());
  }

  @Test
  void replaceIsForTheExpectedValueOnly() {
    assertFalse(index.replace(1, index.missingValue(), 5), "no entry has no value");
    assertFalse(index.containsKey(1));
    index.put(1, 5);
    assertFalse(index.replace(1, 4, 6));
    assertEquals(5, index.get(1));
    assertTrue(index.replace(1, 5, 6));
    assertEquals(6, index.get(1));
  }

  @Test
  void removeIsForTheExpectedValueOnly() {
    assertFalse(index.remove(1, index.missingValue()), "no entry has no value");
    index.put(1, 5);
    assertFalse(index.remove(1, 4));
    assertEquals(1, index.size());
    assertTrue(index.remove(1, 5));
    assertEquals(0, index.size());
  }

  @Test
  void removalsOfExpectedValuesMergeLeaves() {
    for (long key = 0; key < 1000; key++) {
      index.put(key, -key);
    }
    for (long key = 0; key < 1000; key++) {
      assertTrue(index.remove(key, -key));
    }
    assertTrue(index.isEmpty());
  }

  @Test
  void whatTellsThatAKeyIsMissingMayBeItsValue() {
    for (long value : new long[] {index.missingValue(), ~index.missingValue(), 3, ~3L}) {
      index.put(1, value);
      assertEquals(value, index.computeIfAbsent(1, WrongCall::of));
      assertEquals(value + 3, index.merge(1, 3, Long::sum));
      index.put(1, value);
      assertEquals(value + value, index.merge(1, value, Long::sum));
      index.put(1, value);
      assertEquals(value + 7, index.addTo(1, 7));
      assertEquals(value + 7, index.getOrDefault(1, ~value));
    }
  }

  /** A function that must not be called. */
  private static final class WrongCall {
    static long of(long key) {
      throw new AssertionError("called for key " + key);
    }
  }

  @Test
  void absentKeyGetsWhatIsComputedOrTheOtherValue() {
    assertEquals(20, index.computeIfAbsent(10, key -> 2 * key));
    assertEquals(20, index.get(10));
    long missing = index.missingValue();
    assertEquals(missing, index.computeIfAbsent(11, key -> missing));
    assertTrue(index.containsKey(11));
    assertEquals(5, index.merge(12, 5, (before, value) -> WrongCall.of(before)));
    assertEquals(-5, index.addTo(13, -5));
    assertEquals(Long.MIN_VALUE, index.addTo(14, Long.MIN_VALUE));
    assertEquals(0, index.addTo(14, Long.MIN_VALUE), "the sum wraps around");
    assertEquals(5, index.size());
  }

  @Test
  void functionThatThrowsChangesNothing() {
    index.put(1, 5);
    LongUnaryOperator failing =
        key -> {
          throw new IllegalArgumentException();
        };
    assertThrows(IllegalArgumentException.class, () -> index.computeIfAbsent(2, failing));
    assertThrows(
        IllegalArgumentException.class,
        () -> index.merge(1, 5, (before, _) -> failing.applyAsLong(before)));
    assertEquals(5, index.get(1));
    assertEquals(1, index.size());
    index.put(2, 2); // No latch is left.
  }

  /** A function may use the index itself: no latch is held while it is called. */
  @Test
  void functionMayUseTheIndex() {
    long computed =
        index.computeIfAbsent(
            1,
            key -> {
              index.put(key + 1, 7);
              return 8;
            });
    assertEquals(8, computed);
    assertEquals(15, index.merge(1, 2, (before, other) -> before + index.get(other)));
    assertEquals(2, index.size());
  }

  @Test
  void noAdditionIsLost() throws Exception {
    repeat(random -> index.addTo(random.nextInt(KEYS), 1));
    assertEquals((long) THREADS * CALLS, sumOfValues());
  }

  @Test
  void noMergeIsLostWhileKeysComeAndGo() throws Exception {
    LongAdder merged = new LongAdder();
    LongAdder taken = new LongAdder();
    repeat(
        random -> {
          long key = random.nextInt(KEYS);
          if (random.nextInt(4) > 0) {
            index.merge(key, 1, Long::sum);
            merged.increment();
            return;
          }
          long there = index.get(key);
          if (there != index.missingValue() && index.remove(key, there)) {
            taken.add(there);
          }
        });
    assertTrue(taken.sum() > 0);
    assertEquals(merged.sum(), sumOfValues() + taken.sum());
  }

  @Test
  void replacementsOfExpectedValuesCountAsMuchAsTheyReport() throws Exception {
    for (long key = 0; key < KEYS; key++) {
      index.put(key, 0);
    }
    LongAdder replaced = new LongAdder();
    repeat(
        random -> {
          long key = random.nextInt(KEYS);
          long before = index.get(key);
          if (index.replace(key, before, before + 1)) {
            replaced.increment();
          }
        });
    assertEquals(replaced.sum(), sumOfValues());
  }

  @Test
  void absentKeyIsComputedAndStoredOnce() throws Exception {
    AtomicLongArray stored = new AtomicLongArray(CALLS);
    repeat(
        random -> {
          long mine = random.nextLong() >>> 1;
          int key = random.nextInt(CALLS);
          long seen = index.computeIfAbsent(key, _ -> mine);
          long before = stored.compareAndExchange(key, 0, seen);
          assertTrue(before == 0 || before == seen, "two threads saw different values");
          assertEquals(seen, index.get(key));
        });
  }
}
