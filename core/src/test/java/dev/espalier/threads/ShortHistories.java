// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.threads.History.Call;
import dev.espalier.threads.History.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * Three threads write and read the same few keys at once, while a fourth splits and empties the
 * leaves that these are in; all that they were answered must be explained by some order.
 */
public final class ShortHistories {
  private static final int THREADS = 3;
  private static final int KEYS = 3;
  private static final int CALLS = 12;

  /** Distance of the keys; in between are more than fit into a leaf of the smallest nodes. */
  private static final long DISTANCE = 20;

  private final ExecutorService threads;

  private ShortHistories(ExecutorService threads) {
    this.threads = threads;
  }

  /**
   * Checks the histories of so many rounds, each over a new index.
   *
   * @param factory makes an empty index whose smallest leaves have fewer than 20 entries
   */
  public static void check(Function<IndexOptions, LongIndex> factory, int rounds) throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      ShortHistories histories = new ShortHistories(threads);
      for (int round = 0; round < rounds; round++) {
        try (LongIndex index =
            factory.apply(IndexOptions.DEFAULT.withMissingValue(History.ABSENT))) {
          for (List<Call> history : histories.histories(index, round)) {
            assertTrue(History.isLinearizable(history), () -> history.toString());
          }
          index.verify();
        }
      }
    }
  }

  /** Returns what was done with each key. */
  private List<List<Call>> histories(LongIndex index, int round) throws Exception {
    CyclicBarrier start = new CyclicBarrier(THREADS + 1);
    List<Future<List<List<Call>>>> calling = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      SplittableRandom random = new SplittableRandom(31L * round + i);
      int thread = i;
      calling.add(threads.submit(after(start, () -> calls(index, random, 100L * thread))));
    }
    Future<?> churn = threads.submit(after(start, () -> churn(index)));
    List<List<Call>> all = noCalls();
    for (Future<List<List<Call>>> one : calling) {
      List<List<Call>> calls = one.get();
      for (int key = 0; key < KEYS; key++) {
        all.get(key).addAll(calls.get(key));
      }
    }
    churn.get();
    return all;
  }

  private static <T> Callable<T> after(CyclicBarrier start, Callable<T> work) {
    return () -> {
      start.await();
      return work.call();
    };
  }

  private static List<List<Call>> noCalls() {
    List<List<Call>> none = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      none.add(new ArrayList<>());
    }
    return none;
  }

  private static List<List<Call>> calls(LongIndex index, SplittableRandom random, long firstValue) {
    List<List<Call>> calls = noCalls();
    for (int i = 0; i < CALLS; i++) {
      int number = random.nextInt(KEYS);
      long key = number * DISTANCE;
      Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
      long value = firstValue + i;
      long begin = System.nanoTime();
      long answer =
          switch (kind) {
            case GET -> index.get(key);
            case PUT -> index.put(key, value);
            case PUT_IF_ABSENT -> index.putIfAbsent(key, value);
            case REMOVE -> index.remove(key);
          };
      calls.get(number).add(new Call(kind, value, answer, begin, System.nanoTime()));
    }
    return calls;
  }

  private static boolean churn(LongIndex index) {
    for (int times = 0; times < 2; times++) {
      for (long key = -DISTANCE; key < KEYS * DISTANCE; key++) {
        if (key % DISTANCE != 0) {
          index.put(key, key);
        }
      }
      for (long key = -DISTANCE; key < KEYS * DISTANCE; key++) {
        if (key % DISTANCE != 0) {
          index.remove(key);
        }
      }
    }
    return true;
  }
}
