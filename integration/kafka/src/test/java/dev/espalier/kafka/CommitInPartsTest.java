// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.TestSize;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits of more changes than a batch takes. */
class CommitInPartsTest {
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
  private static final Duration RETENTION = Duration.ofMinutes(5);
  private static final CommitBatches.Limit THREE_WRITES = new CommitBatches.Limit(3, 1 << 20);
  private static final int NEVER = -1;

  @TempDir Path folder;

  private <S extends FileStateStore> S open(S store) {
    return open(folder, store);
  }

  private static <S extends FileStateStore> S open(Path in, S store) {
    S opened = new TestContext(in, true).open(store);
    opened.batchLimit = THREE_WRITES;
    return opened;
  }

  /** What is thrown in place of a crash. */
  private static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static void crashAt(int crash, int part) {
    if (part == crash) {
      throw new Crash();
    }
  }

  /** Returns a store that stores so many batches of a commit and crashes. */
  private static KeyValueStateStore keyValues(int crash) {
    return new KeyValueStateStore("s") {
      @Override
      void beforePart(int number) {
        super.beforePart(number);
        crashAt(crash, number);
      }
    };
  }

  private static WindowStateStore windows(int crash) {
    return new WindowStateStore(
        (EspalierStores.WindowSupplier)
            EspalierStores.windowStore("w", RETENTION, Duration.ofMinutes(1), false)) {
      @Override
      void beforePart(int number) {
        super.beforePart(number);
        crashAt(crash, number);
      }
    };
  }

  private static VersionedStateStore versions(int crash) {
    return new VersionedStateStore("v", RETENTION.toMillis(), 150_000) {
      @Override
      void beforePart(int number) {
        super.beforePart(number);
        crashAt(crash, number);
      }
    };
  }

  private static Bytes key(int number) {
    return Bytes.wrap(new byte[] {(byte) number});
  }

  private static byte[] value(int number) {
    return new byte[] {(byte) number};
  }

  // ---------------------------------------------------------------- keys and values

  @Test
  void changesOfSeveralBatchesAreCommitted() {
    KeyValueStateStore store = open(keyValues(NEVER));
    store.put(key(50), value(1));
    store.commit(Map.of(CHANGELOG, 1L));
    put(store, 10);
    store.delete(key(50));
    store.commit(Map.of(CHANGELOG, 11L));
    store.close();
    store = open(keyValues(NEVER));
    assertHasAll(store, 10);
    assertEquals(11, store.committedOffset(CHANGELOG));
    store.close();
  }

  private static void put(KeyValueStateStore store, int count) {
    for (int i = 0; i < count; i++) {
      store.put(key(i), value(i));
    }
  }

  private static void assertHasAll(KeyValueStateStore store, int count) {
    assertEquals(count, store.approximateNumEntries());
    for (int i = 0; i < count; i++) {
      assertArrayEquals(value(i), store.get(key(i)));
    }
  }

  @Test
  void bytesOfSeveralBatchesAreCommitted() {
    KeyValueStateStore store = open(keyValues(NEVER));
    store.batchLimit = new CommitBatches.Limit(1_000, 100);
    byte[] long1 = new byte[99]; // With its key as much as a batch takes.
    for (int i = 0; i < 5; i++) {
      store.put(key(i), long1);
    }
    store.commit(Map.of(CHANGELOG, 1L));
    store.close();
    store = open(keyValues(NEVER));
    assertEquals(5, store.approximateNumEntries());
    assertArrayEquals(long1, store.get(key(4)));
    store.close();
  }

