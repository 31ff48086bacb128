// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that are larger than the buffer of the log. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargeRecordsTest {
  /** Writes of one record, ... */
  private static final int WRITES = 60_000;

  /** ... and room for it, and for what the test appends before. */
  private static final int BYTES = LogRecord.logBytes(WRITES * LogRecord.MOST_OPERATION_BYTES);

  private static final int ROOM_BYTES = BYTES + 4 * LogBuffer.BLOCK_BYTES;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private final HeldWrites held = new HeldWrites();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  private IndexStore open(StoreOptions options) throws IOException {
    StoreFiles files = new SystemFiles(PageFiles.DIRECT, held.over(PageFiles.DIRECT));
    StoreEnvironment environment = new StoreEnvironment(files, new Random(1), false, false);
    Path path = Files.createDirectories(folder.resolve("live")).resolve("store");
    return new StoreOpening(path, options, environment).open();
  }

  private static StoreIndex index(IndexStore store) {
    return (StoreIndex) store.index("a", DiskOptimizedBPlusTree.VARIANT);
  }

  private static LogRecord record(StoreIndex index) {
    LogRecord record = new LogRecord();
    record.begin(LogRecord.BATCH);
    for (long key = 0; key < WRITES; key++) {
      record.set(index.id(), key, key);
    }
    return record;
  }

  private Thread start(Runnable action) {
    return Thread.ofPlatform().uncaughtExceptionHandler((_, e) -> failures.add(e)).start(action);
  }

  private static void awaitWaiting(Thread thread) {
    while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  private static void awaitQueued(Log log, Thread thread) {
    while (thread.isAlive() && !log.lock.hasQueuedThread(thread)) {
      Thread.onSpinWait();
    }
  }

  /**
   * Appends a record for whose second half there is room when a force has ended, and does something
   * else before it goes on.
   *
   * @param records those that are appended during the force
   */
  private void appendAround(StoreOptions options, int records, Consumer<IndexStore> between)
      throws IOException, InterruptedException {
    try (IndexStore store = open(options)) {
      StoreIndex index = index(store);
      store.commit();
      StoreState state = store.state();
      Log log = state.log;
      long checkpoint = state.header.checkpoint();
      state.gate.enterAlone();
      try {
        log.ensureRoom(ROOM_BYTES, checkpoint);
        log.appendSet(index.id(), -1, 1, checkpoint);
        HeldWrites.Hold hold = held.next();
        Thread forcing = start(store::commit);
        hold.awaitBegin();
        for (int i = 0; i < records; i++) {
          log.appendSet(index.id(), -2 - i, 1, checkpoint);
        }
        Thread appending = start(() -> log.append(record(index), checkpoint));
        awaitWaiting(appending);
        Thread other;
        log.lock.lock(); // They get it in the order in which they ask for it.
        try {
          hold.release();
          awaitQueued(log, forcing);
          other = start(() -> between.accept(store));
          awaitQueued(log, other);
        } finally {
          log.lock.unlock();
        }
        for (Thread each : List.of(forcing, appending, other)) {
          each.join();
        }
      } finally {
        state.gate.leaveAlone();
      }
      assertEquals(List.of(), List.copyOf(failures));
      store.commit();
      assertRecovered(options, WRITES + 1 + records);
    }
  }

  /** Opens what a kill would leave now. */
  private void assertRecovered(StoreOptions options, int size) throws IOException {
    Path copy = folder.resolve("copy");
    Stores.copy(folder.resolve("live"), copy);
    try (IndexStore recovered = IndexStore.open(copy.resolve("store"), options)) {
      LongIndex index = index(recovered);
      assertEquals(size, index.size());
      assertEquals(WRITES - 1, index.get(WRITES - 1));
    }
  }

  @Test
  void noMarkIsPutIntoTheMiddleOfARecord() throws IOException, InterruptedException {
    appendAround(
        IndexStoreTest.SMALL,
        0,
        store -> store.state().log.mark(store.state().header.checkpoint()));
  }

  /** Where sectors may tear, a force ends a block, which would be in the middle of the record. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aForceWaitsUntilARecordIsWhole(boolean sectorsMayTear)
      throws IOException, InterruptedException {
    appendAround(options(sectorsMayTear), 1, IndexStore::commit);
  }

  private static StoreOptions options(boolean sectorsMayTear) {
    FileOptions files = IndexStoreTest.SMALL.files();
    return IndexStoreTest.SMALL.withFiles(
        sectorsMayTear ? files.withFlags(FileOption.SECTORS_MAY_TEAR) : files);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatTakesAWriteBackMayBeLargerThanTheBuffer(boolean sectorsMayTear) throws IOException {
    StoreOptions options = options(sectorsMayTear);
    try (IndexStore store = open(options)) {
      StoreIndex index = index(store);
      index.set(-1, 1);
      StoreState state = store.state();
      state.gate.enterAlone();
      try {
        StoreWriter writer = new StoreWriter(state, new Checkpoints(state, new int[0]));
        assertTrue(writer.failedWrites().tryAppend(record(index)));
      } finally {
        state.gate.leaveAlone();
      }
      store.commit();
      assertRecovered(options, WRITES + 1);
    }
  }
}
