// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.io.IndexStore;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A store whose entries have a time and expire: as in Kafka's own stores, those are shown that are
 * less than the retention older than the latest one. Segments of entries that have all expired are
 * dropped at the next commit.
 */
abstract class TimedStateStore extends RestoredStateStore {
  private final long retentionMs;
  private final long intervalMs;
  private @Nullable Segments segments;
  private boolean holdsBack;

  TimedStateStore(String name, long retentionMs, long intervalMs) {
    super(name);
    this.retentionMs = retentionMs;
    this.intervalMs = intervalMs;
  }

  /** Returns the key of a record of the changelog, whose bytes are as Kafka writes them. */
  abstract TimedKey changelogKey(byte[] bytes);

  /** Is told of an entry that is restored. */
  void noteRestored(TimedKey key) {}

  /** Returns the segments, with all that was restored. */
  private Segments segments() {
    checkUsable();
    return opened();
  }

  private Segments opened() {
    return Objects.requireNonNull(segments);
  }

  /** Returns the earliest time of an entry that has not expired. */
  private long oldest() {
    return state().streamTime - retentionMs + 1;
  }

  /** Notes the time of an entry, and returns whether it is too old. */
  private boolean isExpired(long time) {
    state().streamTime = Math.max(state().streamTime, time);
    return time < oldest();
  }

  // ---------------------------------------------------------------- entries

  /** Stores a value, or removes the entry if the value is null; the key's time passes. */
  final void put(TimedKey key, byte @Nullable [] value) {
    Segments all = segments();
    if (isExpired(key.time())) {
      countExpired();
    } else {
      Entries entries = value == null ? all.ifThere(key.time()) : all.at(key.time());
      if (entries != null) {
        entries.put(key.encode(), value);
      }
    }
    notePosition();
  }

  /** Removes an entry; time does not pass. */
  final void remove(TimedKey key) {
    Entries entries = segments().ifThere(key.time());
    if (entries != null) {
      entries.put(key.encode(), null);
    }
    notePosition();
  }

  /**
   * Returns what a segment tells of an entry, or null if it has expired.
   *
   * @param time of the entry
   */
  final byte @Nullable [] get(long time, Function<Entries, byte @Nullable []> value) {
    Segments all = segments();
    Entries entries = time < oldest() ? null : all.ifThere(time);
    if (entries == null) {
      return null;
    }
    try {
      return reading(() -> value.apply(entries));
    } catch (IllegalStateException | InvalidStateStoreException e) {
      if (all.isDropped(entries)) {
        return null;
      }
      throw e;
    }
  }

  /** Returns the entries of one key. */
  final TimedIterator.OfKey ofKey(Bytes key, long from, long to, boolean forward) {
    Objects.requireNonNull(key, "key");
    long first = Math.max(from, oldest());
    return reading(
        () ->
            new TimedIterator.OfKey(
                segments(),
                segments().between(first, to, forward),
                entries -> range(entries, key, first, to, forward)));
  }

  /** Returns the entries of one key, under keys of another kind. */
  final <K> TimedIterator<K> ofKey(
      Bytes key, long from, boolean forward, Function<TimedKey, @Nullable K> select) {
    Objects.requireNonNull(key, "key");
    long first = Math.max(from, oldest());
    return reading(
        () ->
            new TimedIterator<>(
                segments(),
                segments().between(first, Long.MAX_VALUE, forward),
                entries -> range(entries, key, first, Long.MAX_VALUE, forward),
                select));
  }

  private static EntryIterator range(
      Entries entries, Bytes key, long from, long to, boolean forward) {
    return entries.range(TimedKey.lowest(key, from), TimedKey.highest(key, to), true, forward);
  }

  /** Returns the entries of a range of keys; null is no bound. */
  final <K> TimedIterator<K> ofKeys(
      @Nullable Bytes from,
      @Nullable Bytes to,
      long earliest,
      long latest,
      boolean forward,
      Function<TimedKey, @Nullable K> select) {
    long first = Math.max(earliest, oldest());
    Bytes lowest = from == null ? null : Bytes.wrap(TimedKey.prefix(from));
    Bytes end = to == null ? null : Entries.endOfPrefix(TimedKey.prefix(to));
    return reading(
        () ->
            new TimedIterator<>(
                segments(),
                segments().between(first, latest, forward),
                entries -> entries.range(lowest, end, false, forward),
                key -> key.time() < first || key.time() > latest ? null : select.apply(key)));
  }

  // ---------------------------------------------------------------- the file

  @Override
  final void openEntries(IndexStore opened, boolean holdsChangesBack) {
    holdsBack = holdsChangesBack;
    segments = new Segments(opened, holdsBack, intervalMs);
  }

  /** Returns whether changes wait for the commit. */
  final boolean holdsBack() {
    return holdsBack;
  }

  @Override
  final boolean isEmpty() {
    return opened().all().stream().allMatch(Entries::isEmpty);
  }

  /** Drops segments that have expired at once: what is in the changelog is committed. */
  @Override
  final void restore(Collection<KeyValue<byte[], byte[]>> records, RestoreTarget target) {
    for (KeyValue<byte[], byte[]> record : records) {
      TimedKey key = changelogKey(record.key);
      if (!isExpired(key.time())) {
        noteRestored(key);
        target.add(opened().at(key.time()), key.encode().get(), record.value);
      }
    }
    opened().dropBefore(oldest()).forEach(target::forget);
  }

  @Override
  final void addChanges(CommitBatches batches) {
    opened().since(oldest()).forEach(entries -> entries.addChanges(batches));
  }

  @Override
  final void forgetChanges() {
    opened().all().forEach(Entries::forgetChanges);
    opened().dropBefore(oldest());
  }

  @Override
  final long storedCount() {
    return opened().size();
  }

  @Override
  final long heldBackCount() {
    return opened().all().stream().mapToLong(Entries::heldBack).sum();
  }
}
