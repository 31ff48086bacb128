// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.io.IndexStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedBytesStore;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersionedStoreTest {
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
  private static final int STEPS = TestSize.share(2_500, 60_000);
  private static final Duration RETENTION = Duration.ofMinutes(5);
  private static final Bytes A = Bytes.wrap(new byte[] {'a'});

  @TempDir Path folder;

  private static VersionedBytesStore store() {
    return (VersionedBytesStore) EspalierStores.versionedStore("v", RETENTION).get();
  }

  private VersionedBytesStore opened(boolean exactlyOnce) {
    return new TestContext(folder, exactlyOnce).open(store());
  }

  private static String show(@Nullable VersionedRecord<byte[]> version) {
    return version == null ? "none" : version.timestamp() + ": " + Arrays.toString(version.value());
  }

  private static String show(byte @Nullable [] version) {
    if (version == null) {
      return "none";
    }
    byte[] value = Arrays.copyOfRange(version, Long.BYTES, version.length);
    return ByteBuffer.wrap(version).getLong() + ": " + Arrays.toString(value);
  }

  private static String showWithEnd(VersionedRecord<byte[]> version) {
    return show(version) + " to " + version.validTo().orElse(-1L);
  }

  private static <R> R answer(VersionedBytesStore store, Query<R> query) {
    return store.query(query, PositionBound.unbounded(), new QueryConfig(false)).getResult();
  }

  private static List<String> list(VersionedRecordIterator<byte[]> versions) {
    List<String> shown = new ArrayList<>();
    while (versions.hasNext()) {
      VersionedRecord<byte[]> version = versions.next();
      shown.add(showWithEnd(version));
    }
    assertThrows(NoSuchElementException.class, versions::next);
    versions.close();
    return shown;
  }

  // ---------------------------------------------------------------- compared

  /** All versions that were put in time, by key. */
  private static final class Model {
    final Map<Bytes, TreeMap<Long, Optional<byte[]>>> versions = new TreeMap<>();
    long streamTime = -1;

    /** Returns to when it is valid. */
    long put(Bytes key, byte @Nullable [] value, long time) {
      if (time < streamTime - RETENTION.toMillis()) {
        return VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT;
      }
      streamTime = Math.max(streamTime, time);
      TreeMap<Long, Optional<byte[]>> all = versions.computeIfAbsent(key, _ -> new TreeMap<>());
      all.put(time, Optional.ofNullable(value));
      Long next = all.higherKey(time);
      return next == null ? VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED : next;
    }

    boolean isDeletion(Bytes key, long time) {
      Optional<byte[]> version = versions.getOrDefault(key, new TreeMap<>()).get(time);
      return version != null && version.isEmpty();
    }

    List<String> between(Bytes key, long from, long to) {
      TreeMap<Long, Optional<byte[]>> all = versions.getOrDefault(key, new TreeMap<>());
      List<String> shown = new ArrayList<>();
      all.headMap(to, true)
          .forEach(
              (time, value) -> {
                Long next = all.higherKey(time);
                long oldest = streamTime - RETENTION.toMillis();
                if (value.isPresent()
                    && (next == null || next > from && next > oldest && to >= oldest)) {
                  shown.add(
                      "%d: %s to %d"
                          .formatted(time, Arrays.toString(value.get()), next == null ? -1 : next));
                }
              });
      return shown;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answersAsKafkasStoreDoes(boolean exactlyOnce) {
    Random random = new Random(2 * TestSize.seed() + (exactlyOnce ? 1 : 2));
    TopologyTestDriver driver = // Kafka's store opens nowhere else.
        with(Stores.persistentVersionedKeyValueStore("m", RETENTION));
    VersionedKeyValueStore<Bytes, byte[]> kafkas = driver.getVersionedKeyValueStore("m");
    Model model = new Model();
    VersionedBytesStore store = opened(exactlyOnce);
    long now = 0;
    int expired = 0;
    for (int step = 0; step < STEPS; step++) {
      now += random.nextInt(2_000);
      Bytes key = StoreComparison.key(random);
      byte[] value = StoreComparison.value(random);
      long time = Math.max(0, now - random.nextInt(random.nextBoolean() ? 400_000 : 3_000));
      time = time / 1_000 * 1_000; // So some are the same.
      String what = "step " + step;
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> {
          long validTo = model.put(key, value, time);
          assertEquals(validTo, store.put(key, value, time), what);
          long kafkasValidTo = kafkas.put(key, value, time);
          if (!model.isDeletion(key, validTo)) { // It keeps no deletion that lies among others.
            assertEquals(validTo, kafkasValidTo, what);
          }
          expired += validTo == VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT ? 1 : 0;
        }
        case 4 -> {
          long validTo = model.put(key, null, time);
          assertEquals(validTo, store.put(key, null, time), what);
          kafkas.put(key, null, time); // It tells of some deletions among others only.
        }
        case 5 -> {
          assertEquals(show(kafkas.delete(key, time)), show(store.delete(key, time)), what);
          model.put(key, null, time);
        }
        case 6 -> assertEquals(show(kafkas.get(key)), show(store.get(key)), what);
        case 7 -> {
          VersionedRecord<byte[]> expected = kafkas.get(key, time);
          assertEquals(show(expected), show(store.get(key, time)), what);
          VersionedKeyQuery<Bytes, byte[]> query =
              VersionedKeyQuery.<Bytes, byte[]>withKey(key).asOf(Instant.ofEpochMilli(time));
          VersionedRecord<byte[]> answered = answer(store, query);
          assertEquals(show(expected), show(answered), what);
          assertEquals(
              model.between(key, time, time), // Kafka's store is wrapped, and tells no end.
              answered == null ? List.of() : List.of(showWithEnd(answered)),
              what);
        }
        case 8 -> {
          long until = time + random.nextInt(400_000);
          MultiVersionedKeyQuery<Bytes, byte[]> query =
              MultiVersionedKeyQuery.<Bytes, byte[]>withKey(key)
                  .fromTime(Instant.ofEpochMilli(time))
                  .toTime(Instant.ofEpochMilli(until));
          List<String> expected = model.between(key, time, until);
          assertEquals(expected, list(answer(store, query.withAscendingTimestamps())), what);
          assertEquals(
              expected.reversed(), list(answer(store, query.withDescendingTimestamps())), what);
        }
        default -> {
          if (step % 20 == 0) {
            store.commit(Map.of());
          } else if (step % 20 == 10) {
            store.commit(Map.of());
            store.close();
            store = opened(exactlyOnce);
          }
        }
      }
    }
    assertTrue(expired > 100, "records that came too late: " + expired);
    store.close();
    driver.close();
  }

  private static final class NoProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    @Override
    public void process(Record<byte[], byte[]> input) {}
  }

  private TopologyTestDriver with(VersionedBytesStoreSupplier supplier) {
    Topology topology = new Topology();
    topology.addSource("source", new ByteArrayDeserializer(), new ByteArrayDeserializer(), "input");
    topology.addProcessor("none", NoProcessor::new, "source");
    topology.addStateStore(
        Stores.versionedKeyValueStoreBuilder(supplier, Serdes.Bytes(), Serdes.ByteArray())
            .withLoggingDisabled(),
        "none");
    Properties properties = new Properties();
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.resolve("kafka").toString());
    return new TopologyTestDriver(topology, properties);
  }

  // ---------------------------------------------------------------- committed

  @Test
  void whatWasNotCommittedIsNotThereAfterARestartWithExactlyOnce() {
    VersionedBytesStore store = opened(true);
    store.put(A, new byte[] {1}, 1_000);
    store.put(A, new byte[] {2}, 2_000);
    store.commit(Map.of(CHANGELOG, 7L));
    store.put(A, new byte[] {3}, 3_000);
    store.put(A, null, 1_500);
    store.close();
    store = opened(true);
    assertEquals(7, store.committedOffset(CHANGELOG));
    assertEquals("2000: [2]", show(store.get(A)));
    assertEquals("1000: [1]", show(store.get(A, 1_999)));
    store.close();
  }

  @Test
  void segmentsThatHaveExpiredLeaveTheFileAtTheNextCommit() {
    VersionedBytesStore store = opened(true);
    for (int minute = 0; minute < 60; minute++) {
      store.put(A, new byte[] {1}, Duration.ofMinutes(minute).toMillis());
      store.commit(Map.of());
    }
    store.close();
    try (IndexStore file = IndexStore.open(folder.resolve("espalier").resolve("v.esp"))) {
      assertEquals(
          List.of("latest", "segment 21", "segment 22", "segment 23"),
          file.names().stream().sorted().toList());
    }
  }

  private static ConsumerRecord<byte[], byte[]> changelog(
      long offset, byte @Nullable [] value, long time) {
    return new ConsumerRecord<>(
        "changelog",
        0,
        offset,
        time,
        TimestampType.CREATE_TIME,
        1,
        value == null ? 0 : value.length,
        A.get(),
        value,
        new RecordHeaders(),
        Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void recordsOfTheChangelogAreRestoredWithTheirTimes(boolean exactlyOnce) {
    TestContext context = new TestContext(folder, exactlyOnce);
    VersionedBytesStore store = context.open(store());
    context.restoreRecords(
        List.of(
            changelog(0, new byte[] {1}, 10_000),
            changelog(1, null, 40_000),
            changelog(2, new byte[] {2}, 20_000),
            changelog(3, new byte[] {3}, 50_000)));
    assertEquals("50000: [3]", show(store.get(A)));
    assertEquals("none", show(store.get(A, 45_000)));
    assertEquals("20000: [2]", show(store.get(A, 39_999)));
    assertEquals("10000: [1]", show(store.get(A, 19_999)));
    assertEquals(0.0, KeyValueStoreTest.figure(context, "held-back"));
    store.commit(Map.of(CHANGELOG, 3L));
    store.close();
    store = opened(exactlyOnce);
    assertEquals(3, store.committedOffset(CHANGELOG));
    assertEquals("20000: [2]", show(store.get(A, 39_999)));
    store.close();
  }

  // ---------------------------------------------------------------- refused

  @Test
  void whatHasNoTimeIsRefused() {
    VersionedBytesStore store = opened(false);
    assertThrows(UnsupportedOperationException.class, () -> store.put(A, new byte[1]));
    assertThrows(UnsupportedOperationException.class, () -> store.putIfAbsent(A, new byte[1]));
    assertThrows(UnsupportedOperationException.class, () -> store.delete(A));
    assertThrows(UnsupportedOperationException.class, store::all);
    store.close();
    StoreComparison.assertSaysClosed(() -> store.get(A));
    StoreComparison.assertSaysClosed(() -> store.put(A, new byte[1], 1));
  }

  @Test
  void anIteratorThatIsClosedSaysSo() {
    VersionedBytesStore store = opened(false);
    VersionedRecordIterator<byte[]> versions =
        answer(store, MultiVersionedKeyQuery.<Bytes, byte[]>withKey(A));
    assertFalse(versions.hasNext());
    versions.close();
    StoreComparison.assertSaysClosed(versions::hasNext);
    store.close();
  }

  @Test
  void recordsThatComeTooLateAreCounted() {
    TestContext context = new TestContext(folder, false);
    VersionedBytesStore store = context.open(store());
    store.put(A, new byte[] {1}, RETENTION.toMillis() + 1);
    assertNull(store.delete(A, 0));
    assertArrayEquals(new byte[] {1}, Arrays.copyOfRange(store.get(A), Long.BYTES, 9));
    assertEquals(1.0, KeyValueStoreTest.figure(context, "expired-total"));
    store.close();
  }

  // ---------------------------------------------------------------- in a topology

  /** A stream that is joined with what a table had at the time of each record. */
  private List<String> joined(VersionedBytesStoreSupplier table, String guarantee) {
    StreamsBuilder builder = new StreamsBuilder();
    Consumed<String, Long> consumed = Consumed.with(Serdes.String(), Serdes.Long());
    builder.stream("stream", consumed)
        .join(
            builder.table("table", consumed, Materialized.as(table)),
            (left, right) -> left + " with " + right,
            Joined.with(Serdes.String(), Serdes.Long(), Serdes.Long()))
        .to("joined", Produced.with(Serdes.String(), Serdes.String()));
    Properties properties = new Properties();
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.resolve(table.metricsScope()) + "");
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
    properties.put(EspalierStores.POOL_BYTES_CONFIG, 16 << 20);
    Random random = new Random(5);
    try (TopologyTestDriver driver =
        new TopologyTestDriver(builder.build(), properties, Instant.ofEpochMilli(0))) {
      List<TestInputTopic<String, Long>> inputs = new ArrayList<>();
      for (String topic : List.of("stream", "table", "table")) {
        inputs.add(driver.createInputTopic(topic, new StringSerializer(), new LongSerializer()));
      }
      long now = 0;
      for (int i = 0; i < 1_500; i++) {
        now += random.nextInt(2_000);
        long time = Math.max(0, now - random.nextInt(200_000));
        int input = random.nextInt(3);
        Long value = input > 0 && random.nextInt(5) == 0 ? null : (long) i;
        inputs.get(input).pipeInput("key" + random.nextInt(12), value, time);
      }
      return driver
          .createOutputTopic("joined", new StringDeserializer(), new StringDeserializer())
          .readRecordsToList()
          .stream()
          .map(Object::toString)
          .toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {StreamsConfig.AT_LEAST_ONCE, StreamsConfig.EXACTLY_ONCE_V2})
  @Tag("thorough")
  void aJoinFindsTheValueOfItsTime(String guarantee) {
    List<String> expected =
        joined(Stores.persistentVersionedKeyValueStore("table", RETENTION), guarantee);
    assertTrue(expected.size() > 100, expected.size() + " results");
    assertEquals(expected, joined(EspalierStores.versionedStore("table", RETENTION), guarantee));
  }
}
