// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.family.Family;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writers of a store that are at work at the same time, one of which is paused between its change
 * and its record; and what a power loss leaves of their writes.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParallelWritersTest {
  private static final int SEGMENT_BYTES = 32 << 10;

  /** Of which the buffer of the log is only a part. */
  private static final int LARGE_SEGMENT_BYTES = 8 * LogBuffer.BYTES;

  private static final String SEVERAL = "BLinkTree";
  private static final String ONE = "DiskFirstFpbPlusTree";

  /** The key whose writer is paused. */
  private static final long PAUSED = 1;

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final CountDownLatch isPaused = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  private IndexStore open(Set<Rule> without) {
    return open(SEGMENT_BYTES, without);
  }

  private IndexStore open(int segmentBytes, Set<Rule> without) {
    StoreOptions options = StoreOptions.DEFAULT.withSegmentBytes(segmentBytes);
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(1), false, false, without);
    return new StoreOpening(SimulatedDisk.path("store"), options, environment).open();
  }

  /** Loses power, and opens the store that is left. */
  private IndexStore losePower(IndexStore store) {
    disk.losePower();
    try {
      store.close();
    } catch (PageFileException | PowerLostException lost) {
      // It can't say farewell.
    }
    disk.restart(CrashPlan.NOTHING);
    return open(Set.of());
  }

  /** Returns a tree in which the first write of one value to a key pauses after its change. */
  private TreeVariant pausing(String tree, String call, long value) {
    TreeVariant plain = Family.named(tree);
    return TreeVariant.inPages(
        tree,
        plain.paper(),
        plain.factory(),
        (options, pages) -> pausing(plain.open(options, pages), call, value));
  }

  private LongIndex pausing(LongIndex tree, String call, long value) {
    Class<?> type =
        tree instanceof ConcurrentLongIndex ? ConcurrentLongIndex.class : LongIndex.class;
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (method.getName().equals("withReadWriteLock")) {
            return InvocationHandler.invokeDefault(proxy, method, arguments);
          }
          Object result;
          try {
            result = method.invoke(tree, arguments);
          } catch (InvocationTargetException failed) {
            throw failed.getCause();
          }
          if (method.getName().equals(call)
              && arguments[0].equals(PAUSED)
              && (arguments.length == 1 || arguments[1].equals(value))) {
            isPaused.countDown();
            Waiting.await(goOn);
          }
          return result;
        };
    return (LongIndex)
        Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, handler);
  }

  private Thread startAndPause(Runnable write) throws InterruptedException {
    Thread writer = Thread.ofPlatform().start(write);
    Waiting.await(isPaused);
    return writer;
  }

  private void goOn(Thread writer) throws InterruptedException {
    goOn.countDown();
    writer.join();
  }

  /** Starts a thread, and waits until it waits or has ended. */
  private static Thread startAndBlock(Runnable action) throws InterruptedException {
    Thread thread = Thread.ofPlatform().start(action);
    while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  // ---------------------------------------------------------------- checkpoints

  /** Returns which of two keys, which one batch removes, are there after a crash. */
  private List<Boolean> leftByACheckpointWithinABatch(String tree, Set<Rule> without)
      throws InterruptedException {
    IndexStore store = open(without);
    LongIndex index = store.index("a", pausing(tree, "delete", 0));
    index.set(PAUSED, 1);
    index.set(PAUSED + 1, 1);
    store.commit();
    WriteBatch batch = new WriteBatch().delete(index, PAUSED).delete(index, PAUSED + 1);
    Thread writer =
        startAndPause(
            () -> {
              try {
                store.write(batch);
              } catch (PageFileException lost) {
                assertTrue(disk.crashed());
              }
            });
    Thread checkpoint = startAndBlock(store::checkpoint);
    boolean waits = checkpoint.isAlive();
    if (waits) {
      goOn(writer);
      checkpoint.join();
    } else {
      disk.losePower();
      goOn(writer);
    }
    try (IndexStore again = losePower(store)) {
      LongIndex left = again.index("a", Family.named(tree));
      return List.of(left.containsKey(PAUSED), left.containsKey(PAUSED + 1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ONE, SEVERAL})
  void aCheckpointWaitsForAWriterBetweenItsChangesAndItsRecord(String tree)
      throws InterruptedException {
    assertEquals(List.of(false, false), leftByACheckpointWithinABatch(tree, Set.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {ONE, SEVERAL})
  void aCheckpointThatDoesNotWaitHasHalfABatch(String tree) throws InterruptedException {
    assertEquals(
        List.of(false, true),
        leftByACheckpointWithinABatch(tree, Set.of(Rule.CAPTURE_WAITS_FOR_WRITERS)));
  }

  // ---------------------------------------------------------------- independence

  @ParameterizedTest
  @ValueSource(strings = {ONE, SEVERAL})
  void aPausedWriterStopsNoWriterOfAnotherIndex(String tree) throws InterruptedException {
    try (IndexStore store = open(Set.of())) {
      LongIndex paused = store.index("a", pausing(tree, "set", 10));
      LongIndex index = store.index("b", Family.named(tree));
      BytesIndex strings = store.bytesIndex("c");
      Thread writer = startAndPause(() -> paused.set(PAUSED, 10));
      for (long key = 0; key < 5_000; key++) { // more than a segment has room for
        index.put(key, key);
      }
      byte[] string = {1};
      strings.put(string, string);
      store.write(new WriteBatch().set(index, 1, 2).set(strings, string, new byte[] {2}));
      assertEquals(5_000, index.removeRange(0, true, 10_000, true));
      store.commit();
      assertTrue(writer.isAlive());
      goOn(writer);
      store.commit();
      try (IndexStore again = losePower(store)) {
        assertEquals(10, again.index("a", Family.named(tree)).get(PAUSED));
        assertEquals(0, again.index("b", Family.named(tree)).size());
        assertEquals(2, again.bytesIndex("c").get(string)[0]);
      }
    }
  }

  @Test
  void aPausedWriterStopsNoWriterOfAnotherKeyInATreeForManyThreads() throws InterruptedException {
    try (IndexStore store = open(Set.of())) {
      LongIndex index = store.index("a", pausing(SEVERAL, "set", 10));
      long[] others =
          LongStream.range(0, 1_000)
              .filter(key -> IndexLocks.bit(key) != IndexLocks.bit(PAUSED))
              .toArray();
      Thread writer = startAndPause(() -> index.set(PAUSED, 10));
      for (long key : others) {
        index.set(key, key);
        assertEquals(key, index.remove(key));
      }
      index.putAll(others, others);
      WriteBatch batch = new WriteBatch();
      LongStream.of(others).forEach(key -> batch.set(index, key, -key));
      store.write(batch);
      assertTrue(writer.isAlive());
      goOn(writer);
      assertEquals(others.length + 1, index.size());
    }
  }

  // ---------------------------------------------------------------- order

  /** Two threads write one key; returns the value before and after a crash. */
  private List<Long> writtenTwice(String tree, Set<Rule> without) throws InterruptedException {
    IndexStore store = open(without);
    LongIndex index = store.index("a", pausing(tree, "set", 10));
    Thread first = startAndPause(() -> index.set(PAUSED, 10));
    Thread second = startAndBlock(() -> index.set(PAUSED, 20));
    goOn(first);
    second.join();
    long before = index.get(PAUSED);
    store.commit();
    try (IndexStore again = losePower(store)) {
      return List.of(before, again.index("a", Family.named(tree)).get(PAUSED));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ONE, SEVERAL})
  void theLogHasTheWritesOfAKeyInTheOrderOfTheTree(String tree) throws InterruptedException {
    assertEquals(List.of(20L, 20L), writtenTwice(tree, Set.of()));
  }

  @Test
  void withoutItsLockAKeyIsRecoveredAsItNeverWas() throws InterruptedException {
    assertEquals(List.of(20L, 10L), writtenTwice(SEVERAL, Set.of(Rule.LOG_ORDER_IS_TREE_ORDER)));
  }

  // ---------------------------------------------------------------- room

  /**
   * A writer that has made sure of its room in the log is paused while others fill its buffer;
   * tells whether all is there after a crash.
   */
  private boolean keepsAllOfAFullBuffer(String tree, Set<Rule> without)
      throws InterruptedException {
    IndexStore store = open(LARGE_SEGMENT_BYTES, without);
    LongIndex paused = store.index("a", pausing(tree, "set", 10));
    LongIndex index = store.index("b", Family.named(tree));
    store.commit(); // The buffer has no more than a block then, of which the records take a part.
    long used = store.state().log.end().offset() % LogBuffer.BLOCK_BYTES;
    Thread writer =
        startAndPause(
            () -> {
              try {
                paused.set(PAUSED, 10);
              } catch (RuntimeException lost) {
                assertFalse(without.isEmpty(), lost.toString());
              }
            });
    long count = (LogBuffer.BYTES - used) / SetRecord.BYTES;
    for (long key = 0; key < count; key++) {
      index.set(key, key);
    }
    goOn(writer);
    try {
      store.commit();
    } catch (PageFileException refused) {
      assertFalse(without.isEmpty(), refused.toString());
    }
    try (IndexStore again = losePower(store)) {
      return again.index("a", Family.named(tree)).get(PAUSED) == 10
          && again.index("b", Family.named(tree)).size() == count;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ONE, SEVERAL})
  void theRoomOfAPausedWriterIsNotGivenToOthers(String tree) throws InterruptedException {
    assertTrue(keepsAllOfAFullBuffer(tree, Set.of()));
    // A tree for many threads would have told the log before the pause.
    Rule toldLater = Rule.READERS_SEE_WHAT_IS_LOGGED;
    assertTrue(new ParallelWritersTest().keepsAllOfAFullBuffer(tree, Set.of(toldLater)));
    assertFalse(
        new ParallelWritersTest()
            .keepsAllOfAFullBuffer(tree, Set.of(toldLater, Rule.LOG_ROOM_IS_FOR_ALL_WRITERS)));
  }

  // ---------------------------------------------------------------- batches

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBatchWaitsForTheWriterOfAnyOfItsKeys(boolean isLast) throws InterruptedException {
    IndexStore store = open(Set.of());
    LongIndex index = store.index("a", pausing(SEVERAL, "set", 10));
    long other =
        LongStream.range(0, 1_000)
            .filter(key -> IndexLocks.bit(key) != IndexLocks.bit(PAUSED))
            .findFirst()
            .orElseThrow();
    WriteBatch batch = new WriteBatch();
    batch.set(index, isLast ? other : PAUSED, 20).set(index, isLast ? PAUSED : other, 20);
    Thread first = startAndPause(() -> index.set(PAUSED, 10));
    Thread second = startAndBlock(() -> store.write(batch));
    assertTrue(second.isAlive(), "the batch went ahead of the writer of one of its keys");
    goOn(first);
    second.join();
    store.commit();
    assertEquals(20, index.get(PAUSED));
    try (IndexStore again = losePower(store)) {
      assertEquals(20, again.index("a", Family.named(SEVERAL)).get(PAUSED));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ONE, SEVERAL})
  void batchesOfTheSameKeysInAnyOrderDoNotWaitForOneAnotherForEver(String tree) throws Exception {
    int keys = 40;
    int rounds = TestSize.share(300, 20_000);
    try (IndexStore store = open(Set.of());
        ExecutorService threads = Executors.newCachedThreadPool()) {
      List<LongIndex> indexes =
          List.of(
              store.index("a", Family.named(tree)),
              store.index("b", Family.named(SEVERAL)),
              store.index("c", Family.named(ONE)));
      BytesIndex strings = store.bytesIndex("d");
      List<Future<?>> writers = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int number = thread;
        writers.add(
            threads.submit(
                () -> {
                  WriteBatch batch = new WriteBatch();
                  for (long round = 0; round < rounds; round++) {
                    batch.clear();
                    long value = round * 4 + number;
                    for (int i = 0; i < 3 * keys; i++) {
                      int at = number % 2 == 0 ? i : 3 * keys - 1 - i;
                      batch.set(indexes.get(at % 3), at / 3, value);
                      if (at % keys == 0) {
                        batch.set(strings, new byte[] {(byte) at}, new byte[] {(byte) value});
                      }
                    }
                    store.write(batch);
                    indexes.get((int) (round % 3)).set(1_000 + number, value);
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      long last = indexes.getFirst().get(0);
      for (LongIndex index : indexes) {
        for (long key = 0; key < keys; key++) {
          assertEquals(last, index.get(key));
        }
        index.verify();
      }
      assertEquals((byte) last, strings.get(new byte[] {0})[0]);
      store.commit();
      try (IndexStore again = losePower(store)) {
        assertEquals(last, again.index("b").get(keys - 1));
        assertEquals((byte) last, again.bytesIndex("d").get(new byte[] {0})[0]);
      }
    }
  }
}
