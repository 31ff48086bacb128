// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/** The example of docs/engines.md. */
final class KafkaExample {
  private KafkaExample() {}

  static void run(Path folder) {
    // Shown:
    StreamsBuilder builder = new StreamsBuilder();
    builder.stream("words", Consumed.with(Serdes.String(), Serdes.String()))
        .groupBy((_, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
        .count(Materialized.as("counts"));

    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "word-count");
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    properties.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, EspalierDslStoreSuppliers.class);
    properties.put(EspalierStores.POOL_BYTES_CONFIG, 256 << 20);

    try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), properties)) {
      TestInputTopic<String, String> words =
          driver.createInputTopic("words", new StringSerializer(), new StringSerializer());
      words.pipeInput("to");
      words.pipeInput("be");
      words.pipeInput("to");
      ReadOnlyKeyValueStore<String, Object> counts = driver.getKeyValueStore("counts");
      System.out.println("to: " + counts.get("to"));
    }
  }
}
