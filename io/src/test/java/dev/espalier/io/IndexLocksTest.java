// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which locks keys have, and what one lock does. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IndexLocksTest {
  private final IndexLocks locks = IndexLocks.ofKeys(true);
  private final ReentrantReadWriteLock shared = new ReentrantReadWriteLock();

  private static boolean byAnother(BooleanSupplier asked) throws InterruptedException {
    AtomicBoolean answer = new AtomicBoolean();
    Thread.ofPlatform().start(() -> answer.set(asked.getAsBoolean())).join();
    return answer.get();
  }

  // ---------------------------------------------------------------- of keys

  @Test
  void aKeyHasAlwaysTheSameLock() {
    assertTrue(locks.areOfKeys());
    for (long key = -100; key < 100; key++) {
      IndexLock lock = locks.lock(key);
      assertSame(lock, locks.lock(key));
      assertSame(lock.alone, locks.of(key));
      assertArrayEquals(new IndexLock[] {lock}, locks.of(key));
      assertArrayEquals(new IndexLock[] {lock}, locks.some(IndexLocks.bit(key)));
      assertArrayEquals(new IndexLock[] {lock}, locks.of(new long[] {1, key, 2}, 1, 1));
      assertTrue(lock.isOfKeys());
    }
  }

  @Test
  void allLocksAreInTheOrderOfTheirBits() {
    IndexLock[] all = locks.all();
    assertEquals(IndexLocks.OF_KEYS, all.length);
    assertEquals(IndexLocks.OF_KEYS, new HashSet<>(Arrays.asList(all)).size());
    assertSame(all, locks.all());
    for (int i = 0; i < all.length; i++) {
      assertArrayEquals(new IndexLock[] {all[i]}, locks.some(1L << i));
    }
    assertArrayEquals(
        new IndexLock[] {all[0], all[5], all[63]}, locks.some(1 | 1L << 5 | 1L << 63));
    assertArrayEquals(all, locks.some(-1));
    assertEquals(0, locks.some(0).length);
  }

  @Test
  void neighboursHaveDifferentLocks() {
    for (long distance : new long[] {1, 2, 8, 1000, 1L << 20, 1L << 32}) {
      long bits =
          LongStream.range(0, 64).map(i -> IndexLocks.bit(i * distance)).reduce(0, (a, b) -> a | b);
      assertTrue(
          Long.bitCount(bits) > 16,
          "keys %d apart have %d locks".formatted(distance, Long.bitCount(bits)));
    }
  }

  @Test
  void ofSomeKeysThoseOfTheRangeAreTaken() {
    long[] keys = LongStream.range(0, 100).toArray();
    IndexLock[] some = locks.of(keys, 10, 5);
    Set<IndexLock> expected = new HashSet<>();
    for (int i = 10; i < 15; i++) {
      expected.add(locks.lock(keys[i]));
    }
    assertEquals(expected, new HashSet<>(Arrays.asList(some)));
    assertEquals(expected.size(), some.length);
    assertEquals(0, locks.of(keys, 10, 0).length);
  }

  @Test
  void locksThatKeepNobodyApartAreNewEachTime() {
    IndexLocks none = IndexLocks.ofKeys(false);
    assertNotSame(none.of(1)[0], none.of(1)[0]);
    assertTrue(none.areOfKeys());
  }

  // ---------------------------------------------------------------- of readers

  @Test
  void anIndexWhoseReadersShareALockHasOne() {
    IndexLocks one = IndexLocks.of(shared);
    assertFalse(one.areOfKeys());
    IndexLock[] all = one.all();
    assertEquals(1, all.length);
    assertFalse(all[0].isOfKeys());
    assertSame(all, one.of(7));
    assertSame(all, one.some(0));
    assertSame(all, one.of(new long[] {1, 2}, 0, 2));
    all[0].take();
    assertTrue(shared.isWriteLockedByCurrentThread());
    all[0].release();
    assertFalse(shared.isWriteLocked());
    assertEquals(0, IndexLocks.NONE.all().length);
    assertFalse(IndexLocks.NONE.areOfKeys());
  }

  // ---------------------------------------------------------------- of byte strings

  private static long keyOf(byte... bytes) {
    return IndexLocks.keyOf(MemorySegment.ofArray(bytes));
  }

  @Test
  void eachByteOfAKeyCounts() {
    for (int size = 0; size < 40; size++) {
      byte[] key = new byte[size];
      Arrays.fill(key, (byte) 3);
      long number = keyOf(key);
      assertEquals(number, keyOf(key.clone()));
      assertNotEquals(number, keyOf(Arrays.copyOf(key, size + 1)));
      for (int at = 0; at < size; at++) {
        key[at]++;
        assertNotEquals(number, keyOf(key), "byte " + at + " of " + size);
        key[at]--;
      }
    }
  }

  @Test
  void keysThatDifferInOneByteHaveDifferentLocks() {
    for (int size : new int[] {1, 8, 9, 20}) {
      long bits = 0;
      for (int i = 0; i < 64; i++) {
        byte[] key = new byte[size];
        key[size - 1] = (byte) i;
        bits |= IndexLocks.bit(keyOf(key));
      }
      assertTrue(Long.bitCount(bits) > 24, size + " bytes have " + Long.bitCount(bits) + " locks");
    }
  }

  @Test
  void whatIsLongerThanAnyKeyCountsAsFar() {
    byte[] key = new byte[BytesIndex.MAX_KEY];
    assertEquals(keyOf(key), keyOf(Arrays.copyOf(key, key.length + 5)));
    assertNotEquals(keyOf(key), keyOf(Arrays.copyOf(key, key.length - 1)));
  }

  // ---------------------------------------------------------------- one lock

  @Test
  void aLockKeepsOthersApart() throws InterruptedException {
    for (IndexLock lock : new IndexLock[] {new IndexLock(), new IndexLock(shared)}) {
      assertTrue(lock.tryTake());
      assertFalse(byAnother(lock::tryTake));
      lock.release();
      lock.take();
      assertFalse(byAnother(lock::tryTake));
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    lock.take();
                    lock.release();
                  });
      while (other.getState() != Thread.State.WAITING) {
        assertTrue(other.isAlive(), "has to wait");
        Thread.onSpinWait();
      }
      lock.release();
      other.join();
      assertTrue(
          byAnother(
              () -> {
                boolean isTaken = lock.tryTake();
                lock.release();
                return isTaken;
              }));
    }
  }

  @Test
  void whoReadsMustNotWrite() throws InterruptedException {
    IndexLock lock = new IndexLock(shared);
    shared.readLock().lock();
    assertThrows(IllegalStateException.class, lock::tryTake);
    assertFalse(byAnother(lock::tryTake)); // It does not read, and others do.
    shared.readLock().unlock();
    assertTrue(lock.tryTake());
    lock.release();
  }

  @Test
  void aLockKnowsHowItsHolderHasEntered() {
    IndexLock lock = new IndexLock();
    lock.entered = WriterGate.ALONE;
    assertTrue(lock.isOfOneAlone());
    lock.entered = WriterGate.promise(1, 1);
    assertFalse(lock.isOfOneAlone());
    lock.told = 7;
    lock.expectWrite();
    assertTrue(lock.tells);
    assertEquals(0, lock.told);
  }

  @Test
  void aFailureIsTakenOnce() {
    IndexLock lock = new IndexLock();
    assertNull(lock.takeFailed());
    RuntimeException failed = new IllegalStateException("says a test");
    lock.failed = failed;
    assertSame(failed, lock.takeFailed());
    assertNull(lock.takeFailed());
  }

  @Test
  void aLockHasOneRecordForItsHolders() {
    IndexLock lock = new IndexLock();
    LogRecord record = lock.record();
    assertSame(record, lock.record());
    assertNotSame(record, new IndexLock().record());
  }
}
