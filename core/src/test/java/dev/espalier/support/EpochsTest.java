// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a thread would wait for ever, it is told that the index is closed. */
class EpochsTest {
  /** More threads than there are counters, so that some share one. */
  private static final int THREADS = 8 * Runtime.getRuntime().availableProcessors() + 3;

  private final Epochs epochs = new Epochs(() -> true);

  /**
   * Runs something in a thread of its own, and returns what it returns or throws what it throws.
   */
  private static int inAnotherThread(Callable<Integer> what) throws Exception {
    FutureTask<Integer> task = new FutureTask<>(what);
    Thread thread = new Thread(task);
    thread.start();
    thread.join();
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IllegalStateException refused) {
        throw refused;
      }
      throw e;
    }
  }

  private void advance() {
    long before = epochs.now();
    assertTrue(epochs.advance());
    assertEquals(before + 1, epochs.now());
  }

  @Test
  void aPageIsUnreachableTwoEpochsAfterItLeft() {
    long left = epochs.now();
    assertFalse(epochs.isUnreachable(left));
    advance();
    assertFalse(epochs.isUnreachable(left));
    advance();
    assertTrue(epochs.isUnreachable(left));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void anOperationOfAnyThreadHoldsTheEpochAfterTheNextBack(int advances) throws Exception {
    for (int i = 0; i < advances; i++) {
      advance();
    }
    List<Integer> operations = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      operations.add(inAnotherThread(epochs::enter));
    }
    advance();
    for (int operation : operations) {
      assertFalse(epochs.advance());
      epochs.exit(operation);
    }
    advance();
    advance();
  }

  @Test
  void operationsOfTheNextEpochDoNotCountForTheOneBefore() {
    int first = epochs.enter();
    advance();
    int second = epochs.enter();
    assertFalse(epochs.advance());
    epochs.exit(first);
    advance();
    assertFalse(epochs.advance());
    epochs.exit(second);
    advance();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void whoWantsTheTreeAloneWaitsForOperationsAndLeavesAllAsItWasIfToldNotTo(int advances) {
    for (int i = 0; i < advances; i++) {
      advance();
    }
    long before = epochs.now();
    int operation = epochs.enter();
    assertThrows(IllegalStateException.class, epochs::beginAlone);
    assertFalse(epochs.isAlone());
    assertEquals(before, epochs.now());
    int other = epochs.enter();
    assertTrue(other >= 0);
    epochs.exit(other);
    epochs.exit(operation);
    advance();
    advance();
  }

  @Test
  void whoHasTheTreeAloneIsNotCountedAndOthersWait() throws Exception {
    long before = epochs.now();
    epochs.beginAlone();
    assertTrue(epochs.isAlone());
    assertEquals(before, epochs.now());
    assertFalse(epochs.advance());
    int own = epochs.enter();
    assertEquals(-1, own);
    epochs.exit(own);
    assertEquals(0, inAnotherThread(() -> epochs.isAlone() ? 1 : 0));
    assertThrows(IllegalStateException.class, () -> inAnotherThread(epochs::enter));
    epochs.endAlone();
    assertFalse(epochs.isAlone());
    assertEquals(before + 2, epochs.now());
    assertTrue(epochs.isUnreachable(before));
    epochs.exit(inAnotherThread(epochs::enter));
    advance();
    advance();
  }

  @Test
  void theTreeIsAloneOnceTheLastOperationHasEnded() {
    AtomicInteger waits = new AtomicInteger();
    int[] operation = new int[1];
    Epochs[] waited = new Epochs[1];
    waited[0] =
        new Epochs(
            () -> {
              if (waits.incrementAndGet() == 3) {
                waited[0].exit(operation[0]);
              }
              return waits.get() > 3;
            });
    operation[0] = waited[0].enter();
    waited[0].beginAlone();
    assertTrue(waited[0].isAlone());
    assertEquals(3, waits.get());
  }

  // ---------------------------------------------------------------- entries

  private int change(long entries) {
    epochs.exit(epochs.enter(), entries);
    return 0;
  }

  @Test
  void entriesOfAllThreadsAreCountedAndHoldNothingBack() throws Exception {
    long expected = 0;
    for (int i = 0; i < THREADS; i++) {
      long entries = i % 3 == 0 ? -i : i;
      inAnotherThread(() -> change(entries));
      expected += entries;
      assertEquals(expected, epochs.entries());
      advance();
    }
    epochs.beginAlone();
    assertEquals(expected, epochs.entries());
    change(5);
    epochs.count(-2);
    epochs.endAlone();
    assertEquals(expected + 3, epochs.entries());
    advance();
  }

  @Test
  void whatOneThreadInsertsAnotherMayRemoveForEver() throws Exception {
    long most = (1L << 43) - 1;
    for (int i = 0; i < 5; i++) {
      change(most);
      assertEquals(most, epochs.entries());
      int removing = i; // Each time in another word.
      for (int other = 0; other < removing; other++) {
        inAnotherThread(() -> 0);
      }
      inAnotherThread(() -> change(-most));
      assertEquals(0, epochs.entries());
      advance();
      advance();
    }
    change(-1);
    assertEquals(-1, epochs.entries());
    advance();
    advance();
  }

  @Test
  void anOperationHoldsTheEpochBackHoweverManyEntriesItsWordHas() {
    for (long entries : new long[] {1, -1, 1L << 42, -1L << 42}) {
      change(entries);
      int operation = epochs.enter();
      advance();
      assertFalse(epochs.advance());
      epochs.exit(operation, entries);
      advance();
    }
  }

  /** Counted in shared lines: entries cost none beside the one that an operation writes anyway. */
  @Test
  void anOperationWritesOneWordWhichSharesNoLineWithTheLengthOfTheArray() {
    for (int i = 0; i < 2; i++) {
      long[] before = epochs.counts.clone();
      int operation = epochs.enter();
      epochs.exit(operation, 3);
      for (int at = 0; at < before.length; at++) {
        assertEquals(at == operation, before[at] != epochs.counts[at], "word " + at);
      }
      assertTrue(operation * Long.BYTES >= 128, "word " + operation);
      advance();
    }
  }

  /** An operation that an epoch overtakes is counted again, in that one alone. */
  @Test
  void countsAreBalancedAfterARace() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; n < 200_000; n++) {
                  epochs.exit(epochs.enter(), n % 2 == 0 ? 2 : -1);
                }
              });
      threads.add(thread);
      thread.start();
    }
    while (threads.stream().anyMatch(Thread::isAlive)) {
      epochs.advance();
    }
    for (int i = 0; i < 4; i++) {
      advance();
    }
    epochs.beginAlone();
    assertEquals(200_000, epochs.entries());
    epochs.endAlone();
  }
}
