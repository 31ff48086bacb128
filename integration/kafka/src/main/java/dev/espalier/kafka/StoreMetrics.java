// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.CumulativeCount;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.processor.StateStoreContext;

/** What a store tells in Kafka's registry, as group {@code espalier-store-metrics}. */
final class StoreMetrics {
  private static final String GROUP = "espalier-store-metrics";

  private final StreamsMetrics registry;
  private final Sensor sizes;
  private final Sensor expired;

  StoreMetrics(StateStoreContext context, FileStateStore store) {
    registry = context.metrics();
    String id = "espalier." + context.taskId() + "." + store.name();
    Map<String, String> tags =
        Map.of("task-id", context.taskId().toString(), "store", store.name());
    sizes = registry.addSensor(id + ".sizes", Sensor.RecordingLevel.INFO);
    sizes.add(
        name("entries", "about how many entries there are", tags), when(store::entryCount, store));
    sizes.add(
        name("held-back", "changes that wait for the next commit, in the heap", tags),
        when(store::heldBackCount, store));
    sizes.add(name("file-bytes", "bytes of the file", tags), when(store::fileBytes, store));
    expired = registry.addSensor(id + ".expired", Sensor.RecordingLevel.INFO);
    expired.add(
        name("expired-total", "records that came after their retention", tags),
        new CumulativeCount());
  }

  private static MetricName name(String name, String description, Map<String, String> tags) {
    return new MetricName(name, GROUP, description, tags);
  }

  /** A figure that is asked for, and 0 while the store is closed. */
  private static MeasurableStat when(LongSupplier figure, FileStateStore store) {
    return new MeasurableStat() {
      @Override
      public double measure(MetricConfig config, long now) {
        try {
          return store.reading(figure::getAsLong);
        } catch (InvalidStateStoreException _) {
          return 0; // It is closed.
        }
      }

      @Override
      public void record(MetricConfig config, double value, long time) {}
    };
  }

  void countExpired() {
    expired.record();
  }

  void close() {
    registry.removeSensor(sizes);
    registry.removeSensor(expired);
  }
}
