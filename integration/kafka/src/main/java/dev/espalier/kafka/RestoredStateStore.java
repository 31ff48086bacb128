// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.util.Collection;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.BatchingStateRestoreCallback;
import org.apache.kafka.streams.processor.StateRestoreCallback;
import org.jspecify.annotations.Nullable;

/**
 * A store whose entries are those of its changelog: without entries, it is restored by sorting, as
 * {@link Restoration} says.
 */
abstract class RestoredStateStore extends FileStateStore {
  private volatile @Nullable Restoration restoration;

  /** Returns nanoseconds; a test may have another. */
  LongSupplier clock = System::nanoTime;

  RestoredStateStore(String name) {
    super(name);
  }

  /** Returns whether there are no entries in the file. */
  abstract boolean isEmpty();

  /** Hands records of the changelog on, each with the entries to which it belongs. */
  abstract void restore(Collection<KeyValue<byte[], byte[]>> records, RestoreTarget target);

  /** Returns about how many entries there are in the file, and held back. */
  abstract long storedCount();

  @Override
  final StateRestoreCallback restoreCallback() {
    BatchingStateRestoreCallback callback = this::restore;
    return callback;
  }

  private synchronized void restore(Collection<KeyValue<byte[], byte[]>> records) {
    checkOpen();
    if (restoration == null && isEmpty()) {
      restoration = new Restoration(folder(), clock);
    }
    if (restoration != null) {
      restore(records, restoration);
    } else {
      RestoreBatch batch = new RestoreBatch();
      restore(records, batch);
      batch.store();
    }
  }

  @Override
  final void beforeUse() {
    if (restoration != null) {
      load();
    }
  }

  /** Stores what is sorted, and commits the offsets that belong to it. */
  private synchronized void load() {
    Restoration sorted = restoration;
    if (sorted != null) {
      sorted.load();
      sorted.close();
      commitOffsets(sorted.offsets);
      restoration = null;
    }
  }

  /** Keeps the offsets of what is being restored, or loads it if that takes too long. */
  @Override
  final synchronized boolean defersCommit(Map<TopicPartition, Long> changelogOffsets) {
    Restoration sorted = restoration;
    if (sorted == null) {
      return false;
    }
    sorted.offsets.putAll(changelogOffsets);
    if (sorted.hasTakenLong()) {
      load();
    }
    return true;
  }

  /** Loads what was restored if anything of it was committed; otherwise all comes again. */
  @Override
  final synchronized void beforeClose() {
    try (Restoration sorted = restoration) {
      if (sorted != null && !sorted.offsets.isEmpty()) {
        load();
      }
    } finally {
      restoration = null;
    }
  }

  @Override
  final long entryCount() {
    Restoration sorted = restoration;
    return storedCount() + (sorted == null ? 0 : sorted.added());
  }
}
