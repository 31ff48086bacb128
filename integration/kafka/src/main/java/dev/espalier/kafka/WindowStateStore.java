// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.TimeWindow;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.WindowKeyQuery;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.jspecify.annotations.Nullable;

/** A store of windows: values by key and by the time at which their window starts. */
class WindowStateStore extends TimedStateStore implements WindowStore<Bytes, byte[]> {
  private final long windowMs;
  private final boolean retainsDuplicates;

  WindowStateStore(EspalierStores.WindowSupplier supplier) {
    super(supplier.name(), supplier.retentionPeriod(), supplier.segmentIntervalMs());
    this.windowMs = supplier.windowSize();
    this.retainsDuplicates = supplier.retainDuplicates();
  }

  /** A store whose values begin with a timestamp, as its type tells Kafka. */
  static final class Timestamped extends WindowStateStore implements TimestampedBytesStore {
    Timestamped(EspalierStores.WindowSupplier supplier) {
      super(supplier);
    }
  }

  /** Reads key, start of the window in 8 bytes, and number in 4. */
  @Override
  TimedKey changelogKey(byte[] bytes) {
    int end = bytes.length - Long.BYTES - Integer.BYTES;
    ByteBuffer numbers = ByteBuffer.wrap(bytes, end, Long.BYTES + Integer.BYTES);
    return new TimedKey(
        Bytes.wrap(Arrays.copyOf(bytes, end)),
        numbers.getLong(),
        state().sequenceBefore + numbers.getInt());
  }

  /** Sees to it that new duplicates have other numbers than those that are restored. */
  @Override
  void noteRestored(TimedKey key) {
    state().sequence = Math.max(state().sequence, key.second());
  }

  @Override
  public void put(Bytes key, byte @Nullable [] value, long windowStartTimestamp) {
    Objects.requireNonNull(key, "key");
    long number = retainsDuplicates ? nextNumber() : 0;
    TimedKey timed = new TimedKey(key, windowStartTimestamp, number);
    put(timed, value); // Among duplicates, null removes nothing: its number is new.
  }

  /**
   * Returns the number of the next entry. With the first one, what the changelog's numbers begin
   * with is committed: a replay after a crash then finds the entries that are there already.
   */
  private long nextNumber() {
    checkUsable();
    CommittedState state = state();
    if (!state.isNumbered) {
      state.isNumbered = true;
      state.sequenceBefore = state.sequence;
      if (!holdsBack()) {
        commitOffsets(Map.of());
      }
    }
    return ++state.sequence;
  }

  /**
   * Gives up the entries until the commit has ended. A replay would not find those that a crash has
   * left without the commit's note, and store them once more.
   */
  @Override
  void beforeChanges() {
    if (retainsDuplicates && heldBackCount() > 0) {
      commitUnfinished();
    }
  }

  @Override
  public byte @Nullable [] fetch(Bytes key, long time) {
    Objects.requireNonNull(key, "key");
    return get(
        time,
        retainsDuplicates
            ? entries -> last(entries, key, time)
            : entries -> entries.get(new TimedKey(key, time, 0).encode()));
  }

  private static byte @Nullable [] last(Entries entries, Bytes key, long time) {
    EntryIterator last =
        entries.range(TimedKey.lowest(key, time), TimedKey.highest(key, time), true, false);
    return last.hasNext() ? last.next().value : null;
  }

  @Override
  public WindowStoreIterator<byte[]> fetch(Bytes key, long timeFrom, long timeTo) {
    return ofKey(key, timeFrom, timeTo, true);
  }

  @Override
  public WindowStoreIterator<byte[]> backwardFetch(Bytes key, long timeFrom, long timeTo) {
    return ofKey(key, timeFrom, timeTo, false);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long timeFrom, long timeTo) {
    return ofKeys(keyFrom, keyTo, timeFrom, timeTo, true, this::windowed);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long timeFrom, long timeTo) {
    return ofKeys(keyFrom, keyTo, timeFrom, timeTo, false, this::windowed);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetchAll(long timeFrom, long timeTo) {
    return fetch(null, null, timeFrom, timeTo);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetchAll(long timeFrom, long timeTo) {
    return backwardFetch(null, null, timeFrom, timeTo);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> all() {
    return fetchAll(0, Long.MAX_VALUE);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardAll() {
    return backwardFetchAll(0, Long.MAX_VALUE);
  }

  private Windowed<Bytes> windowed(TimedKey key) {
    long end = key.time() + windowMs;
    return new Windowed<>(key.key(), new TimeWindow(key.time(), end < 0 ? Long.MAX_VALUE : end));
  }

  @Override
  @Nullable QueryResult<?> answer(Query<?> query) {
    return switch (query) {
      case WindowKeyQuery<?, ?> one
          when one.getTimeFrom().isPresent() && one.getTimeTo().isPresent() ->
          QueryResult.forResult(
              fetch((Bytes) one.getKey(), ms(one.getTimeFrom().get()), ms(one.getTimeTo().get())));
      case WindowRangeQuery<?, ?> range
          when range.getTimeFrom().isPresent() && range.getTimeTo().isPresent() ->
          QueryResult.forResult(
              fetchAll(ms(range.getTimeFrom().get()), ms(range.getTimeTo().get())));
      default -> null;
    };
  }

  private static long ms(Instant time) {
    return time.toEpochMilli();
  }
}
