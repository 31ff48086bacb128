// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.Faults.Operation;
import dev.espalier.memory.MemoryLimitException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Batches that replace or remove long values of which each lies in pieces of three pages and a page
 * of its own, on devices that have hardly room for the pages that this changes.
 */
class LongValueRoomTest {
  private static final int PAGE_BYTES = 4096;

  /** Three values of so many bytes fill a page. */
  private static final int THIRD = 1300;

  /** Three gaps that such values leave, and a page, have room for one of so many bytes. */
  private static final int LONG = 3600 + PAGE_BYTES - 24;

  private static final int VALUES = 150;

  /** Short values between two long ones, so that these are in leaves of their own. */
  private static final int BETWEEN = 14;

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(32 << 20))
          .withCheckpointTime(Duration.ofHours(1));

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Faults faults = new Faults();

  /** Opens the store; its log always has room. */
  private IndexStore open() {
    SystemFiles files = new SystemFiles(faults.over(PageFiles.CACHED), PageFiles.CACHED);
    StoreEnvironment environment = new StoreEnvironment(files, new Random(1), false, false);
    return new StoreOpening(folder.resolve("store"), OPTIONS, environment).open();
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
  }

  private static byte[] value(int number, int length) {
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++) {
      value[i] = (byte) (number + i * 31 + (i >>> 8));
    }
    return value;
  }

  /** Returns the key of a long value. */
  private static byte[] longKey(int i) {
    return key(i * BETWEEN);
  }

  /** Fills an index, in which as many gaps are left as long values have taken. */
  private static BytesIndex fill(IndexStore store) {
    BytesIndex index = store.bytesIndex("a");
    int first = VALUES * BETWEEN;
    for (int i = 0; i < first; i++) {
      index.set(key(i), value(i, 250));
    }
    int thirds = 3 * (2 * 3 * VALUES);
    for (int i = 0; i < thirds; i++) {
      index.set(key(first + i), value(i, THIRD));
    }
    for (int i = 1; i < thirds; i += 3) {
      index.delete(key(first + i));
    }
    for (int i = 0; i < VALUES; i++) {
      index.set(longKey(i), value(i, LONG));
    }
    store.checkpoint();
    store.checkpoint();
    return index;
  }

  /** Leaves so many slots free, of which the store may take all but those for its checkpoint. */
  private void leaveFree(IndexStore store, int slots) {
    Frames frames = store.state().pool.frames;
    frames.lock.lock();
    try {
      SlotSpace space = store.state().space;
      space.ensureAvailable(slots);
      while (space.available() > slots) {
        space.take();
      }
    } finally {
      frames.lock.unlock();
    }
    faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
  }

  /** Writes a batch, or is refused; either way there is room for a checkpoint. */
  private static boolean tryWrite(IndexStore store, WriteBatch batch) {
    boolean isWritten = true;
    try {
      store.write(batch);
    } catch (MemoryLimitException refused) {
      isWritten = false;
    }
    store.checkpoint();
    return isWritten;
  }

  private static int changed(IndexStore store, WriteBatch batch) {
    store.write(batch);
    return store.state().changedPages.get();
  }

  private static WriteBatch replacing(BytesIndex index) {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < VALUES; i++) {
      batch.set(index, longKey(i), value(i + 1, LONG));
    }
    return batch;
  }

  private static WriteBatch removing(BytesIndex index) {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < VALUES; i++) {
      batch.delete(index, longKey(i));
    }
    return batch;
  }

  /** What the other tests are about. */
  @Test
  void aLongValueChangesThreePagesWhereItWasFourWhereItIsAndALeaf() {
    try (IndexStore store = open()) {
      BytesIndex index = fill(store);
      int replaced = changed(store, replacing(index));
      assertTrue(replaced > 7.5 * VALUES && replaced <= 8 * VALUES, replaced + " pages changed");
      store.checkpoint();
      int removed = changed(store, removing(index));
      assertTrue(removed > 3.5 * VALUES && removed <= 4 * VALUES, removed + " pages changed");
    }
  }

  @Test
  void aBatchThatReplacesLongValuesIsNotBegunIfTheirPagesHaveNoRoom() {
    try (IndexStore store = open()) {
      BytesIndex index = fill(store);
      leaveFree(store, 6 * VALUES + 200);
      assertFalse(tryWrite(store, replacing(index)));
      for (int i = 0; i < VALUES; i++) {
        assertArrayEquals(value(i, LONG), index.get(longKey(i)));
      }
      faults.heal();
      assertTrue(tryWrite(store, replacing(index)));
      for (int i = 0; i < VALUES; i++) {
        assertArrayEquals(value(i + 1, LONG), index.get(longKey(i)));
      }
    }
  }

  @Test
  void aBatchThatRemovesLongValuesHasRoomForTheirPages() {
    try (IndexStore store = open()) {
      BytesIndex index = fill(store);
      leaveFree(store, 4 * VALUES + 100);
      assertTrue(tryWrite(store, removing(index)));
      assertNull(index.get(longKey(VALUES - 1)));
      index.verify();
    }
  }
}
