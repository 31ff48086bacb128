// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;

/**
 * State stores for Kafka Streams, to use in place of those of {@code Stores}:
 *
 * {@snippet :
 * KTable<String, Long> counts =
 *     words.groupByKey()
 *         .count(Materialized.as(EspalierStores.timestampedKeyValueStore("counts")));
 * }
 *
 * <p>Each store has its entries in one file, in the task's folder of the state directory. The part
 * of them that is in use is in memory outside the heap, which all stores of a process share.
 * {@value #POOL_BYTES_CONFIG} in the configuration of the application sets its size in bytes; the
 * first store that is opened decides. By default it is the pool that all index files of the process
 * share, up to a quarter of its memory.
 *
 * <p>A store keeps the offset of its changelog together with its entries, so a restart replays only
 * what came after the last commit of the store, even after a crash. With exactly-once processing,
 * what was written since that commit is held back in the heap until the next one, so it never
 * survives without it. Kafka 4.3.1 does not commit stores while a task with exactly-once processing
 * runs, only when the task ends: until then, all keys that it has changed are in the heap.
 *
 * <p>Iterators hold no resources that would have to be released: one that is never closed costs
 * nothing. They show each entry that is present throughout once, in order, and may or may not show
 * what is written meanwhile.
 */
public final class EspalierStores {
  /**
   * The key in the application's configuration for the number of bytes of memory that all stores of
   * the process share.
   */
  public static final String POOL_BYTES_CONFIG = "espalier.pool.bytes";

  /** Stores of Kafka make no shorter segments. */
  private static final long LEAST_SEGMENT_MS = 60_000;

  private static final String METRICS_SCOPE = "espalier";

  private EspalierStores() {}

  /**
   * Returns a supplier of stores of keys and values, for {@code Stores.keyValueStoreBuilder}.
   *
   * @param name the name of the store
   */
  public static KeyValueBytesStoreSupplier keyValueStore(String name) {
    return new KeyValueSupplier(name, false);
  }

  /**
   * Returns a supplier of stores of keys, and values with a timestamp: for {@code Materialized.as},
   * and for {@code Stores.timestampedKeyValueStoreBuilder}.
   *
   * @param name the name of the store
   */
  public static KeyValueBytesStoreSupplier timestampedKeyValueStore(String name) {
    return new KeyValueSupplier(name, true);
  }

  /**
   * Returns a supplier of stores of windows, for {@code Stores.windowStoreBuilder}.
   *
   * @param name the name of the store
   * @param retention how long to keep a window after it has started, by the time of records
   * @param windowSize how long a window is; at most the retention
   * @param retainDuplicates whether a key may have several values in one window, which joins
   *     between streams need
   */
  public static WindowBytesStoreSupplier windowStore(
      String name, Duration retention, Duration windowSize, boolean retainDuplicates) {
    return window(name, retention, windowSize, retainDuplicates, false);
  }

  /**
   * Returns a supplier as {@link #windowStore} does, but for values with a timestamp: for {@code
   * Materialized.as}, and for {@code Stores.timestampedWindowStoreBuilder}.
   */
  public static WindowBytesStoreSupplier timestampedWindowStore(
      String name, Duration retention, Duration windowSize, boolean retainDuplicates) {
    return window(name, retention, windowSize, retainDuplicates, true);
  }

  private static WindowSupplier window(
      String name,
      Duration retention,
      Duration windowSize,
      boolean duplicates,
      boolean timestamped) {
    long retentionMs = milliseconds("retention", retention);
    long windowMs = milliseconds("windowSize", windowSize);
    if (windowMs > retentionMs) {
      throw new IllegalArgumentException(
          "windowSize is %s; it must be at most the retention, %s"
              .formatted(windowSize, retention));
    }
    return new WindowSupplier(name, retentionMs, windowMs, duplicates, timestamped);
  }

  /**
   * Returns a supplier of stores of sessions, for {@code Materialized.as} and {@code
   * Stores.sessionStoreBuilder}.
   *
   * @param name the name of the store
   * @param retention how long to keep a session after its end, by the time of records
   */
  public static SessionBytesStoreSupplier sessionStore(String name, Duration retention) {
    return new SessionSupplier(name, milliseconds("retention", retention));
  }

  /**
   * Returns a supplier of stores that keep the history of each key, for {@code Materialized.as} and
   * {@code Stores.versionedKeyValueStoreBuilder}.
   *
   * @param name the name of the store
   * @param historyRetention how long to keep a value after another has taken its place, by the time
   *     of records; also how late a record may come
   */
  public static VersionedBytesStoreSupplier versionedStore(String name, Duration historyRetention) {
    return new VersionedSupplier(name, milliseconds("historyRetention", historyRetention));
  }

  private static long milliseconds(String name, Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(
          "%s is %s; it must not be negative".formatted(name, duration));
    }
    return duration.toMillis();
  }

  /** Returns how long a segment is: a few of them make up the retention. */
  private static long segmentIntervalMs(long retentionMs) {
    return Math.max(retentionMs / 2, LEAST_SEGMENT_MS);
  }

  /** Makes one store for each task. */
  record KeyValueSupplier(String name, boolean isTimestamped)
      implements KeyValueBytesStoreSupplier {
    KeyValueSupplier {
      Objects.requireNonNull(name, "name");
    }

    @Override
    public KeyValueStore<Bytes, byte[]> get() {
      return isTimestamped
          ? new KeyValueStateStore.Timestamped(name)
          : new KeyValueStateStore(name);
    }

    @Override
    public String metricsScope() {
      return METRICS_SCOPE;
    }
  }

  /** Makes one store for each task. */
  record WindowSupplier(
      String name,
      long retentionPeriod,
      long windowSize,
      boolean retainDuplicates,
      boolean isTimestamped)
      implements WindowBytesStoreSupplier {
    WindowSupplier {
      Objects.requireNonNull(name, "name");
    }

    @Override
    public long segmentIntervalMs() {
      return EspalierStores.segmentIntervalMs(retentionPeriod);
    }

    @Override
    public WindowStore<Bytes, byte[]> get() {
      return isTimestamped ? new WindowStateStore.Timestamped(this) : new WindowStateStore(this);
    }

    @Override
    public String metricsScope() {
      return METRICS_SCOPE;
    }
  }

  /** Makes one store for each task. */
  record VersionedSupplier(String name, long historyRetentionMs)
      implements VersionedBytesStoreSupplier {
    VersionedSupplier {
      Objects.requireNonNull(name, "name");
    }

    @Override
    public KeyValueStore<Bytes, byte[]> get() {
      return new VersionedStateStore(
          name, historyRetentionMs, segmentIntervalMs(historyRetentionMs));
    }

    @Override
    public String metricsScope() {
      return METRICS_SCOPE;
    }
  }

  /** Makes one store for each task. */
  record SessionSupplier(String name, long retentionPeriod) implements SessionBytesStoreSupplier {
    SessionSupplier {
      Objects.requireNonNull(name, "name");
    }

    @Override
    public long segmentIntervalMs() {
      return EspalierStores.segmentIntervalMs(retentionPeriod);
    }

    @Override
    public SessionStore<Bytes, byte[]> get() {
      return new SessionStateStore(this);
    }

    @Override
    public String metricsScope() {
      return METRICS_SCOPE;
    }
  }
}
