// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.ClosingPageStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Once {@code close} has returned, in whatever thread, a cursor answers nothing, from no copy. */
@Tag("fallback-thorough")
@Timeout(60)
final class ClosedCursorTest {
  private static final int ENTRIES = 200;

  /** Calls after which a loop over them has been compiled. */
  private static final int WARM = 100_000;

  static List<PagedShape> onPages() {
    return Stream.concat(PagedShape.smallest().stream(), Stream.of(PagedShape.cola())).toList();
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void everyCallIsRefusedAfterAnotherThreadHasClosed(TreeShape shape) throws Exception {
    LongIndex index = filled(shape.create(IndexOptions.DEFAULT));
    List<LongCursor> cursors = new ArrayList<>();
    for (LongNavigable of :
        List.of(
            index, index.tailView(5, true), index.descendingView(), index.withReadWriteLock())) {
      for (Consumer<LongCursor> move :
          List.<Consumer<LongCursor>>of(
              LongCursor::first,
              LongCursor::last,
              cursor -> cursor.ceiling(100),
              cursor -> cursor.nextRun(new LongRun()),
              ClosedCursorTest::stepOnFrom100)) {
        LongCursor cursor = of.cursor();
        move.accept(cursor);
        cursors.add(cursor);
      }
    }
    Thread closing = Thread.ofPlatform().start(index::close);
    closing.join();
    for (LongCursor cursor : cursors) {
      assertRefuses(cursor);
    }
  }

  private static void stepOnFrom100(LongCursor cursor) {
    cursor.ceiling(100);
    cursor.next();
    cursor.previous();
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void loopThatStaysWithinALeafEndsWhenAnotherThreadCloses(TreeShape shape) throws Exception {
    LongIndex index = filled(shape.create(IndexOptions.DEFAULT));
    List<FutureTask<Void>> loops =
        List.of(
            inALoop(index, ClosedCursorTest::readKey),
            inALoop(index, ClosedCursorTest::readValue),
            inALoop(index, ClosedCursorTest::goToAndFro));
    index.close();
    for (FutureTask<Void> loop : loops) {
      ExecutionException end = assertThrows(ExecutionException.class, loop::get);
      assertInstanceOf(IllegalStateException.class, end.getCause());
    }
  }

  /** Starts a loop that ends only by an exception, and returns when it is well at work. */
  private static FutureTask<Void> inALoop(
      LongIndex index, BiConsumer<LongCursor, CountDownLatch> loop) throws InterruptedException {
    LongCursor cursor = index.cursor();
    cursor.first();
    CountDownLatch warm = new CountDownLatch(1);
    FutureTask<Void> task = new FutureTask<>(() -> loop.accept(cursor, warm), null);
    Thread.ofPlatform().daemon().start(task);
    warm.await();
    return task;
  }

  // The loops are written out, so that a compiler can find that they read the same all the time.

  private static void readKey(LongCursor cursor, CountDownLatch warm) {
    for (long i = 0; cursor.key() == 0; i++) {
      if (i == WARM) {
        warm.countDown();
      }
    }
  }

  private static void readValue(LongCursor cursor, CountDownLatch warm) {
    for (long i = 0; cursor.value() == 0; i++) {
      if (i == WARM) {
        warm.countDown();
      }
    }
  }

  private static void goToAndFro(LongCursor cursor, CountDownLatch warm) {
    for (long i = 0; cursor.next() && cursor.previous(); i++) {
      if (i == WARM) {
        warm.countDown();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("onPages")
  void cursorThatLooksAgainDuringCloseIsRefusedAfterwards(PagedShape shape) {
    ClosingPageStore store = new ClosingPageStore(shape.newStore());
    LongIndex index = filled(shape.open(store));
    LongCursor cursor = index.cursor();
    cursor.ceiling(100);
    store.atClose = () -> assertEquals(100, cursor.key());
    index.close();
    assertRefuses(cursor);
  }

  /** For every page that a seek gives back, the index is closed there. */
  @ParameterizedTest
  @MethodSource("onPages")
  void cursorThatSeeksDuringCloseIsRefusedAfterwards(PagedShape shape) {
    for (int unpins = 1; ; unpins++) {
      ClosingPageStore store = new ClosingPageStore(shape.newStore());
      LongIndex index = filled(shape.open(store));
      LongCursor cursor = index.cursor();
      store.countdown = unpins;
      store.atUnpin = index::close;
      try {
        cursor.ceiling(100);
      } catch (IllegalStateException e) {
        assertTrue(index.isClosed(), () -> "thrown by an open index: " + e);
      }
      if (!index.isClosed()) {
        index.close();
        assertTrue(unpins > 1, "seeks give back a page at least");
        return;
      }
      assertRefuses(cursor);
    }
  }

  @ParameterizedTest
  @MethodSource("onPages")
  void cursorIsRefusedAfterACloseThatFailed(PagedShape shape) {
    ClosingPageStore store = new ClosingPageStore(shape.newStore());
    LongIndex index = filled(shape.open(store));
    LongCursor cursor = index.cursor();
    cursor.ceiling(100);
    store.atClose =
        () -> {
          store.atClose = () -> {};
          store.close();
          throw new ArithmeticException();
        };
    assertThrows(ArithmeticException.class, index::close);
    assertRefuses(cursor);
    assertDoesNotThrow(index::close);
  }

  private static void assertRefuses(LongCursor cursor) {
    for (Executable call :
        List.<Executable>of(
            cursor::key,
            cursor::value,
            cursor::next,
            cursor::previous,
            () -> cursor.nextRun(new LongRun()),
            () -> cursor.setValue(1),
            cursor::remove,
            cursor::first,
            cursor::last,
            () -> cursor.ceiling(100),
            () -> cursor.floor(100),
            () -> cursor.scanTo(100))) {
      assertThrows(IllegalStateException.class, call);
    }
  }

  private static LongIndex filled(LongIndex index) {
    for (long key = 0; key < ENTRIES; key++) {
      index.set(key, -key);
    }
    return index;
  }
}
