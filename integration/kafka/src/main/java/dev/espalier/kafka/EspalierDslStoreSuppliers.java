// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import org.apache.kafka.streams.DslStoreFormat;
import org.apache.kafka.streams.state.DslKeyValueParams;
import org.apache.kafka.streams.state.DslSessionParams;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.apache.kafka.streams.state.DslWindowParams;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;

/**
 * Makes all stores of a topology come from {@link EspalierStores}, with one line of configuration:
 * {@code dsl.store.suppliers.class=dev.espalier.kafka.EspalierDslStoreSuppliers}.
 */
public final class EspalierDslStoreSuppliers implements DslStoreSuppliers {
  /** Made by Kafka Streams. */
  public EspalierDslStoreSuppliers() {}

  @Override
  public KeyValueBytesStoreSupplier keyValueStore(DslKeyValueParams params) {
    return params.dslStoreFormat() == DslStoreFormat.PLAIN
        ? EspalierStores.keyValueStore(params.name())
        : EspalierStores.timestampedKeyValueStore(params.name());
  }

  @Override
  public WindowBytesStoreSupplier windowStore(DslWindowParams params) {
    return params.dslStoreFormat() == DslStoreFormat.PLAIN
        ? EspalierStores.windowStore(
            params.name(), params.retentionPeriod(), params.windowSize(), params.retainDuplicates())
        : EspalierStores.timestampedWindowStore(
            params.name(),
            params.retentionPeriod(),
            params.windowSize(),
            params.retainDuplicates());
  }

  @Override
  public SessionBytesStoreSupplier sessionStore(DslSessionParams params) {
    return EspalierStores.sessionStore(params.name(), params.retentionPeriod());
  }
}
