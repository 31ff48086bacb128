// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.TestSize;
import dev.espalier.io.IndexStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.WindowKeyQuery;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WindowStoreTest {
  private static final int STEPS = TestSize.share(1_500, 30_000);
  private static final Duration RETENTION = Duration.ofMinutes(5);
  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final Bytes A = Bytes.wrap(new byte[] {'a'});
  private static final byte[] ONE = {1};
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);

  @TempDir Path folder;

  private static WindowStore<Bytes, byte[]> store(boolean duplicates) {
    return EspalierStores.windowStore("w", RETENTION, WINDOW, duplicates).get();
  }

  @ParameterizedTest
  @CsvSource({"false,false", "true,false", "false,true", "true,true"})
  void answersAsKafkasStoreInMemoryDoes(boolean exactlyOnce, boolean duplicates) {
    Random random = new Random(4 * TestSize.seed() + (exactlyOnce ? 1 : 0) + (duplicates ? 2 : 0));
    TopologyTestDriver driver = // The model opens nowhere else.
        with(Stores.inMemoryWindowStore("m", RETENTION, WINDOW, duplicates));
    WindowStore<Bytes, byte[]> model = driver.getWindowStore("m");
    WindowStore<Bytes, byte[]> store = new TestContext(folder, exactlyOnce).open(store(duplicates));
    long now = 0;
    for (int step = 0; step < STEPS; step++) {
      now += random.nextInt(2_000);
      Bytes key = StoreComparison.key(random);
      Bytes other = StoreComparison.key(random);
      byte[] value = StoreComparison.value(random);
      long time = Math.max(0, now - random.nextInt(400_000)) / 1_000 * 1_000;
      long until = time + random.nextInt(400_000);
      String what = "step " + step;
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> {
          model.put(key, value, time);
          store.put(key, value, time);
        }
        case 4 -> {
          model.put(key, null, time);
          store.put(key, null, time);
        }
        case 5 -> {
          if (!duplicates) { // With duplicates the model looks for the latest number alone.
            StoreComparison.assertSameValue(model.fetch(key, time), store.fetch(key, time), what);
          }
        }
        case 6 -> {
          StoreComparison.assertSame(
              model.fetch(key, time, until), store.fetch(key, time, until), what);
          if (!duplicates) {
            StoreComparison.assertSame(
                model.backwardFetch(key, time, until), store.backwardFetch(key, time, until), what);
          }
        }
        case 7 -> {
          if (duplicates) { // The model compares numbers as if they belonged to keys.
            continue;
          }
          Bytes from = key.compareTo(other) <= 0 ? key : other;
          Bytes to = key.compareTo(other) <= 0 ? other : key;
          StoreComparison.assertSameEntries(
              model.fetch(from, to, time, until), store.fetch(from, to, time, until), what);
          StoreComparison.assertSameEntries(
              model.backwardFetch(null, to, time, until),
              store.backwardFetch(null, to, time, until),
              what);
        }
        case 8 ->
            StoreComparison.assertSameEntries(
                model.fetchAll(time, until), store.backwardFetchAll(time, until), what);
        default -> {
          if (step % 20 == 0) {
            store.commit(Map.of());
          } else if (step % 20 == 10) {
            store.commit(Map.of());
            store.close();
            store = new TestContext(folder, exactlyOnce).open(store(duplicates));
          }
        }
      }
    }
    StoreComparison.assertSameEntries(model.all(), store.all(), "all");
    StoreComparison.assertSameEntries(model.backwardAll(), store.backwardAll(), "backward");
    store.close();
    driver.close();
  }

  private static final class NoProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    @Override
    public void process(Record<byte[], byte[]> input) {}
  }

  private TopologyTestDriver with(WindowBytesStoreSupplier supplier) {
    return with(
        Stores.windowStoreBuilder(supplier, Serdes.Bytes(), Serdes.ByteArray())
            .withLoggingDisabled()
            .withCachingDisabled());
  }

  private TopologyTestDriver with(StoreBuilder<?> store) {
    Topology topology = new Topology();
    topology.addSource("source", new ByteArrayDeserializer(), new ByteArrayDeserializer(), "input");
    topology.addProcessor("none", NoProcessor::new, "source");
    topology.addStateStore(store, "none");
    Properties properties = new Properties();
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    return new TopologyTestDriver(topology, properties);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCacheOverTheStoreShowsTheLatestValueOfEachKey(boolean isOurs) {
    TopologyTestDriver driver =
        with(
            Stores.windowStoreBuilder(
                    isOurs
                        ? EspalierStores.windowStore("w", RETENTION, WINDOW, false)
                        : Stores.persistentWindowStore("w", RETENTION, WINDOW, false),
                    Serdes.Bytes(),
                    Serdes.ByteArray())
                .withLoggingDisabled()
                .withCachingEnabled());
    TestInputTopic<byte[], byte[]> input =
        driver.createInputTopic("input", new ByteArraySerializer(), new ByteArraySerializer());
    WindowStore<Bytes, byte[]> store = driver.getWindowStore("w");
    Random random = new Random(5);
    TreeMap<String, String> expected = new TreeMap<>();
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < 20; i++) {
        // No key is another one with zeros behind it: the cache then expects another order.
        Bytes key = Bytes.wrap("a".repeat(1 + random.nextInt(8)).getBytes(UTF_8));
        byte[] value = {(byte) round, (byte) i};
        store.put(key, value, 1_000_000_000_000L);
        expected.put(Arrays.toString(key.get()), Arrays.toString(value));
      }
      List<String> shown = new ArrayList<>();
      try (KeyValueIterator<Windowed<Bytes>, byte[]> all = store.all()) {
        all.forEachRemaining(
            entry ->
                shown.add(
                    Arrays.toString(entry.key.key().get()) + "=" + Arrays.toString(entry.value)));
      }
      Collections.sort(shown);
      assertEquals(
          expected.entrySet().stream().map(Object::toString).sorted().toList(),
          shown,
          "round " + round);
      input.pipeInput(new byte[1], new byte[1]); // A commit writes what is in the cache.
    }
    driver.close();
  }

  @Test
  void segmentsThatHaveExpiredLeaveTheFileAtTheNextCommit() {
    WindowStore<Bytes, byte[]> store = new TestContext(folder, true).open(store(false));
    for (int minute = 0; minute < 60; minute++) {
      store.put(A, ONE, Duration.ofMinutes(minute).toMillis());
      store.commit(Map.of());
    }
    store.close();
    try (IndexStore file = IndexStore.open(folder.resolve("espalier").resolve("w.esp"))) {
      assertEquals(
          List.of("segment 21", "segment 22", "segment 23"),
          file.names().stream().sorted().toList());
    }
  }

  @Test
  void anIteratorGoesOnWhereASegmentWasDropped() {
    WindowStore<Bytes, byte[]> store = new TestContext(folder, false).open(store(false));
    for (int minute = 0; minute < 5; minute++) {
      for (int second = 0; second < 60; second++) {
        store.put(A, ONE, Duration.ofMinutes(minute).plusSeconds(second).toMillis());
      }
    }
    WindowStoreIterator<byte[]> entries = store.fetch(A, 0, Long.MAX_VALUE);
    assertEquals(0, entries.next().key);
    store.put(A, ONE, Duration.ofMinutes(8).toMillis());
    store.commit(Map.of()); // Drops what is before minute 2.5.
    assertEquals(1000, entries.next().key); // It was at hand.
    assertEquals(150_000, entries.next().key);
    store.close();
    StoreComparison.assertSaysClosed(() -> entries.forEachRemaining(_ -> {}));
  }

  @Test
  void anIteratorWhoseStoreIsClosedBeforeItsNextSegmentSaysSo() {
    WindowStore<Bytes, byte[]> store = new TestContext(folder, false).open(store(false));
    store.put(A, ONE, 0);
    store.put(A, ONE, 200_000); // Of another segment.
    WindowStoreIterator<byte[]> entries = store.fetch(A, 0, Long.MAX_VALUE);
    store.close();
    StoreComparison.assertSaysClosed(entries::next);
  }

  @Test
  void aSegmentThatIsDroppedDuringAFetchHasNothing() {
    WindowStateStore store = (WindowStateStore) store(true);
    new TestContext(folder, true).open(store);
    for (int i = 0; i < 3; i++) {
      store.put(A, ONE, 0);
    }
    store.commit(Map.of());
    byte[] found =
        store.get(
            0,
            entries -> {
              EntryIterator last = entries.range(null, null, true, false);
              store.put(A, ONE, Duration.ofDays(1).toMillis());
              store.commit(Map.of()); // As another thread may do.
              return last.next().value;
            });
    assertNull(found);
    store.close();
  }

  @Test
  void aSegmentThatIsDroppedWhileTheyAreCountedHasNoEntries() {
    try (IndexStore file = IndexStore.open(folder.resolve("w.esp"))) {
      Segments segments = new Segments(file, false, 1_000);
      Entries first = segments.at(0);
      first.put(A, ONE);
      segments.at(1_000).put(A, ONE);
      assertEquals(1, segments.size(first));
      assertEquals(2, segments.size());
      segments.dropBefore(1_000);
      assertEquals(0, segments.size(first));
      assertEquals(1, segments.size());
    }
  }

  @Test
  void whatHasExpiredIsNeitherShownNorStored() {
    TestContext context = new TestContext(folder, false);
    WindowStore<Bytes, byte[]> store = context.open(store(false));
    store.put(A, ONE, 0);
    assertArrayEquals(ONE, store.fetch(A, 0));
    store.put(A, ONE, RETENTION.toMillis());
    assertNull(store.fetch(A, 0));
    assertFalse(store.fetch(A, 0, 0).hasNext());
    store.put(A, ONE, 0);
    assertNull(store.fetch(A, 0));
    assertEquals(
        1.0,
        context.metrics().metrics().entrySet().stream()
            .filter(entry -> entry.getKey().name().equals("expired-total"))
            .findFirst()
            .orElseThrow()
            .getValue()
            .metricValue());
    store.close();
  }

  @Test
  void recordsOfTheChangelogAreRestored() {
    TestContext context = new TestContext(folder, true);
    WindowStore<Bytes, byte[]> store = context.open(store(true));
    context.restore(
        List.of(
            changelog(A, 0, 1, new byte[] {9}),
            changelog(A, 400_000, 1, new byte[] {1}),
            changelog(A, 400_000, 2, new byte[] {2}),
            changelog(A, 200_000, 1, new byte[] {3})));
    try (WindowStoreIterator<byte[]> all = store.fetch(A, 0, Long.MAX_VALUE)) {
      assertArrayEquals(new byte[] {3}, all.next().value);
      assertArrayEquals(new byte[] {1}, all.next().value);
      assertArrayEquals(new byte[] {2}, all.next().value);
      assertFalse(all.hasNext());
    }
    store.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void newDuplicatesReplaceNoneThatWereRestored(boolean exactlyOnce) {
    TestContext context = new TestContext(folder, exactlyOnce);
    WindowStore<Bytes, byte[]> store = context.open(store(true));
    context.restore(
        List.of(
            changelog(A, 1_000, 2, new byte[] {2}),
            changelog(A, 1_000, 1, new byte[] {1}),
            changelog(A, 1_000, 3, new byte[] {3})));
    store.put(A, new byte[] {4}, 1_000);
    store.put(A, new byte[] {5}, 1_000);
    assertHas(store, 1, 2, 3, 4, 5);
    context.restore(List.of(changelog(A, 1_000, 6, new byte[] {6}))); // To those that are there.
    store.put(A, new byte[] {7}, 1_000);
    store.commit(Map.of());
    store.close();
    store = new TestContext(folder, exactlyOnce).open(store(true));
    store.put(A, new byte[] {8}, 1_000);
    assertHas(store, 1, 2, 3, 4, 5, 6, 7, 8);
    store.close();
  }

  /** Without exactly-once, entries are in the file before their offset is. */
  @Test
  void aReplayFindsTheDuplicatesOfATaskThatWasKilled() {
    WindowStore<Bytes, byte[]> store = new TestContext(folder, false).open(store(true));
    store.put(A, new byte[] {1}, 1_000);
    store.commit(Map.of(CHANGELOG, 1L));
    store.close();
    store = new TestContext(folder, false).open(store(true));
    store.put(A, new byte[] {2}, 1_000);
    store.put(A, null, 1_000);
    store.put(A, new byte[] {3}, 1_000);
    store.close(); // It is not committed.
    for (int life = 0; life < 2; life++) {
      TestContext context = new TestContext(folder, false);
      store = context.open(store(true));
      context.restore(
          List.of(
              changelog(A, 1_000, 1, new byte[] {2}),
              changelog(A, 1_000, 2, null),
              changelog(A, 1_000, 3, new byte[] {3})));
      assertHas(store, 1, 2, 3);
      if (life == 1) {
        store.put(A, new byte[] {4}, 1_000);
        assertHas(store, 1, 2, 3, 4);
      }
      store.close();
    }
  }

  @Test
  void duplicatesAreThereOnceIfACrashCutsOffTheirCommit() {
    WindowStore<Bytes, byte[]> store = new TestContext(folder, true).open(store(true));
    store.put(A, new byte[] {1}, 1_000);
    store.commit(Map.of(CHANGELOG, 1L));
    store.close();
    WindowStateStore crashing =
        new WindowStateStore(
            (EspalierStores.WindowSupplier)
                EspalierStores.windowStore("w", RETENTION, WINDOW, true)) {
          @Override
          void beforePart(int number) {
            if (number == 2) {
              throw new UnsupportedOperationException("in place of a crash");
            }
          }
        };
    new TestContext(folder, true).open(crashing);
    crashing.batchLimit = new CommitBatches.Limit(1, 1 << 20);
    List<KeyValue<byte[], byte[]>> changelog = new ArrayList<>();
    changelog.add(changelog(A, 1_000, 1, new byte[] {1}));
    for (int number = 1; number <= 4; number++) {
      byte[] value = {(byte) (1 + number)};
      crashing.put(A, value, 2_000L * number);
      changelog.add(changelog(A, 2_000L * number, number, value));
    }
    assertThrows(UnsupportedOperationException.class, () -> crashing.commit(Map.of(CHANGELOG, 5L)));
    crashing.close();

    TestContext context = new TestContext(folder, true);
    store = context.open(store(true));
    Long offset = store.committedOffset(CHANGELOG);
    context.restore(changelog.subList(offset == null ? 0 : offset.intValue(), 5));
    assertHas(store, 1, 2, 3, 4, 5);
    store.close();
  }

  /** Asserts which values there are of key A. */
  private static void assertHas(WindowStore<Bytes, byte[]> store, int... expected) {
    try (WindowStoreIterator<byte[]> all = store.fetch(A, 0, Long.MAX_VALUE)) {
      for (int value : expected) {
        assertArrayEquals(new byte[] {(byte) value}, all.next().value);
      }
      assertFalse(all.hasNext());
    }
  }

  private static KeyValue<byte[], byte[]> changelog(
      Bytes key, long time, int number, byte[] value) {
    byte[] bytes =
        ByteBuffer.allocate(key.get().length + 12)
            .put(key.get())
            .putLong(time)
            .putInt(number)
            .array();
    return KeyValue.pair(bytes, value);
  }

  @Test
  void queriesAreAnswered() {
    TopologyTestDriver driver = // In 4.3.1 queries are right as Kafka's own stores pass them on.
        with(EspalierStores.windowStore("w", RETENTION, WINDOW, false));
    WindowStore<Bytes, byte[]> store = driver.getWindowStore("w");
    store.put(A, ONE, 1_000);
    store.put(A, ONE, 2_000);
    Instant from = Instant.ofEpochMilli(1_000);
    Instant to = Instant.ofEpochMilli(2_000);
    assertEquals(
        2,
        StoreComparison.list(
                store
                    .query(
                        WindowKeyQuery.<Bytes, byte[]>withKeyAndWindowStartRange(A, from, to),
                        PositionBound.unbounded(),
                        new QueryConfig(false))
                    .getResult())
            .size());
    assertEquals(
        1,
        StoreComparison.list(
                store
                    .query(
                        WindowRangeQuery.<Bytes, byte[]>withWindowStartRange(from, from),
                        PositionBound.unbounded(),
                        new QueryConfig(false))
                    .getResult())
            .size());
    driver.close();
  }

  @Test
  void aWindowLongerThanTheRetentionIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> EspalierStores.windowStore("w", WINDOW, RETENTION, false));
    assertThrows(
        IllegalArgumentException.class,
        () -> EspalierStores.windowStore("w", RETENTION, Duration.ofMillis(-1), false));
  }
}
