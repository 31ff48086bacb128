// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.family.Family;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writes to a tree for many threads that fail after the log was told of them: a crash does not
 * bring them back.
 */
class TakenBackWritesTest {
  private static final TreeVariant PLAIN = Family.named("BLinkTree");

  private final SimulatedDisk disk = DiskTrials.disk(1);

  private IndexStore open() {
    return open(disk, StoreOptions.DEFAULT);
  }

  private static IndexStore open(StoreFiles files, StoreOptions options) {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false, Set.of());
    return new StoreOpening(SimulatedDisk.path("store"), options, environment).open();
  }

  /** Returns a tree that has no room for a third entry by any of the calls that are tried here. */
  private static TreeVariant full() {
    return TreeVariant.inPages(
        PLAIN.name(),
        PLAIN.paper(),
        PLAIN.factory(),
        (options, pages) -> full(PLAIN.open(options, pages), pages));
  }

  private static LongIndex full(LongIndex tree, PageStore pages) {
    return (LongIndex)
        Proxy.newProxyInstance(
            TakenBackWritesTest.class.getClassLoader(),
            new Class<?>[] {ConcurrentLongIndex.class},
            (_, method, arguments) -> {
              if (method.getName().equals("set") && tree.size() == 2) {
                pages.beforeSet((long) arguments[0], (long) arguments[1]);
                throw new MemoryLimitException("full");
              }
              if (method.getName().equals("putAll")) {
                tree.putAll((long[]) arguments[0], 0, (long[]) arguments[2], 0, 1);
                throw new MemoryLimitException("full");
              }
              try {
                return method.invoke(tree, arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
  }

  private IndexStore losePower(IndexStore store) {
    store.commit();
    disk.losePower();
    try {
      store.close();
    } catch (PageFileException | PowerLostException lost) {
      // It can't say farewell.
    }
    disk.restart(CrashPlan.NOTHING);
    return open();
  }

  @Test
  void aWriteThatFailsIsNotThereAfterACrash() {
    IndexStore store = open();
    LongIndex index = store.index("a", full());
    index.set(1, 10);
    index.set(2, 20);
    assertThrows(MemoryLimitException.class, () -> index.set(1, 11));
    assertThrows(MemoryLimitException.class, () -> index.set(3, 30));
    index.put(4, 40);
    try (IndexStore again = losePower(store)) {
      LongIndex left = again.index("a", PLAIN);
      assertEquals(10, left.get(1));
      assertEquals(20, left.get(2));
      assertEquals(40, left.get(4));
      assertEquals(3, left.size());
    }
  }

  @Test
  void ofABatchThatFailsOnlyThatIsThereWhichWasStored() {
    IndexStore store = open();
    LongIndex index = store.index("a", full());
    index.set(2, 2);
    long[] keys = {1, 2, 3};
    assertThrows(MemoryLimitException.class, () -> index.putAll(keys, new long[] {10, 20, 30}));
    assertEquals(2, index.size());
    try (IndexStore again = losePower(store)) {
      LongIndex left = again.index("a", PLAIN);
      assertEquals(10, left.get(1));
      assertEquals(2, left.get(2));
      assertEquals(2, left.size());
    }
  }

  /** Lets a write of a key fail after the log was told of it, beside other writers. */
  private static void fail(IndexStore store, StoreBytesIndex index, byte[] key, byte[] value) {
    fail(store, index, key, value, () -> {});
  }

  private static void fail(
      IndexStore store, StoreBytesIndex index, byte[] key, byte[] value, Runnable before) {
    MemorySegment told = MemorySegment.ofArray(key);
    MemorySegment toldValue = MemorySegment.ofArray(value);
    StoreWriter writer = store.writer();
    IndexLock[] held = index.locks().of(IndexLocks.keyOf(told));
    writer.begin(index.pages(), held, 1, 0, StoreBytesIndex.setBytes(told, toldValue));
    try {
      assertFalse(held[0].isOfOneAlone());
      writer.appendSet(held[0], index.id(), told, toldValue);
      before.run();
      BulkBytesWrites bulk = new BulkBytesWrites(writer, index);
      bulk.takeBack(held, List.of(told), new MemoryLimitException("full"));
    } finally {
      writer.end(held);
    }
  }

  /** The log has room for less than that beside what other writers were promised. */
  @Test
  void aValueOfAnyLengthIsThereAgainAfterAWriteThatFails() {
    IndexStore store = open();
    StoreBytesIndex index = (StoreBytesIndex) store.bytesIndex("strings");
    byte[] key = {1};
    byte[] large = new byte[2 << 20];
    Arrays.fill(large, (byte) 7);
    byte[] other = {2};
    index.set(key, large);
    fail(store, index, key, new byte[100]);
    assertArrayEquals(large, index.get(key));
    fail(store, index, other, new byte[100]);
    index.set(new byte[] {3}, other);
    try (IndexStore again = losePower(store)) {
      BytesIndex left = again.bytesIndex("strings");
      assertArrayEquals(large, left.get(key));
      assertNull(left.get(other));
      assertEquals(2, left.size());
      again.verify();
    }
  }

  /** Where the device has no room for more of the log, a checkpoint still finds what it needs. */
  @Test
  void aWriteThatFailsIsTakenBackThoughTheLogCanNotGrow() {
    boolean[] isFull = {false};
    StoreFiles files =
        new StoreFilesAround(disk) {
          @Override
          public PageFile openLog(Path path, Access access, int blockBytes) {
            if (isFull[0] && access == Access.CREATE) {
              throw new PageFileException(path, "growing failed", Errno.ENOSPC);
            }
            return super.openLog(path, access, blockBytes);
          }
        };
    IndexStore store =
        open(files, StoreOptions.DEFAULT.withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES));
    StoreBytesIndex index = (StoreBytesIndex) store.bytesIndex("strings");
    byte[] key = {1};
    byte[] large = new byte[900_000];
    Arrays.fill(large, (byte) 7);
    index.set(key, large);
    fail(store, index, key, new byte[100], () -> isFull[0] = true);
    assertFalse(store.state().condition.isHalfway());
    assertArrayEquals(large, index.get(key));
    index.set(new byte[] {2}, key);
    isFull[0] = false;
    try (IndexStore again = losePower(store)) {
      BytesIndex left = again.bytesIndex("strings");
      assertArrayEquals(large, left.get(key));
      assertArrayEquals(key, left.get(new byte[] {2}));
      again.verify();
    }
  }

  /** Others that are within were promised all the room, and leave when one wants to be alone. */
  @Test
  @Timeout(60)
  void aWriteThatFailsIsTakenBackHoweverMuchOthersWerePromised() throws InterruptedException {
    IndexStore store = open();
    LongIndex index = store.index("a", full());
    index.set(1, 10);
    index.set(2, 20);
    WriterGate gate = store.state().gate;
    int own = LogRecord.logBytes(LogRecord.MOST_OPERATION_BYTES);
    long all = WriterGate.promise(1, LogBuffer.BYTES - LogBuffer.BLOCK_BYTES - own);
    CountDownLatch isWithin = new CountDownLatch(1);
    Thread other =
        Thread.ofPlatform()
            .daemon() // It goes on for ever if none wants to be alone.
            .start(
                () -> {
                  long entered = gate.enter(all);
                  isWithin.countDown();
                  long more = gate.tryEnter(WriterGate.promise(0, 0));
                  while (more != WriterGate.OUT) {
                    gate.leave(more);
                    Thread.onSpinWait();
                    more = gate.tryEnter(WriterGate.promise(0, 0));
                  }
                  gate.leave(entered);
                });
    isWithin.await();
    assertThrows(MemoryLimitException.class, () -> index.set(3, 30));
    assertFalse(store.state().condition.isHalfway());
    other.join();
    index.put(1, 11);
    try (IndexStore again = losePower(store)) {
      LongIndex left = again.index("a", PLAIN);
      assertEquals(11, left.get(1));
      assertEquals(20, left.get(2));
      assertEquals(2, left.size());
    }
  }
}
