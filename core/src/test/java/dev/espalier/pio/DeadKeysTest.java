// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.DeadKeeper;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class DeadKeysTest {
  private final ReentrantLock appending = new ReentrantLock();
  private final DeadKeys dead = new DeadKeys(appending);

  @Test
  void whatNobodyPutIsKept() {
    long since = dead.now();
    dead.beforePut(9);
    dead.beforePut(21);
    dead.add(since, 10, 20);
    assertEquals(20, dead.ranges.lastFrom(10));
  }

  @Test
  void whatWasPutMeanwhileIsNotKept() {
    for (long key : new long[] {10, 15, 20}) {
      long since = dead.now();
      dead.beforePut(key);
      dead.beforePut(100);
      dead.add(since, 10, 20);
      assertEquals(0, dead.ranges.count());
    }
  }

  /** Its operation may have entered the queue after the reader came by. */
  @Test
  void whatWasBeingPutWhenTheReaderBeganIsNotKept() {
    dead.beforePut(15);
    long since = dead.now();
    dead.add(since, 10, 20);
    assertEquals(0, dead.ranges.count());
    dead.beforePut(100);
    dead.add(dead.now(), 10, 20);
    assertEquals(1, dead.ranges.count());
  }

  @Test
  void asManyPutsAsAreRememberedMayComeBetween() {
    dead.beforePut(5);
    long since = dead.now();
    for (int i = 1; i < DeadKeys.MOST_PUTS; i++) {
      dead.beforePut(100 + i);
    }
    dead.add(since, 10, 20);
    assertEquals(1, dead.ranges.count());
    dead.ranges.clear();
    dead.beforePut(200);
    dead.add(since, 10, 20);
    assertEquals(0, dead.ranges.count());
  }

  @Test
  void nothingIsKeptOfWhatWasReplaced() {
    long since = dead.now();
    dead.clear();
    dead.add(since, 10, 20);
    assertEquals(0, dead.ranges.count());
  }

  @Test
  void aPutTakesItsKeyOut() {
    dead.add(dead.now(), 10, 20);
    dead.beforePut(15);
    assertEquals(14, dead.ranges.lastFrom(10));
    assertEquals(15, dead.ranges.lastFrom(15));
    assertEquals(20, dead.ranges.lastFrom(16));
  }

  @Test
  void nothingIsKeptWhileAnotherThreadWrites() throws InterruptedException {
    long since = dead.now();
    appending.lock();
    try {
      Thread reader = new Thread(() -> dead.add(since, 10, 20));
      reader.start();
      reader.join();
    } finally {
      appending.unlock();
    }
    assertEquals(0, dead.ranges.count());
  }

  @Test
  void readersSkipWhatOneOfThemPassed() {
    try (PioBTree index = PioBTree.create(IndexOptions.DEFAULT)) {
      for (long key = 0; key < 10_000; key++) {
        index.put(key, key);
      }
      for (long key = 0; key < 9_000; key++) {
        index.delete(key);
      }
      assertTrue(index.cursor().first());
      assertEquals(8_999, index.tree.dead.ranges.lastFrom(0));
      LongCursor cursor = index.cursor();
      assertTrue(cursor.floor(9_500));
      for (long key = 9_500; key > 9_000; key--) {
        assertEquals(key, cursor.key());
        assertTrue(cursor.previous());
      }
      assertFalse(cursor.previous());
      index.put(4_000, 1);
      assertTrue(cursor.first());
      assertEquals(4_000, cursor.key());
      assertTrue(cursor.next());
      assertEquals(9_000, cursor.key());
      assertTrue(cursor.lower(9_000));
      assertEquals(4_000, cursor.key());
      index.verify();
    }
  }

  /** What is put behind the key while the cursor goes back to the entry before it is not that. */
  @Test
  void theEntryBeforeAKeyInADeadRangeIsBeforeTheKey() {
    try (PioBTree index = PioBTree.create(IndexOptions.DEFAULT)) {
      for (long key = 0; key < 1_000; key++) {
        index.put(key, key);
      }
      for (long key = 100; key < 900; key++) {
        index.delete(key);
      }
      assertTrue(index.cursor().ceiling(100));
      assertEquals(899, index.tree.dead.ranges.lastFrom(100));
      int[] walks = new int[1];
      DeadKeeper putting =
          new DeadKeeper() {
            @Override
            public long now() {
              if (++walks[0] == 2) {
                index.put(600, 1);
              }
              return index.tree.dead.now();
            }

            @Override
            public void add(long since, long first, long last) {
              index.tree.dead.add(since, first, last);
            }
          };
      PioCursor cursor =
          new PioCursor(index.tree, new ChangeCount(), index.tree.dead.ranges, putting);
      assertTrue(cursor.floor(500));
      assertEquals(99, cursor.key());
      assertEquals(2, walks[0]);
      index.verify();
    }
  }
}
