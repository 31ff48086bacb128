// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** More writers than may be within the gate at once: they wait, and none goes alone for that. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrowdedWritersTest {
  private static final int THREADS = 1_000;

  private static final StoreOptions LARGE =
      IndexStoreTest.SMALL
          .withSegmentBytes(8 * LogBuffer.BYTES)
          .withFiles(FileOptions.DEFAULT.withPageBytes(4096).withPoolBytes(64 << 20));

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private IndexStore open(StoreOptions options) {
    StoreEnvironment environment = Stores.environment(PageFiles.CACHED);
    return new StoreOpening(folder.resolve("store"), options, environment).open();
  }

  private static int mostWriters(IndexStore store) {
    BufferPool pool = store.state().pool;
    return pool.frames.sure / (2 * pool.mostPins());
  }

  /** Enters as several writers do. */
  private static List<Long> enter(WriterGate gate, int count, long promise) {
    List<Long> within = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      within.add(gate.enter(promise));
    }
    return within;
  }

  private static Thread startAndBlock(Runnable action) {
    return awaitBlocked(Thread.ofVirtual().start(action));
  }

  private static Thread awaitBlocked(Thread thread) {
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "has to wait");
      Waiting.nap(100_000);
    }
    return thread;
  }

  private static void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static byte[] key(int thread) {
    return new byte[] {(byte) thread, (byte) (thread >> 8)};
  }

  // ---------------------------------------------------------------- pins

  /** One of those within stays until all have written, which they have to do one by one. */
  private static void writeBesideOne(IndexStore store, IntConsumer write) throws Exception {
    WriterGate gate = store.state().gate;
    int most = mostWriters(store);
    assertTrue(most >= 2, "there is room for " + most);
    List<Long> within = enter(gate, most, WriterGate.promise(0, 0));
    long turns = gate.turns();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int thread = i;
      writers.add(Thread.ofVirtual().start(() -> write.accept(thread)));
    }
    writers.forEach(CrowdedWritersTest::awaitBlocked);
    within.subList(1, most).forEach(gate::leave);
    join(writers);
    assertEquals(0, gate.turns() - turns);
    assertEquals(1, WriterGate.writers(gate.sum()));
    gate.leave(within.getFirst());
  }

  @Test
  void ofAThousandWritersNoneGoesAlone() throws Exception {
    try (IndexStore store = open(IndexStoreTest.SMALL)) {
      LongIndex longs = store.index("a");
      writeBesideOne(store, thread -> longs.put(thread, 3 * thread));
      assertEquals(THREADS, longs.size());
      BytesIndex strings = store.bytesIndex("b");
      writeBesideOne(store, thread -> strings.put(key(thread), new byte[] {1}));
      assertEquals(THREADS, strings.size());
      writeBesideOne(store, thread -> store.write(new WriteBatch().delete(longs, thread)));
      assertEquals(0, longs.size());
      store.verify();
    }
  }

  /** All words of the gate are full before the pins of a large pool are. */
  @Test
  void ofAThousandWritersNoneGoesAloneInALargePool() throws Exception {
    try (IndexStore store = open(LARGE)) {
      LongIndex longs = store.index("a");
      WriterGate gate = store.state().gate;
      List<Long> within = new ArrayList<>();
      long in = gate.enter(WriterGate.promise(0, 0));
      while (in != WriterGate.CROWDED) {
        within.add(in);
        in = gate.enter(WriterGate.promise(0, 0));
      }
      long turns = gate.turns();
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        writers.add(Thread.ofVirtual().start(() -> longs.put(thread, 3 * thread)));
      }
      writers.forEach(CrowdedWritersTest::awaitBlocked);
      within.subList(1, within.size()).forEach(gate::leave);
      join(writers);
      assertEquals(0, gate.turns() - turns);
      gate.leave(within.getFirst());
      assertEquals(THREADS, longs.size());
    }
  }

  // ---------------------------------------------------------------- room in the log

  @Test
  void aWriterForWhoseRecordTheLogHasNoRoomBesideOthersWaitsForSomeOfThem() throws Exception {
    try (IndexStore store = open(LARGE)) {
      BytesIndex strings = store.bytesIndex("a");
      WriterGate gate = store.state().gate;
      int fitting = LogBuffer.BYTES / WriterGate.MOST_BYTES;
      List<Long> within = enter(gate, fitting, WriterGate.promise(0, WriterGate.MOST_BYTES));
      long turns = gate.turns();
      byte[] value = new byte[WriterGate.MOST_BYTES - 1_000];
      Thread writer = startAndBlock(() -> strings.put(key(1), value));
      gate.leave(within.removeLast());
      gate.leave(within.removeLast());
      writer.join();
      assertEquals(0, gate.turns() - turns);
      assertEquals(fitting - 2, WriterGate.writers(gate.sum()));
      within.forEach(gate::leave);
      assertEquals(1, strings.size());
    }
  }

  /** A thread that wants to be alone has its turn between those that wait for room. */
  @Test
  void aCheckpointIsMadeWhileManyWaitForRoom() throws Exception {
    try (IndexStore store = open(IndexStoreTest.SMALL)) {
      LongIndex longs = store.index("a");
      WriterGate gate = store.state().gate;
      List<Long> within = enter(gate, mostWriters(store), WriterGate.promise(0, 0));
      List<Thread> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int thread = i;
        all.add(startAndBlock(() -> longs.put(thread, thread)));
        if (i == 10) {
          all.add(startAndBlock(store::checkpoint));
        }
      }
      long checkpoint = store.statistics().checkpoint();
      within.forEach(gate::leave);
      join(all);
      assertEquals(checkpoint + 1, store.statistics().checkpoint());
      assertEquals(20, longs.size());
    }
  }
}