  @Test
  void aReplayCompletesACommitThatACrashCutOff() {
    KeyValueStateStore store = open(keyValues(1));
    store.put(key(0), value(50));
    store.put(key(9), value(50));
    store.commit(Map.of(CHANGELOG, 1L));
    put(store, 10);
    KeyValueStateStore crashing = store;
    assertThrows(Crash.class, () -> crashing.commit(Map.of(CHANGELOG, 11L)));
    store.close();

    TestContext context = new TestContext(folder, true);
    store = context.open(keyValues(NEVER));
    assertEquals(1, store.committedOffset(CHANGELOG));
    assertArrayEquals(value(0), store.get(key(0))); // Of the first batch.
    assertNull(store.get(key(3)));
    assertArrayEquals(value(50), store.get(key(9)));
    List<KeyValue<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      records.add(KeyValue.pair(key(i).get(), value(i)));
    }
    context.restore(records);
    assertHasAll(store, 10);
    store.close();
  }

  // ---------------------------------------------------------------- windows

  @Test
  void windowsOfSeveralBatchesAreCommitted() {
    WindowStateStore store = open(windows(NEVER));
    putWindows(store);
    store.commit(Map.of(CHANGELOG, 10L));
    store.close();
    store = open(windows(NEVER));
    assertHasWindows(store);
    assertEquals(10, store.committedOffset(CHANGELOG));
    store.close();
  }

  private static void putWindows(WindowStateStore store) {
    for (int minute = 0; minute < 5; minute++) { // Two segments.
      store.put(key(1), value(minute), minute * 60_000L);
      store.put(key(2), value(minute), minute * 60_000L);
    }
  }

  private static void assertHasWindows(WindowStateStore store) {
    assertEquals(10, StoreComparison.list(store.all()).size());
    for (int minute = 0; minute < 5; minute++) {
      assertArrayEquals(value(minute), store.fetch(key(1), minute * 60_000L));
      assertArrayEquals(value(minute), store.fetch(key(2), minute * 60_000L));
    }
  }

  @Test
  void aReplayCompletesACommitOfWindowsThatACrashCutOff() {
    WindowStateStore store = open(windows(1));
    putWindows(store);
    WindowStateStore crashing = store;
    assertThrows(Crash.class, () -> crashing.commit(Map.of(CHANGELOG, 10L)));
    store.close();

    TestContext context = new TestContext(folder, true);
    store = context.open(windows(NEVER));
    assertNull(store.committedOffset(CHANGELOG));
    List<KeyValue<byte[], byte[]>> records = new ArrayList<>();
    for (int minute = 0; minute < 5; minute++) {
      for (int number = 1; number <= 2; number++) {
        byte[] key =
            ByteBuffer.allocate(13).put((byte) number).putLong(minute * 60_000L).putInt(0).array();
        records.add(KeyValue.pair(key, value(minute)));
      }
    }
    context.restore(records);
    assertHasWindows(store);
    store.close();
  }

  @Test
  void whatHasExpiredIsNotWrittenBeforeItIsDropped() {
    WindowStateStore store = open(windows(0)); // It has no part but the last.
    putWindows(store);
    store.put(key(1), value(1), Duration.ofDays(1).toMillis());
    store.commit(Map.of(CHANGELOG, 11L));
    assertEquals(1, StoreComparison.list(store.all()).size());
    store.close();
  }

  // ---------------------------------------------------------------- versions

  private record Put(int key, byte @Nullable [] value, long time) {
    void to(VersionedStateStore store) {
      store.put(CommitInPartsTest.key(key), value, time);
    }

    ConsumerRecord<byte[], byte[]> record(long offset) {
      return new ConsumerRecord<>(
          "changelog",
          0,
          offset,
          time,
          TimestampType.CREATE_TIME,
          1,
          value == null ? 0 : value.length,
          CommitInPartsTest.key(key).get(),
          value,
          new RecordHeaders(),
          Optional.empty());
    }
  }

  /** Returns what each key had in each second. */
  private static List<String> shown(VersionedStateStore store) {
    List<String> shown = new ArrayList<>();
    for (int key = 0; key < 3; key++) {
      for (long second = 0; second <= 120; second++) {
        byte[] version = store.get(key(key), 1_000 * second);
        shown.add(key + "@" + second + ": " + Arrays.toString(version));
      }
      shown.add(key + ": " + Arrays.toString(store.get(key(key))));
    }
    return shown;
  }

  /** Commits some puts, and others until it crashes, and replays what Kafka would. */
  private static void replay(Path in, List<Put> committed, List<Put> held, int crash) {
    VersionedStateStore store = open(in, versions(NEVER));
    committed.forEach(put -> put.to(store));
    store.commit(Map.of(CHANGELOG, (long) committed.size()));
    store.close();
    VersionedStateStore crashing = open(in, versions(crash));
    assertEquals(committed.size(), crashing.committedOffset(CHANGELOG));
    held.forEach(put -> put.to(crashing));
    List<String> expected = shown(crashing);
    try {
      crashing.commit(Map.of(CHANGELOG, (long) committed.size() + held.size()));
    } catch (Crash _) {
      // Or the commit has no such part.
    }
    crashing.close();

    TestContext context = new TestContext(in, true);
    VersionedStateStore reopened = context.open(versions(NEVER));
    Long offset = reopened.committedOffset(CHANGELOG);
    List<Put> changelog = new ArrayList<>(committed);
    changelog.addAll(held);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (long next = offset == null ? 0 : offset; next < changelog.size(); next++) {
      records.add(changelog.get((int) next).record(next));
    }
    context.restoreRecords(records);
    assertEquals(expected, shown(reopened));
    reopened.commit(Map.of(CHANGELOG, (long) changelog.size()));
    reopened.close();
    VersionedStateStore last = open(in, versions(NEVER));
    assertEquals(changelog.size(), last.committedOffset(CHANGELOG));
    assertEquals(expected, shown(last));
    last.close();
  }

  @Test
  void versionsOfSeveralBatchesAreCommitted() {
    VersionedStateStore store = open(versions(NEVER));
    for (int i = 0; i < 20; i++) {
      store.put(key(i % 3), i % 7 == 0 ? null : value(i), 1_000L * i);
    }
    List<String> expected = shown(store);
    store.commit(Map.of(CHANGELOG, 20L));
    store.close();
    store = open(versions(NEVER));
    assertEquals(expected, shown(store));
    assertEquals(20, store.committedOffset(CHANGELOG));
    store.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void theVersionBeforeIsThereAfterACrash(int crash) {
    replay(
        folder,
        List.of(new Put(0, value(1), 10_000), new Put(1, value(1), 10_000)),
        List.of(
            new Put(0, value(2), 20_000),
            new Put(1, value(2), 20_000),
            new Put(2, value(2), 20_000),
            new Put(0, value(3), 30_000),
            new Put(1, null, 30_000)),
        crash);
  }

  /** Stored in part, the versions that end at 30 s are in an order in which a replay mixes up. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void versionsThatSplitOneAreThereAfterACrash(int crash) {
    replay(
        folder,
        List.of(new Put(0, value(1), 10_000), new Put(0, value(2), 30_000)),
        List.of(
            new Put(0, value(3), 15_000),
            new Put(0, value(4), 20_000),
            new Put(1, value(5), 20_000),
            new Put(2, value(6), 20_000)),
        crash);
  }

  @Test
  void aReplayLeadsToTheSameWhereverACrashCutsOff() {
    for (long seed : TestSize.seeds(10, 1_000)) {
      Random random = new Random(seed);
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        puts.add(
            new Put(
                random.nextInt(3),
                random.nextInt(4) == 0 ? null : value(i),
                1_000L * random.nextInt(30)));
      }
      int committed = random.nextInt(12);
      replay(
          folder.resolve("seed" + seed),
          puts.subList(0, committed),
          puts.subList(committed, 24),
          random.nextInt(8));
    }
  }
}
