// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.espalier.inspect.NodeView;
import dev.espalier.inspect.TreePrinter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("fallback-thorough")
class UseAfterCloseTest {
  /** More than the widest leaf holds. */
  private static final int ENTRIES = 5000;

  /** How many of them come by bulkload, and not one by one. */
  private static final int LOADED = TestSize.of(4900, 0);

  /**
   * What needs no entries: facts about an index or a cursor, and adapters, whose own calls then
   * refuse.
   */
  private static final Set<String> ALLOWED =
      Set.of(
          "close",
          "isClosed",
          "variant",
          "asMap",
          "checkCodecs",
          "withReadWriteLock",
          "allowsTornReads",
          "expectTornReads",
          "copiesRuns");

  /** More turns than a reader can make before the index is closed; an end nevertheless. */
  private static final long MOST_TURNS = 1L << 40;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final MemorySegment eightBytes = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void everyCallOfTheIndexIsRefused(TreeShape shape) throws ReflectiveOperationException {
    LongIndex index = counting(shape);
    index.close();
    index.close();
    assertTrue(index.isClosed());
    assertRefuses(index, LongIndex.class);
    assertRefuses(index.withReadWriteLock(), LongIndex.class);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void everyCallOfAViewIsRefused(TreeShape shape) throws ReflectiveOperationException {
    LongIndex index = counting(shape);
    LongNavigable view = index.subView(-10, true, 10, true);
    LongNavigable backwards = index.descendingView();
    index.close();
    assertRefuses(view, LongNavigable.class);
    assertRefuses(backwards, LongNavigable.class);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void everyCallOfACursorIsRefusedWhereverItStands(TreeShape shape)
      throws ReflectiveOperationException {
    LongIndex index = counting(shape);
    List<LongCursor> cursors = new ArrayList<>();
    for (LongNavigable of : List.of(index, index.tailView(5, true), index.descendingView())) {
      for (Consumer<LongCursor> move :
          List.<Consumer<LongCursor>>of(
              nowhere -> {},
              LongCursor::first,
              LongCursor::last,
              cursor -> cursor.ceiling(100),
              cursor -> cursor.nextRun(new LongRun()))) {
        LongCursor cursor = of.cursor();
        move.accept(cursor);
        cursors.add(cursor);
      }
    }
    index.close();
    for (LongCursor cursor : cursors) {
      assertRefuses(cursor, LongCursor.class);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void mapIsRefused(TreeShape shape) {
    LongIndex index = counting(shape);
    NavigableMap<Long, Long> map = index.asMap();
    Iterator<Long> keys = map.keySet().iterator();
    keys.next();
    index.close();
    for (Function<NavigableMap<Long, Long>, @Nullable Object> call :
        List.<Function<NavigableMap<Long, Long>, @Nullable Object>>of(
            closed -> closed.get(1L),
            closed -> closed.containsKey(1L),
            closed -> closed.put(1L, 1L),
            closed -> closed.remove(1L),
            NavigableMap::size,
            NavigableMap::isEmpty,
            closed -> clear(closed),
            NavigableMap::firstKey,
            NavigableMap::lastEntry,
            NavigableMap::pollFirstEntry,
            closed -> closed.floorKey(1L),
            closed -> closed.higherEntry(1L),
            closed -> closed.headMap(1L),
            NavigableMap::descendingMap,
            closed -> closed.keySet().iterator(),
            closed -> closed.values().iterator(),
            closed -> closed.entrySet().size())) {
      assertThrows(IllegalStateException.class, () -> call.apply(map));
    }
    assertThrows(IllegalStateException.class, keys::next);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void nodesAreNotRead(TreeShape shape) {
    LongIndex index = counting(shape);
    NodeView root = index.rootView();
    assumeFalse(shape.name().startsWith("PioBTree") && root.count() == 0, "all is in the queue");
    index.close();
    assertThrows(IllegalStateException.class, () -> TreePrinter.print(root, 10));
  }

  /**
   * A run may be a copy, where nothing stays in memory that is not in use, leaves are logs, or
   * others may change them.
   */
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void runsAreNotReadUnlessTheyAreCopies(TreeShape shape) {
    LongIndex index = counting(shape);
    LongRun run = new LongRun();
    index.cursor().nextRun(run);
    long first = run.key(0);
    index.close();
    try {
      assertEquals(first, run.key(0));
      boolean isCopy =
          shape.name().endsWith("in a file")
              || shape.name().startsWith("PioBTree")
              || shape.name().startsWith("DigestCssTree")
              || shape.name().startsWith("FdTree")
              || shape.name().startsWith("BLinkTree")
              || shape.name().startsWith("FpbLinkTree")
              || shape.name().startsWith("BftlTree")
              || shape.name().startsWith("ConcurrentPbPlusTree");
      assertTrue(isCopy, shape.name());
    } catch (IllegalStateException closed) {
      assertThrows(IllegalStateException.class, () -> run.value(0));
    }
  }

  private static boolean clear(NavigableMap<Long, Long> map) {
    map.clear();
    return true;
  }

  /** Calls every method of an interface. */
  private void assertRefuses(Object target, Class<?> type) throws ReflectiveOperationException {
    int called = 0;
    for (Method method : type.getMethods()) {
      if (ALLOWED.contains(method.getName())
          || java.lang.reflect.Modifier.isStatic(method.getModifiers())) {
        continue;
      }
      called++;
      @Nullable Object[] arguments =
          Arrays.stream(method.getParameterTypes()).map(this::argument).toArray();
      InvocationTargetException thrown =
          assertThrows(
              InvocationTargetException.class,
              () -> method.invoke(target, arguments),
              () -> target.getClass().getSimpleName() + " answers " + method);
      assertInstanceOf(IllegalStateException.class, thrown.getCause(), method::toString);
    }
    assertTrue(called > 10);
  }

  private Object argument(Class<?> type) {
    return switch (type.getSimpleName()) {
      case "long" -> 1L;
      case "int" -> 0;
      case "boolean" -> true;
      case "double" -> 1.0;
      case "long[]" -> new long[] {1};
      case "MemorySegment" -> eightBytes;
      case "LongBinaryOperator" -> (LongBinaryOperator) Long::sum;
      case "LongUnaryOperator" -> (LongUnaryOperator) key -> key;
      case "LongUpdate" -> (LongUpdate) (_, _) -> true;
      case "LongLongConsumer" -> (LongLongConsumer) (_, _) -> {};
      case "LongLongPredicate" -> (LongLongPredicate) (_, _) -> true;
      case "LongEntry" -> new LongEntry();
      case "LongRun" -> new LongRun();
      case "ProgressListener" -> ProgressListener.NONE;
      case "LongEntrySource" -> LongEntrySource.of(new long[] {1}, new long[] {1}, 1);
      default -> throw new AssertionError("no argument of " + type);
    };
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  @Timeout(60)
  void readersAreRefusedWhenAnotherThreadCloses(TreeShape shape) throws Exception {
    LongIndex index = counting(shape);
    List<Consumer<LongIndex>> readings =
        List.of(
            each -> each.get(17),
            UseAfterCloseTest::getAll,
            UseAfterCloseTest::scan,
            UseAfterCloseTest::scanRuns);
    CountDownLatch reading = new CountDownLatch(readings.size());
    List<Future<?>> readers = new ArrayList<>();
    for (Consumer<LongIndex> read : readings) {
      readers.add(threads.submit(() -> readOn(index, read, reading)));
    }
    reading.await();
    index.close();
    for (Future<?> reader : readers) {
      ExecutionException end = assertThrows(ExecutionException.class, reader::get);
      assertInstanceOf(IllegalStateException.class, end.getCause());
    }
  }

  private static void readOn(LongIndex index, Consumer<LongIndex> read, CountDownLatch reading) {
    for (long turn = 0; turn < MOST_TURNS; turn++) {
      read.accept(index);
      if (turn == 10) {
        reading.countDown();
      }
    }
  }

  private static void getAll(LongIndex index) {
    index.getAll(new long[] {1, 2, 3, 4000, 70_000}, new long[5]);
  }

  private static void scan(LongIndex index) {
    LongCursor cursor = index.cursor();
    while (cursor.next()) {
      assertEquals(-cursor.key(), cursor.value());
    }
  }

  private static void scanRuns(LongIndex index) {
    LongCursor cursor = index.cursor();
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      MemorySegment segment = run.segment();
      for (int i = 0; i < run.count(); i++) {
        long key = segment.get(ValueLayout.JAVA_LONG, run.keysOffset() + 8L * i);
        assertEquals(-key, segment.get(ValueLayout.JAVA_LONG, run.valuesOffset() + 8L * i));
      }
    }
  }

  private static LongIndex counting(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    long[] keys = LongStream.range(0, LOADED).toArray();
    index.bulkload(keys, Arrays.stream(keys).map(key -> -key).toArray());
    for (long key = LOADED; key < ENTRIES; key++) {
      index.put(key, -key);
    }
    return index;
  }
}
