// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topologies give the same results with these stores as with Kafka's in memory. */
class TopologyTest {
  private static final List<String> OUTPUTS = List.of("counts", "windows", "sessions", "joined");

  @TempDir Path folder;

  private static Topology topology() {
    StreamsBuilder builder = new StreamsBuilder();
    Consumed<String, Long> consumed = Consumed.with(Serdes.String(), Serdes.Long());
    KStream<String, Long> left = builder.stream("left", consumed);
    KStream<String, Long> right = builder.stream("right", consumed);
    left.groupByKey().reduce(Long::sum).toStream().mapValues(Object::toString).to("counts", out());
    left.groupByKey()
        .windowedBy(
            TimeWindows.ofSizeAndGrace(Duration.ofMinutes(1), Duration.ofMinutes(2))
                .advanceBy(Duration.ofSeconds(20)))
        .count()
        .toStream()
        .map((key, n) -> KeyValue.pair(key.toString(), n.toString()))
        .to("windows", out());
    left.groupByKey()
        .windowedBy(
            SessionWindows.ofInactivityGapAndGrace(Duration.ofSeconds(5), Duration.ofMinutes(2)))
        .count()
        .toStream()
        .map((key, n) -> KeyValue.pair(key.toString(), "" + n))
        .to("sessions", out());
    left.outerJoin(
            right,
            (one, other) -> one + "+" + other,
            JoinWindows.ofTimeDifferenceAndGrace(Duration.ofSeconds(3), Duration.ofSeconds(30)),
            StreamJoined.with(Serdes.String(), Serdes.Long(), Serdes.Long()))
        .to("joined", out());
    return builder.build();
  }

  private static Produced<String, String> out() {
    return Produced.with(Serdes.String(), Serdes.String());
  }

  private List<String> results(Class<? extends DslStoreSuppliers> stores, String guarantee) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, stores);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.resolve(stores.getSimpleName()) + "");
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
    properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.LongSerde.class);
    properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    properties.put(EspalierStores.POOL_BYTES_CONFIG, 16 << 20);
    List<String> results = new ArrayList<>();
    try (TopologyTestDriver driver =
        new TopologyTestDriver(topology(), properties, Instant.ofEpochMilli(0))) {
      List<TestInputTopic<String, Long>> inputs =
          Stream.of("left", "right")
              .map(t -> driver.createInputTopic(t, new StringSerializer(), new LongSerializer()))
              .toList();
      Random random = new Random(7);
      long now = 0;
      for (int i = 0; i < TestSize.of(400, 1_500); i++) {
        now += random.nextInt(2_000);
        inputs
            .get(random.nextInt(2))
            .pipeInput(
                "key" + random.nextInt(12),
                (long) random.nextInt(100),
                Math.max(0, now - random.nextInt(20_000)));
      }
      for (String output : OUTPUTS) {
        driver
            .createOutputTopic(output, new StringDeserializer(), new StringDeserializer())
            .readRecordsToList()
            .forEach(record -> results.add(output + ": " + record));
      }
    }
    return results;
  }

  @ParameterizedTest
  @ValueSource(strings = {StreamsConfig.AT_LEAST_ONCE, StreamsConfig.EXACTLY_ONCE_V2})
  void resultsAreThoseOfKafkasStores(String guarantee) {
    List<String> expected =
        results(BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class, guarantee);
    for (String output : OUTPUTS) {
      assertTrue(expected.stream().anyMatch(result -> result.startsWith(output)), output);
    }
    List<String> actual = results(EspalierDslStoreSuppliers.class, guarantee);
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(expected.get(i), actual.get(i), "result " + i);
    }
  }

  /** It is not part of any transaction, and is committed now and then. */
  @ParameterizedTest
  @ValueSource(strings = {StreamsConfig.AT_LEAST_ONCE, StreamsConfig.EXACTLY_ONCE_V2})
  void nothingOfAGlobalTableIsHeldBackForLong(String guarantee) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.globalTable(
        "input",
        Consumed.with(Serdes.String(), Serdes.Long()),
        Materialized.as(EspalierStores.timestampedKeyValueStore("g")));
    Properties properties = new Properties();
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
    try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), properties)) {
      TestInputTopic<String, Long> input =
          driver.createInputTopic("input", new StringSerializer(), new LongSerializer());
      for (long i = 0; i < 3; i++) {
        input.pipeInput("key" + i, i);
      }
      assertEquals(3.0, figure(driver, "entries"));
      assertEquals(0.0, figure(driver, "held-back"));
    }
  }

  private static Object figure(TopologyTestDriver driver, String name) {
    return driver.metrics().entrySet().stream()
        .filter(entry -> entry.getKey().group().equals("espalier-store-metrics"))
        .filter(entry -> entry.getKey().name().equals(name))
        .findFirst()
        .orElseThrow()
        .getValue()
        .metricValue();
  }
}
