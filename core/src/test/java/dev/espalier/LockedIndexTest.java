// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bplus.BPlusTree;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LockedIndexTest {
  private static final Set<String> UNGUARDED = Set.of("variant", "missingValue", "isClosed");
  private static final Set<String> WRITES =
      Set.of(
          "put",
          "putIfAbsent",
          "remove",
          "set",
          "insert",
          "replace",
          "delete",
          "clear",
          "removeRange",
          "putAll",
          "bulkload",
          "shrink",
          "close",
          "setValue");

  private static final int WRITTEN = 20_000;
  private static final int KEYS = 500;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @Test
  void batchLookupIsThatOfTheIndexItself() {
    try (LongIndex index = BPlusTree.create(IndexOptions.DEFAULT)) {
      LongIndex locked = index.withReadWriteLock();
      var thrown = assertThrows(UnsupportedOperationException.class, locked::batchLookup);
      assertEquals(
          "an index behind a lock has no batch lookup, as the lock could not be held from call to"
              + " call; give the index itself, without the lock, to whatever takes one",
          thrown.getMessage());
    }
  }

  @Test
  void everyCallHoldsTheLockItNeeds() throws ReflectiveOperationException {
    assertHoldsLocks(
        LongIndex.class, "size", "sizeEstimate", "verify", "getAll", "close", "insert", "replace");
  }

  @Test
  void everyMoveOfACursorHoldsTheLockItNeeds() throws ReflectiveOperationException {
    assertHoldsLocks(LongCursor.class, "next", "setValue", "remove", "nextRun", "scanTo");
  }

  /** Calls every method of {@code type} and sees which lock is held when it arrives inside. */
  private static void assertHoldsLocks(Class<?> type, String... atLeast)
      throws ReflectiveOperationException {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    LockProbe probe = new LockProbe(lock);
    LongIndex index = new LockedIndex(probe.probing(LongIndex.class), lock);
    Set<String> called = new TreeSet<>();
    for (Method method : type.getMethods()) {
      boolean isCalled =
          Modifier.isAbstract(method.getModifiers())
              || List.of("sizeEstimate", "scanTo", "insert", "replace", "remove")
                  .contains(method.getName())
              || method.getName().equals("getAll") && method.getParameterCount() >= 5;
      if (!isCalled || method.getName().equals("batchLookup")) {
        continue;
      }
      LongCursor cursor = index.cursor();
      cursor.first();
      probe.calls.clear();
      method.invoke(type == LongCursor.class ? cursor : index, argumentsOf(method));
      assertEquals(0, lock.getReadLockCount(), method.getName());
      assertFalse(lock.isWriteLocked(), method.getName());
      for (LockProbe.Call call : probe.calls) {
        String held = WRITES.contains(call.method) ? "write" : "read";
        assertEquals(UNGUARDED.contains(call.method) ? "none" : held, call.held, call.method);
        called.add(call.method);
      }
    }
    assertTrue(called.containsAll(List.of(atLeast)), called::toString);
  }

  private static @Nullable Object[] argumentsOf(Method method) {
    return Arrays.stream(method.getParameterTypes()).map(LockedIndexTest::zeroOf).toArray();
  }

  private static @Nullable Object zeroOf(Class<?> type) {
    if (type == long.class) {
      return 0L;
    } else if (type == int.class) {
      return 0;
    } else if (type == double.class) {
      return 0.0;
    } else if (type == boolean.class) {
      return false;
    }
    return type == LongRun.class ? new LongRun() : null;
  }

  /** An index, and cursors, that only note which lock the caller holds. */
  private static final class LockProbe {
    record Call(String method, String held) {}

    final List<Call> calls = new ArrayList<>();
    private final ReentrantReadWriteLock lock;

    LockProbe(ReentrantReadWriteLock lock) {
      this.lock = lock;
    }

    <T> T probing(Class<T> type) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> {
                calls.add(new Call(method.getName(), held()));
                return answer(method);
              }));
    }

    private String held() {
      if (lock.isWriteLockedByCurrentThread()) {
        return "write";
      }
      return lock.getReadHoldCount() > 0 ? "read" : "none";
    }

    private @Nullable Object answer(Method method) {
      if (List.of("isClosed", "allowsTornReads").contains(method.getName())) {
        return false;
      }
      Class<?> type = method.getReturnType();
      if (type == LongCursor.class) {
        return probing(LongCursor.class);
      }
      return type == boolean.class ? true : zeroOf(type);
    }
  }

  @Test
  void readersSeeOnlyWholeEntriesWhileAWriterWorks() throws Exception {
    LongIndex index = new ModelIndex().withReadWriteLock();
    CountDownLatch writerIsDone = new CountDownLatch(1);
    List<Future<Integer>> readers =
        List.of(
            whileNot(writerIsDone, () -> scan(index.cursor())),
            whileNot(writerIsDone, () -> scan(index.descendingView().cursor())),
            whileNot(writerIsDone, () -> scanRuns(index)),
            whileNot(writerIsDone, () -> scanMap(index)),
            whileNot(writerIsDone, () -> lookUp(index)));
    NavigableMap<Long, Long> expected = new TreeMap<>();
    for (long i = 0; i < WRITTEN; i++) {
      long key = i * 7919 % KEYS;
      if (i % 3 == 0) {
        assertEquals(expected.remove(key) != null, index.remove(key) != index.missingValue());
      } else {
        index.set(key, valueOf(key));
        expected.put(key, valueOf(key));
      }
    }
    writerIsDone.countDown();
    for (Future<Integer> reader : readers) {
      assertTrue(reader.get() > 0);
    }
    assertEquals(expected, index.asMap());
  }

  /** Repeats {@code read} until the latch opens, and gives how often. */
  private Future<Integer> whileNot(CountDownLatch done, Runnable read) {
    return threads.submit(
        () -> {
          int count = 0;
          do {
            read.run();
            count++;
          } while (done.getCount() > 0);
          return count;
        });
  }

  private static long valueOf(long key) {
    return 31 * key + 1;
  }

  private static void scan(LongCursor cursor) {
    while (cursor.next()) {
      assertEquals(valueOf(cursor.key()), cursor.value());
    }
  }

  private static void scanRuns(LongIndex index) {
    LongCursor cursor = index.subView(10, true, KEYS - 10, true).cursor();
    LongRun run = new LongRun();
    long previous = -1;
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++) {
        assertTrue(run.key(i) > previous);
        assertEquals(valueOf(run.key(i)), run.value(i));
        previous = run.key(i);
      }
    }
  }

  private static void scanMap(LongIndex index) {
    for (Map.Entry<Long, Long> entry : index.asMap().entrySet().stream().toList()) {
      assertEquals(valueOf(entry.getKey()), entry.getValue());
    }
  }

  private static void lookUp(LongIndex index) {
    long[] keys = {1, 2, 3, 4};
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    for (int i = 0; i < keys.length; i++) {
      assertTrue(values[i] == index.missingValue() || values[i] == valueOf(keys[i]));
    }
  }

  @Test
  void cursorKeepsKeyAndValueAsTheyWereWhenItMoved() {
    LongIndex index = ModelIndex.ofKeys(1, 2, 3).withReadWriteLock();
    LongCursor cursor = index.cursor();
    cursor.first();
    index.delete(1);
    assertEquals(1, cursor.key());
    assertEquals(10, cursor.value());
    assertThrows(IllegalStateException.class, cursor::remove);
    assertThrows(IllegalStateException.class, () -> cursor.setValue(11));
    assertTrue(cursor.next());
    assertEquals(2, cursor.key());
    cursor.setValue(21);
    assertEquals(21, cursor.value());
    assertEquals(21, index.get(2));
    cursor.remove();
    assertThrows(IllegalStateException.class, cursor::key);
    assertFalse(index.containsKey(2));
  }

  @Test
  void runStaysAsItWasWhenTheIndexChanges() {
    try (LongIndex index = BPlusTree.create(IndexOptions.DEFAULT).withReadWriteLock()) {
      index.putAll(new long[] {1, 2, 3}, new long[] {10, 20, 30});
      LongRun run = new LongRun();
      assertTrue(index.cursor().nextRun(run));
      index.put(1, 11);
      index.put(0, 0);
      assertEquals(3, run.count());
      assertEquals(1, run.key(0));
      assertEquals(10, run.value(0));
      assertEquals(30, run.value(2));
      assertTrue(run.segment().isReadOnly());
    }
  }

  @Test
  void runIsAsLongAsTheLeaf() {
    BPlusTree tree = BPlusTree.create(IndexOptions.DEFAULT, 32);
    try (LongIndex index = tree.withReadWriteLock()) {
      long[] keys = LongStream.range(0, 1000).toArray();
      index.bulkload(keys, keys);
      LongRun expected = new LongRun();
      assertTrue(tree.cursor().nextRun(expected));
      LongRun run = new LongRun();
      assertTrue(index.cursor().nextRun(run));
      assertTrue(run.count() > 64);
      assertEquals(expected.count(), run.count());
      for (int i = 0; i < run.count(); i++) {
        assertEquals(i, run.key(i));
        assertEquals(i, run.value(i));
      }
    }
  }

  @Test
  void useAfterCloseByAnotherThreadIsRefused() throws Exception {
    LongIndex index = ModelIndex.ofKeys(1, 2, 3).withReadWriteLock();
    LongNavigable view = index.subView(2, true, 3, true);
    LongCursor cursor = index.cursor();
    cursor.first();
    NavigableMap<Long, Long> map = index.asMap();
    Iterator<Long> keys = map.keySet().iterator();
    threads.submit(index::close).get();
    assertTrue(index.isClosed());
    for (Callable<?> call :
        List.<Callable<?>>of(
            () -> index.get(1),
            () -> index.put(1, 1),
            index::size,
            index::cursor,
            () -> view.get(1),
            () -> view.get(2),
            cursor::key,
            cursor::value,
            cursor::next,
            () -> map.get(1L),
            map::size,
            keys::next)) {
      Exception thrown = assertThrows(ExecutionException.class, () -> threads.submit(call).get());
      assertInstanceOf(IllegalStateException.class, thrown.getCause());
    }
    index.close();
  }

  @Test
  void lockIsNotPutBehindAnotherLock() {
    LongIndex index = new ModelIndex().withReadWriteLock();
    assertSame(index, index.withReadWriteLock());
  }
}
