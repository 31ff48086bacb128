// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.io.IndexStore;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateRestoreCallback;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.ResultOrder;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.VersionedBytesStore;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.jspecify.annotations.Nullable;

/**
 * A store of keys and values with their history: what each key had at a time, as long ago as the
 * retention. Records may come out of order, as late as that.
 */
class VersionedStateStore extends FileStateStore implements VersionedBytesStore {
  private final long retentionMs;
  private final long intervalMs;
  private @Nullable Entries latest;
  private @Nullable Segments history;

  VersionedStateStore(String name, long retentionMs, long intervalMs) {
    super(name);
    this.retentionMs = retentionMs;
    this.intervalMs = intervalMs;
  }

  private Entries latest() {
    return Objects.requireNonNull(latest);
  }

  private Segments history() {
    return Objects.requireNonNull(history);
  }

  private Versions versions(boolean restores) {
    checkUsable();
    return new Versions(latest(), history(), restores);
  }

  /** Returns the earliest time to which a version that has not expired can be valid. */
  private long oldest() {
    return state().streamTime - retentionMs + 1;
  }

  /** Notes the time of a record, and returns whether it is too old. */
  private boolean isExpired(long time) {
    if (time < state().streamTime - retentionMs) {
      return true;
    }
    state().streamTime = Math.max(state().streamTime, time);
    return false;
  }

  // ---------------------------------------------------------------- write

  @Override
  public long put(Bytes key, byte @Nullable [] value, long timestamp) {
    Objects.requireNonNull(key, "key");
    Versions versions = versions(false);
    if (isExpired(timestamp)) {
      countExpired();
      return VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT;
    }
    long validTo = versions.put(key, value, timestamp, oldest());
    notePosition();
    return validTo;
  }

  /** Returns the version before, as {@link #get(Bytes, long)} does. */
  @Override
  public byte @Nullable [] delete(Bytes key, long timestamp) {
    byte[] before = get(key, timestamp);
    return put(key, null, timestamp) == VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT
        ? null
        : before;
  }

  // ---------------------------------------------------------------- read

  /** Returns the time since when the key has its value, in 8 bytes, and the value. */
  @Override
  public byte @Nullable [] get(Bytes key) {
    Objects.requireNonNull(key, "key");
    return encode(reading(() -> versions(false).get(key)));
  }

  /** Does as {@link #get(Bytes)} does, for the value that the key had at a time. */
  @Override
  public byte @Nullable [] get(Bytes key, long asOfTimestamp) {
    Objects.requireNonNull(key, "key");
    return encode(version(key, asOfTimestamp));
  }

  private @Nullable VersionedRecord<byte[]> version(Bytes key, long asOf) {
    return reading(() -> versions(false).get(key, asOf, oldest()));
  }

  private static byte @Nullable [] encode(@Nullable VersionedRecord<byte[]> version) {
    return version == null
        ? null
        : ByteBuffer.allocate(Long.BYTES + version.value().length)
            .putLong(version.timestamp())
            .put(version.value())
            .array();
  }

  @Override
  @Nullable QueryResult<?> answer(Query<?> query) {
    return switch (query) {
      case VersionedKeyQuery<?, ?> one when one.asOfTimestamp().isPresent() ->
          QueryResult.forResult(
              version((Bytes) one.key(), one.asOfTimestamp().get().toEpochMilli()));
      case VersionedKeyQuery<?, ?> one ->
          QueryResult.forResult(versions(false).get((Bytes) one.key()));
      case MultiVersionedKeyQuery<?, ?> many ->
          QueryResult.forResult(
              versions(false)
                  .between(
                      (Bytes) many.key(),
                      many.fromTime().map(Instant::toEpochMilli).orElse(Long.MIN_VALUE),
                      many.toTime().map(Instant::toEpochMilli).orElse(Long.MAX_VALUE),
                      oldest(),
                      many.resultOrder() == ResultOrder.ASCENDING));
      default -> null;
    };
  }

  @Override
  public long approximateNumEntries() {
    return reading(() -> latest().size());
  }

  // ---------------------------------------------------------------- the file

  @Override
  void openEntries(IndexStore opened, boolean holdsBack) {
    latest = new Entries(opened.bytesIndex("latest"), holdsBack);
    history = new Segments(opened, holdsBack, intervalMs);
  }

  /** Takes records as they are in the changelog: others are without their time. */
  @Override
  StateRestoreCallback restoreCallback() {
    RecordBatchingStateRestoreCallback callback = this::restore;
    return callback;
  }

  private void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    Versions versions = versions(true);
    for (ConsumerRecord<byte[], byte[]> record : records) {
      if (!isExpired(record.timestamp())) {
        versions.put(Bytes.wrap(record.key()), record.value(), record.timestamp(), oldest());
      }
    }
    history().dropBefore(oldest());
  }

  @Override
  void addChanges(CommitBatches batches) {
    latest().addChanges(batches);
    history().since(oldest()).forEach(entries -> entries.addChanges(batches));
  }

  /**
   * Gives up the entries until the commit has ended. A replay goes by the versions that it finds:
   * if those of one put are there and those of an earlier one are not, it goes wrong, in whatever
   * order they are stored. Without its offset the store is restored from the start.
   */
  @Override
  void beforePart(int number) {
    if (number == 0) {
      commitUnfinished();
    }
  }

  @Override
  void forgetChanges() {
    latest().forgetChanges();
    history().all().forEach(Entries::forgetChanges);
    history().dropBefore(oldest());
  }

  @Override
  long entryCount() {
    return latest().size() + history().size();
  }

  @Override
  long heldBackCount() {
    return latest().heldBack() + history().all().stream().mapToLong(Entries::heldBack).sum();
  }

  // ---------------------------------------------------------------- what has no time

  private static UnsupportedOperationException withoutTime() {
    return new UnsupportedOperationException(
        "a versioned store has put, get and delete with a timestamp, and get of the latest value");
  }

  @Override
  public void put(Bytes key, byte[] value) {
    throw withoutTime();
  }

  @Override
  public byte[] putIfAbsent(Bytes key, byte[] value) {
    throw withoutTime();
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
    throw withoutTime();
  }

  @Override
  public byte[] delete(Bytes key) {
    throw withoutTime();
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
    throw withoutTime();
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseRange(Bytes from, Bytes to) {
    throw withoutTime();
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> all() {
    throw withoutTime();
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseAll() {
    throw withoutTime();
  }

  @Override
  public <S extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
      P prefix, S serializer) {
    throw withoutTime();
  }
}
