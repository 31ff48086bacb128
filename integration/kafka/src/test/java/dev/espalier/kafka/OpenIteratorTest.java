// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program ends with iterators that it has not closed. */
class OpenIteratorTest {
  @TempDir Path folder;

  private TopologyTestDriver driver() {
    StreamsBuilder builder = new StreamsBuilder();
    builder.table(
        "input",
        Consumed.with(Serdes.String(), Serdes.Long()),
        Materialized.as(EspalierStores.keyValueStore("s")));
    Properties properties = new Properties();
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    properties.put(EspalierStores.POOL_BYTES_CONFIG, 1 << 20);
    return new TopologyTestDriver(builder.build(), properties);
  }

  private static Object openIterators(TopologyTestDriver driver) {
    return driver.metrics().entrySet().stream()
        .filter(entry -> entry.getKey().name().equals("num-open-iterators"))
        .findFirst()
        .orElseThrow()
        .getValue()
        .metricValue();
  }

  @Test
  void kafkasMetricWarnsAndNothingElseHappens() {
    List<KeyValueIterator<String, Long>> left = new ArrayList<>();
    try (TopologyTestDriver driver = driver()) {
      TestInputTopic<String, Long> input =
          driver.createInputTopic("input", new StringSerializer(), new LongSerializer());
      for (long i = 0; i < 2_000; i++) {
        input.pipeInput("key" + i, i);
      }
      KeyValueStore<String, Long> store = driver.getKeyValueStore("s");
      for (int i = 0; i < 1_000; i++) { // More than there are pages in the pool.
        KeyValueIterator<String, Long> iterator = store.range("key" + i, null);
        iterator.next();
        left.add(iterator);
      }
      assertEquals(1_000L, openIterators(driver));
      left.removeLast().close();
      assertEquals(999L, openIterators(driver));
      input.pipeInput("another", 1L);
      assertEquals(2_001, store.approximateNumEntries());
    }
    assertThrows(InvalidStateStoreException.class, () -> left.getFirst().forEachRemaining(_ -> {}));
  }
}
