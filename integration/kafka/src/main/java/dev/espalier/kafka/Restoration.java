// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.jspecify.annotations.Nullable;

/**
 * The records of a changelog that a store without entries is restored from. They are sorted as they
 * come, outside of the store's file, and loaded at once: sorting costs a fraction of storing each
 * where it belongs. Kafka does not tell a store when its changelog ends, so what was sorted is
 * loaded when it is first needed.
 *
 * <p>Until then nothing of it is in the file, nor are the offsets that Kafka commits meanwhile.
 */
final class Restoration implements RestoreTarget, AutoCloseable {
  /** A store that nobody reads, such as a standby's, is loaded at the first commit after this. */
  static final Duration MOST = Duration.ofMinutes(5);

  private final Path folder;
  private final LongSupplier clock;
  private final long began;
  private final Map<Entries, RestoreSorter> sorters = new HashMap<>();

  /** What is to be committed with the entries. */
  final Map<TopicPartition, Long> offsets = new HashMap<>();

  private @Nullable Throwable failure;

  private final AtomicLong added = new AtomicLong();

  /**
   * Begins without records.
   *
   * @param folder for temporary files
   * @param clock returns nanoseconds
   */
  Restoration(Path folder, LongSupplier clock) {
    this.folder = folder;
    this.clock = clock;
    this.began = clock.getAsLong();
  }

  @Override
  public void add(Entries entries, byte[] key, byte @Nullable [] value) {
    failing(() -> sorters.computeIfAbsent(entries, _ -> new RestoreSorter(folder)).add(key, value));
    added.incrementAndGet();
  }

  @Override
  public void forget(Entries entries) {
    RestoreSorter sorter = sorters.remove(entries);
    if (sorter != null) {
      added.addAndGet(-sorter.added());
      sorter.close();
    }
  }

  /** Returns how many records wait; any thread may ask. */
  long added() {
    return added.get();
  }

  boolean hasTakenLong() {
    return clock.getAsLong() - began > MOST.toNanos();
  }

  /** Stores the entries, durably. */
  void load() {
    failing(() -> sorters.forEach(Entries::load));
  }

  /** Does a part of the work; if one fails, records are lost, and all that follow fail as well. */
  private void failing(Runnable work) {
    if (failure == null) {
      try {
        work.run();
        return;
      } catch (RuntimeException | Error failed) {
        failure = failed;
      }
    }
    throw new ProcessorStateException(
        "the changelog could not be restored: " + failure.getMessage(), failure);
  }

  @Override
  public void close() {
    sorters.values().forEach(RestoreSorter::close);
  }
}
