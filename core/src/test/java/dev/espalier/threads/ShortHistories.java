// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
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
import java.util.stream.Stream;

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

  private final long others;
  private final List<Kind> kinds;

  private ShortHistories(ExecutorService threads, long others, List<Kind> kinds) {
    this.threads = threads;
    this.others = others;
    this.kinds = kinds;
  }

  /**
   * Checks the histories of so many rounds, each over a new index.
   *
   * @param factory makes an empty index whose smallest leaves have fewer than 20 entries
   */
  public static void check(Function<IndexOptions, LongIndex> factory, int rounds) throws Exception {
    check(factory, rounds, DISTANCE);
  }

  /**
   * Checks the histories of so many rounds, each over a new index.
   *
   * @param others how many keys before the first of the histories the other thread writes
   */
  public static void check(Function<IndexOptions, LongIndex> factory, int rounds, long others)
      throws Exception {
    check(Executors.newCachedThreadPool(), factory, rounds, others);
  }

  /** Does the same with threads of some kind, which it ends. */
  public static void check(
      ExecutorService threads, Function<IndexOptions, LongIndex> factory, int rounds, long others)
      throws Exception {
    check(threads, factory, rounds, others, List.of(Kind.values()));
  }

  /** Does the same without calls that an index of byte strings does not have. */
  public static void checkOfByteStrings(
      Function<IndexOptions, LongIndex> factory, int rounds, long others) throws Exception {
    List<Kind> kinds =
        Stream.of(Kind.values())
            .filter(kind -> kind != Kind.REPLACE && kind != Kind.REMOVE_IF)
            .toList();
    check(Executors.newCachedThreadPool(), factory, rounds, others, kinds);
  }

  private static void check(
      ExecutorService ofSomeKind,
      Function<IndexOptions, LongIndex> factory,
      int rounds,
      long others,
      List<Kind> kinds)
      throws Exception {
    try (ExecutorService threads = ofSomeKind) {
      ShortHistories histories = new ShortHistories(threads, others, kinds);
      Seeds.run(
          rounds,
          seed -> {
            try (LongIndex index =
                factory.apply(IndexOptions.DEFAULT.withMissingValue(History.ABSENT))) {
              for (List<Call> history : histories.histories(index, seed)) {
                assertTrue(History.isLinearizable(history), history::toString);
              }
              index.verify();
            }
          });
    }
  }

  /** Returns what was done with each key. */
  private List<List<Call>> histories(LongIndex index, long seed) throws Exception {
    CyclicBarrier start = new CyclicBarrier(THREADS + 1);
    List<Future<List<List<Call>>>> calling = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      SplittableRandom random = new SplittableRandom(31 * seed + i);
      long firstValue = 100L * (i + 1);
      calling.add(threads.submit(after(start, () -> calls(index, random, firstValue))));
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

  private List<List<Call>> calls(LongIndex index, SplittableRandom random, long firstValue) {
    List<List<Call>> calls = noCalls();
    long[] seen = new long[KEYS];
    for (int i = 0; i < CALLS; i++) {
      int number = random.nextInt(KEYS);
      Kind kind = kinds.get(random.nextInt(kinds.size()));
      long value = firstValue + i;
      long expected = seen[number];
      long begin = System.nanoTime();
      long answer = call(index, number * DISTANCE, kind, value, expected, random);
      calls.get(number).add(new Call(kind, value, expected, answer, begin, System.nanoTime()));
      seen[number] = answer > History.DONE ? answer : value;
    }
    return calls;
  }

  private static long call(
      LongIndex index, long key, Kind kind, long value, long expected, SplittableRandom random) {
    switch (kind) {
      case SET -> index.set(key, value);
      case DELETE -> {
        if (random.nextBoolean()) {
          index.delete(key);
        } else {
          index.removeRange(key - DISTANCE, false, key + DISTANCE, false);
        }
      }
      default -> {
        return switch (kind) {
          case PUT -> index.put(key, value);
          case PUT_IF_ABSENT -> index.putIfAbsent(key, value);
          case REMOVE -> index.remove(key);
          case INSERT -> answer(index.insert(key, value));
          case REPLACE -> answer(index.replace(key, expected, value));
          case REMOVE_IF -> answer(index.remove(key, expected));
          default -> read(index, key, random);
        };
      }
    }
    return History.DONE;
  }

  private static long answer(boolean done) {
    return done ? History.DONE : History.NOT_DONE;
  }

  private static long read(LongIndex index, long key, SplittableRandom random) {
    switch (random.nextInt(4)) {
      case 0 -> {
        return index.get(key);
      }
      case 1 -> {
        long[] value = new long[1];
        return index.find(key, value) ? value[0] : History.ABSENT;
      }
      case 2 -> {
        long[] values = new long[3];
        index.getAll(new long[] {key - 1, key, key + 1}, values);
        return values[1];
      }
      default -> {
        LongCursor cursor = index.cursor();
        return cursor.ceiling(key) && cursor.key() == key ? cursor.value() : History.ABSENT;
      }
    }
  }

  private boolean churn(LongIndex index) {
    for (int times = 0; times < 2; times++) {
      for (long key = -others; key < KEYS * DISTANCE; key++) {
        if (key % DISTANCE != 0) {
          index.put(key, key);
        }
      }
      for (long key = -others; key < KEYS * DISTANCE; key++) {
        if (key % DISTANCE != 0) {
          index.remove(key);
        }
      }
    }
    return true;
  }
}
