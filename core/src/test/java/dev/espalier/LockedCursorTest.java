// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Cursors of an index behind a lock, to which others may write between any two calls. */
class LockedCursorTest {
  private static final int ENTRIES = 200;

  @RegisterExtension final Indexes indexes = new Indexes();

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void keyAndValueStayAsTheyWereWhenTheEntryChangesOrGoes(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, ENTRIES);
    LongCursor cursor = index.withReadWriteLock(new ReentrantReadWriteLock()).cursor();
    assertTrue(cursor.ceiling(50));
    index.put(50, 7);
    assertIsOn50(cursor);
    index.delete(50);
    assertIsOn50(cursor);
    assertThrows(IllegalStateException.class, () -> cursor.setValue(8));
    assertThrows(IllegalStateException.class, cursor::remove);
    assertEquals(ENTRIES - 1, index.size());
    index.put(50, 9);
    assertIsOn50(cursor);
    cursor.setValue(10);
    assertEquals(10, cursor.value());
    assertEquals(10, index.get(50));
    index.delete(50);
    assertTrue(cursor.next());
    assertEquals(51, cursor.key());
    assertTrue(cursor.previous());
    assertEquals(49, cursor.key());
    index.clear();
    assertEquals(49, cursor.key());
    assertFalse(cursor.next());
    assertThrows(IllegalStateException.class, cursor::key);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void cursorsOfViewsKeepKeyAndValueToo(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, ENTRIES);
    LongIndex locked = index.withReadWriteLock(new ReentrantReadWriteLock());
    LongCursor within = locked.subView(10, true, 100, true).cursor();
    LongCursor backwards = locked.descendingView().cursor();
    assertTrue(within.ceiling(50));
    assertTrue(backwards.ceiling(50));
    index.delete(50);
    assertIsOn50(within);
    assertIsOn50(backwards);
    assertTrue(within.next());
    assertEquals(51, within.key());
    assertTrue(backwards.next());
    assertEquals(49, backwards.key());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void scansSeeEveryWriteBetweenTwoSteps(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, ENTRIES).withReadWriteLock();
    for (int steps = 1; steps < 100; steps += 7) {
      LongCursor cursor = index.cursor();
      step(cursor, steps);
      index.delete(steps);
      assertTrue(cursor.next());
      assertEquals(steps + 1, cursor.key());
      index.put(steps, 70);
      assertTrue(cursor.previous());
      assertEquals(70, cursor.value());
      index.put(steps + 1, 71);
      assertTrue(cursor.next());
      assertEquals(71, cursor.value());
      index.put(steps, -steps);
      index.put(steps + 1, -steps - 1);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void aScanWritesToTheEntryThatItIsOn(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, ENTRIES).withReadWriteLock();
    LongRun run = new LongRun();
    for (int steps = 1; steps < 100; steps += 7) {
      LongCursor cursor = index.cursor();
      step(cursor, steps);
      cursor.setValue(5);
      assertEquals(5, index.get(steps - 1));
      step(cursor, 1);
      assertEquals(steps, cursor.key());
      assertTrue(cursor.previous());
      assertEquals(5, cursor.value());

      LongCursor remover = index.cursor();
      step(remover, steps);
      remover.remove();
      assertFalse(index.containsKey(steps - 1));
      assertTrue(remover.nextRun(run));
      assertEquals(steps, run.key(0));

      LongCursor late = index.cursor();
      step(late, steps);
      long on = late.key();
      index.delete(on);
      assertThrows(IllegalStateException.class, () -> late.setValue(1));
      assertThrows(IllegalStateException.class, late::remove);
      index.put(on - 1, 6);
      assertTrue(late.nextRun(run));
      assertEquals(on + 1, run.key(0));
      index.put(on, -on);
      index.put(steps - 1, 1 - steps);
    }
  }

  private static void step(LongCursor cursor, int steps) {
    for (int i = 0; i < steps; i++) {
      assertTrue(cursor.next());
    }
  }

  private static void assertIsOn50(LongCursor cursor) {
    assertEquals(50, cursor.key());
    assertEquals(-50, cursor.value());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void nothingIsReadAfterTheLockIsGivenBack(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, ENTRIES);
    ImpatientWriter lock = new ImpatientWriter(index);
    LongCursor cursor = new LockedIndex(index, lock).cursor();
    LongRun run = new LongRun();
    lock.writes = true;
    long expected = 0;
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++) {
        assertEquals(expected, run.key(i));
        assertEquals(-expected, run.value(i));
        expected++;
      }
      assertEquals(expected - 1, cursor.key());
      assertEquals(1 - expected, cursor.value());
      lock.undo();
      if (expected < ENTRIES) {
        assertTrue(cursor.next());
        assertEquals(expected, cursor.key());
        assertEquals(-expected, cursor.value());
        expected++;
        lock.undo();
      }
    }
    assertEquals(ENTRIES, expected);
  }

  /** As soon as a reader has given the lock back, somebody overwrites every value. */
  @SuppressWarnings("serial")
  private static final class ImpatientWriter extends ReentrantReadWriteLock {
    boolean writes;
    private final LongIndex index;
    private final ReadLock reading =
        new ReadLock(this) {
          @Override
          public void unlock() {
            super.unlock();
            if (writes) {
              writeAll(7);
            }
          }
        };

    ImpatientWriter(LongIndex index) {
      this.index = index;
    }

    @Override
    public ReadLock readLock() {
      return reading;
    }

    /** Gives every key the value that it had at first. */
    void undo() {
      writeAll(-1);
    }

    private void writeAll(long factor) {
      for (long key = 0; key < ENTRIES; key++) {
        index.put(key, factor * key);
      }
    }
  }
}
