// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.io.File;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.BatchingStateRestoreCallback;
import org.apache.kafka.streams.processor.CommitCallback;
import org.apache.kafka.streams.processor.StateRestoreCallback;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;
import org.jspecify.annotations.Nullable;

/** What Kafka gives a store, for stores that a test opens itself. */
final class TestContext implements StateStoreContext {
  private final MockProcessorContext<Object, Object> mock;
  private final Map<String, Object> configuration;
  private @Nullable StateRestoreCallback restore;

  /** What is thrown in place of the registration of a store. */
  @Nullable RuntimeException refusal;

  TestContext(Path folder, boolean exactlyOnce) {
    this(folder, exactlyOnce, Map.of());
  }

  TestContext(Path folder, boolean exactlyOnce, Map<String, ?> more) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
    properties.put(
        StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
        exactlyOnce ? StreamsConfig.EXACTLY_ONCE_V2 : StreamsConfig.AT_LEAST_ONCE);
    properties.put(EspalierStores.POOL_BYTES_CONFIG, "4194304");
    properties.putAll(more);
    mock = new MockProcessorContext<>(properties, new TaskId(0, 0), folder.toFile());
    configuration = mock.appConfigs();
    configuration.put(
        EspalierStores.POOL_BYTES_CONFIG, properties.get(EspalierStores.POOL_BYTES_CONFIG));
  }

  /** Opens a store in the folder. */
  <S extends StateStore> S open(S store) {
    store.init(this, store);
    return store;
  }

  /** Gives the store records of its changelog. */
  void restore(Collection<KeyValue<byte[], byte[]>> records) {
    StateRestoreCallback callback = Objects.requireNonNull(restore);
    if (callback instanceof RecordBatchingStateRestoreCallback ofKafka) {
      ofKafka.restoreBatch(
          records.stream()
              .map(record -> new ConsumerRecord<>("changelog", 0, 0, record.key, record.value))
              .toList());
    } else {
      ((BatchingStateRestoreCallback) callback).restoreAll(records);
    }
  }

  /** Gives the store records of its changelog, with their times. */
  void restoreRecords(Collection<ConsumerRecord<byte[], byte[]>> records) {
    ((RecordBatchingStateRestoreCallback) Objects.requireNonNull(restore)).restoreBatch(records);
  }

  /** Lets the next entries be made from a record of topic "input", partition 0. */
  void setOffset(long offset) {
    mock.setRecordMetadata("input", 0, offset);
  }

  @Override
  public String applicationId() {
    return mock.applicationId();
  }

  @Override
  public TaskId taskId() {
    return mock.taskId();
  }

  @Override
  public Optional<RecordMetadata> recordMetadata() {
    return mock.recordMetadata();
  }

  @Override
  public Serde<?> keySerde() {
    return mock.keySerde();
  }

  @Override
  public Serde<?> valueSerde() {
    return mock.valueSerde();
  }

  @Override
  public File stateDir() {
    return mock.stateDir();
  }

  @Override
  public StreamsMetrics metrics() {
    return mock.metrics();
  }

  @Override
  public void register(StateStore store, StateRestoreCallback callback) {
    if (refusal != null) {
      throw refusal;
    }
    restore = callback;
  }

  @Override
  public void register(
      StateStore store, StateRestoreCallback callback, CommitCallback commitCallback) {
    restore = callback;
  }

  @Override
  public Map<String, Object> appConfigs() {
    return configuration;
  }

  @Override
  public Map<String, Object> appConfigsWithPrefix(String prefix) {
    return mock.appConfigsWithPrefix(prefix);
  }
}
