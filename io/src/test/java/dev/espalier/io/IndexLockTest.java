// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.ValueReader;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The locks of indexes, and what is called while they are held. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IndexLockTest {
  private static final byte[] KEY = {1};

  /** A value that is shown where it lies. */
  private static final byte[] LONG_VALUE = new byte[10_000];

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private IndexStore store;
  private LongIndex longs;
  private BytesIndex strings;

  @BeforeEach
  void open() {
    store = IndexStore.open(folder.resolve("store"));
    longs = store.index("longs", DiskFirstFpbPlusTree.VARIANT);
    strings = store.bytesIndex("strings");
    strings.set(KEY, KEY);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Starts a thread, and waits until it waits. */
  private static Thread startAndBlock(Runnable action) {
    Thread thread = Thread.ofPlatform().start(action);
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    return thread;
  }

  /** Has another thread do something, and waits until it has. */
  private static void letAnother(Runnable action) {
    try {
      Thread.ofPlatform().start(action).join();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  @Test
  void aReaderOfAValueWritesToAnotherIndexWhileAClearWaitsForTheReader() throws Exception {
    strings.set(KEY, LONG_VALUE);
    Thread[] clear = new Thread[1];
    ValueReader reader =
        (_, _, _, position, _) -> {
          if (position == 0) {
            clear[0] = startAndBlock(strings::clear);
            longs.put(1, 10);
          }
        };
    assertTrue(strings.get(MemorySegment.ofArray(KEY), reader));
    clear[0].join();
    assertEquals(10, longs.get(1));
    assertTrue(strings.isEmpty());
  }

  @Test
  void theStoreGoesOnWhileAClearWaitsForAReader() throws Exception {
    strings.set(KEY, LONG_VALUE);
    Thread[] clear = new Thread[1];
    WriteBatch batch = new WriteBatch().set(longs, 1, 11).set(strings, KEY, new byte[] {3});
    ValueReader reader =
        (_, _, _, position, _) -> {
          if (position == 0) {
            clear[0] = startAndBlock(strings::clear);
            letAnother(() -> store.write(batch));
            letAnother(store::checkpoint);
            letAnother(store::verify);
            assertArrayEquals(new byte[] {3}, strings.get(KEY));
            assertEquals(11, longs.put(1, 10));
          }
        };
    assertTrue(strings.get(MemorySegment.ofArray(KEY), reader));
    clear[0].join();
    assertEquals(10, longs.get(1));
    assertTrue(strings.isEmpty());
  }

  @Test
  void writersOfByteStringsDoNotWaitForAReader() {
    for (byte[] value : List.of(KEY, LONG_VALUE)) {
      strings.set(KEY, value);
      ValueReader reader = (_, _, _, _, _) -> letAnother(() -> strings.set(KEY, new byte[] {2}));
      assertTrue(strings.get(MemorySegment.ofArray(KEY), reader));
      assertArrayEquals(new byte[] {2}, strings.get(KEY));
    }
  }

  @Test
  void writersOfOneKeyOfByteStringsTakeTurnsAndOthersGoOn() throws Exception {
    IndexLocks locks = ((StoreBytesIndex) strings).locks();
    long key = IndexLocks.keyOf(MemorySegment.ofArray(KEY));
    byte[] other = {2};
    while (IndexLocks.bit(IndexLocks.keyOf(MemorySegment.ofArray(other))) == IndexLocks.bit(key)) {
      other[0]++;
    }
    IndexLock lock = locks.lock(key);
    Thread writer;
    lock.take();
    try {
      writer = startAndBlock(() -> strings.set(KEY, new byte[] {3}));
      strings.set(other, new byte[] {4});
      assertArrayEquals(KEY, strings.get(KEY));
    } finally {
      lock.release();
    }
    writer.join();
    assertArrayEquals(new byte[] {3}, strings.get(KEY));
    assertArrayEquals(new byte[] {4}, strings.get(other));
  }

  @Test
  void aSourceReadsAnotherIndexWhileAWriterOfThatWaitsForTheBulkload() throws Exception {
    Thread[] writer = new Thread[1];
    LongEntrySource source =
        new LongEntrySource() {
          private long key;

          @Override
          public boolean next() {
            if (key == 0) {
              writer[0] = startAndBlock(() -> strings.set(KEY, new byte[] {2}));
            }
            assertArrayEquals(KEY, strings.get(KEY));
            return ++key <= 100;
          }

          @Override
          public long key() {
            return key;
          }

          @Override
          public long value() {
            return key;
          }
        };
    longs.bulkload(source, 1, 100, ProgressListener.NONE);
    writer[0].join();
    assertEquals(100, longs.size());
    assertArrayEquals(new byte[] {2}, strings.get(KEY));
  }

  /** Returns a source of a hundred entries that calls something in the middle. */
  private static LongEntrySource calling(Runnable call) {
    return new LongEntrySource() {
      private long key;

      @Override
      public boolean next() {
        if (key == 50) {
          call.run();
        }
        return ++key <= 100;
      }

      @Override
      public long key() {
        return key;
      }

      @Override
      public long value() {
        return key;
      }
    };
  }

  /** A checkpoint would have half of what the source is for, and for a verifier that is damage. */
  @Test
  void aSourceMustNotDoWhatNeedsTheWholeStoreAndMayWriteToAnotherIndex() {
    LongIndex other = store.index("other");
    List<Runnable> calls =
        List.of(
            store::checkpoint,
            store::snapshot,
            () -> store.backup(folder.resolve("copy")),
            store::shrink,
            () -> store.drop("other"),
            () -> other.bulkload(new long[] {1}, new long[] {1}),
            store::verify,
            store::close);
    for (Runnable call : calls) {
      long checkpoint = store.statistics().checkpoint();
      IllegalStateException refused =
          assertThrows(
              IllegalStateException.class,
              () -> longs.bulkload(calling(call), 1, 100, ProgressListener.NONE));
      assertTrue(refused.getMessage().contains("half"), refused::getMessage);
      assertEquals(checkpoint, store.statistics().checkpoint());
      assertTrue(longs.isEmpty());
      assertTrue(other.isEmpty());
    }
    longs.bulkload(calling(() -> other.put(1, 10)), 1, 100, ProgressListener.NONE);
    store.checkpoint();
    assertEquals(100, longs.size());
    assertEquals(10, other.get(1));
  }

  @Test
  void whoReadsAnIndexMustNotWriteToIt() {
    long[] many = LongStream.range(0, 100_000).toArray(); // A listener hears of every 65,536.
    longs.bulkload(many, many);
    ProgressListener listener =
        (_, _) -> {
          longs.put(2, 20);
          return true;
        };
    PackedBytes packed = PackedBytes.of(List.of(KEY));
    WriteBatch batch = new WriteBatch().set(strings, KEY, KEY);
    List<Runnable> writes =
        List.of(
            () -> strings.set(KEY, KEY),
            () -> strings.put(KEY, KEY),
            () -> strings.remove(KEY),
            () -> strings.putAll(packed, packed),
            () -> strings.removeRange(KEY, true, KEY, true),
            strings::clear,
            () -> store.write(batch));
    for (byte[] value : List.of(KEY, LONG_VALUE)) {
      strings.set(KEY, value);
      for (Runnable write : writes) {
        ValueReader reader = (_, _, _, _, _) -> write.run();
        assertThrows(
            IllegalStateException.class, () -> strings.get(MemorySegment.ofArray(KEY), reader));
        assertArrayEquals(value, strings.get(KEY));
      }
    }
    assertThrows(IllegalStateException.class, () -> longs.verify(listener));
    assertEquals(2, longs.put(2, 30));
    strings.set(KEY, new byte[] {2});
    assertArrayEquals(new byte[] {2}, strings.get(KEY));
  }
}
