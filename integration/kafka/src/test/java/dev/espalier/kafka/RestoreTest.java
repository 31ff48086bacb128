// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.IndexStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.WindowStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores without entries are restored by sorting, others record by record. */
class RestoreTest {
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
  private static final Bytes A = Bytes.wrap(new byte[] {'a'});
  private static final byte[] ONE = {1};

  @TempDir Path folder;

  private static KeyValueStore<Bytes, byte[]> store() {
    return EspalierStores.keyValueStore("s").get();
  }

  private KeyValueStore<Bytes, byte[]> reopened() {
    return new TestContext(folder, true).open(store());
  }

  /** Returns records, and applies them to what is expected. */
  private static List<KeyValue<byte[], byte[]>> records(
      Random random, int count, int keys, TreeMap<Bytes, byte[]> expected) {
    List<KeyValue<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = ByteBuffer.allocate(Integer.BYTES).putInt(random.nextInt(keys)).array();
      if (random.nextInt(4) == 0) {
        expected.remove(Bytes.wrap(key));
        records.add(KeyValue.pair(key, null));
      } else {
        byte[] value = new byte[random.nextInt(5) == 0 ? 0 : random.nextInt(900)];
        random.nextBytes(value);
        expected.put(Bytes.wrap(key), value);
        records.add(KeyValue.pair(key, value));
      }
    }
    return records;
  }

  private static void assertHas(
      TreeMap<Bytes, byte[]> expected, KeyValueStore<Bytes, byte[]> store) {
    try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
      expected.forEach(
          (key, value) -> {
            assertEquals(key, all.peekNextKey());
            assertArrayEquals(value, all.next().value);
          });
      assertFalse(all.hasNext());
    }
  }

  private static long entriesInFile(Path file) {
    try (IndexStore opened = IndexStore.open(file)) {
      return opened.bytesIndex("entries").size();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theLastRecordOfAKeyCountsWhereTheySpillIntoAFile(boolean exactlyOnce) {
    TestContext context = new TestContext(folder, exactlyOnce);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    Random random = new Random(1);
    TreeMap<Bytes, byte[]> expected = new TreeMap<>();
    for (int batch = 0; batch < 120; batch++) { // 36 MB or so
      context.restore(records(random, 1_000, 5_000, expected));
    }
    assertHas(expected, store);
    assertEquals(expected.size(), store.approximateNumEntries());
    context.restore(records(random, 1_000, 8_000, expected)); // to those that are there
    assertHas(expected, store);
    store.close();
  }

  @Test
  void offsetsAreCommittedWithTheEntriesThatTheyCount() {
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    context.restore(List.of(KeyValue.pair(A.get(), ONE)));
    store.commit(Map.of(CHANGELOG, 10L));
    assertNull(store.committedOffset(CHANGELOG), "nothing is in the file yet");
    context.restore(List.of(KeyValue.pair(A.get(), new byte[] {2})));
    assertArrayEquals(new byte[] {2}, store.get(A));
    assertEquals(10, store.committedOffset(CHANGELOG));
    store.commit(Map.of(CHANGELOG, 11L));
    assertEquals(11, store.committedOffset(CHANGELOG));
    store.close();
  }

  @Test
  void closingLoadsWhatWasCommitted() {
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    context.restore(List.of(KeyValue.pair(A.get(), ONE)));
    store.commit(Map.of(CHANGELOG, 10L));
    store.close();
    store = reopened();
    assertEquals(10, store.committedOffset(CHANGELOG));
    assertArrayEquals(ONE, store.get(A));
    store.close();
  }

  @Test
  void closingForgetsWhatWasNotCommitted() {
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    context.restore(List.of(KeyValue.pair(A.get(), ONE)));
    store.close();
    store = reopened();
    assertNull(store.committedOffset(CHANGELOG));
    assertNull(store.get(A));
    store.close();
  }

  @Test
  void aStoreThatNobodyReadsIsLoadedAfterAWhile() {
    AtomicLong now = new AtomicLong();
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = store();
    ((RestoredStateStore) store).clock = now::get;
    context.open(store);
    context.restore(List.of(KeyValue.pair(A.get(), ONE)));
    now.set(Restoration.MOST.toNanos());
    store.commit(Map.of(CHANGELOG, 10L));
    assertNull(store.committedOffset(CHANGELOG));
    now.incrementAndGet();
    store.commit(Map.of(CHANGELOG, 11L));
    assertEquals(11, store.committedOffset(CHANGELOG));
    assertArrayEquals(ONE, store.get(A));
    store.close();
  }

  @Test
  void whatWaitsIsCountedButNotLoadedByMetrics() {
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    context.restore(List.of(KeyValue.pair(A.get(), ONE)));
    store.commit(Map.of(CHANGELOG, 10L));
    assertEquals(1.0, KeyValueStoreTest.figure(context, "entries"));
    assertEquals(0.0, KeyValueStoreTest.figure(context, "held-back"));
    assertNull(store.committedOffset(CHANGELOG));
    store.close();
    assertEquals(1, entriesInFile(folder.resolve("espalier").resolve("s.esp")));
  }

  @Test
  void recordsThatGotLostAreNotTakenForThere() throws IOException {
    TestContext context = new TestContext(folder, true);
    KeyValueStore<Bytes, byte[]> store = context.open(store());
    Path own = folder.resolve("espalier");
    Path moved = Files.move(own, folder.resolve("moved")); // No temporary file can be made.
    Collection<KeyValue<byte[], byte[]>> records =
        Stream.generate(() -> KeyValue.pair(A.get(), new byte[100_000])).limit(500).toList();
    ProcessorStateException failed =
        assertThrows(ProcessorStateException.class, () -> context.restore(records));
    assertTrue(failed.getMessage().contains(own.toString()), failed.getMessage());
    Files.move(moved, own);
    assertThrows(
        ProcessorStateException.class, () -> context.restore(List.of(KeyValue.pair(A.get(), ONE))));
    assertThrows(ProcessorStateException.class, () -> store.get(A));
    store.commit(Map.of(CHANGELOG, 10L));
    assertThrows(ProcessorStateException.class, store::close);
    assertFalse(store.isOpen());

    KeyValueStore<Bytes, byte[]> again = reopened();
    assertNull(again.committedOffset(CHANGELOG));
    assertNull(again.get(A));
    again.close();
  }

  @Test
  void segmentsThatExpireWhileTheirRecordsWaitGo() {
    Duration retention = Duration.ofMinutes(5);
    TestContext context = new TestContext(folder, true);
    WindowStore<Bytes, byte[]> store =
        context.open(EspalierStores.windowStore("w", retention, retention, false).get());
    for (int minute = 0; minute < 60; minute++) {
      byte[] key =
          ByteBuffer.allocate(13)
              .put((byte) 'a')
              .putLong(Duration.ofMinutes(minute).toMillis())
              .putInt(0)
              .array();
      context.restore(List.of(KeyValue.pair(key, new byte[] {(byte) minute})));
      assertTrue((double) KeyValueStoreTest.figure(context, "entries") <= 8);
    }
    List<String> entries = StoreComparison.list(store.fetch(A, 0, Long.MAX_VALUE));
    assertEquals(
        List.of("3300000=[55]", "3360000=[56]", "3420000=[57]", "3480000=[58]", "3540000=[59]"),
        entries);
    store.commit(Map.of(CHANGELOG, 60L));
    store.close();
    try (IndexStore file = IndexStore.open(folder.resolve("espalier").resolve("w.esp"))) {
      assertEquals(
          List.of("segment 21", "segment 22", "segment 23"),
          file.names().stream().sorted().toList());
    }
  }
}
