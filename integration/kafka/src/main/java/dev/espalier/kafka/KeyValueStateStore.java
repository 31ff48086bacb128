// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.io.IndexStore;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.query.ResultOrder;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.jspecify.annotations.Nullable;

/** A store of keys and values, in one index. */
class KeyValueStateStore extends RestoredStateStore implements KeyValueStore<Bytes, byte[]> {
  private @Nullable Entries entries;

  KeyValueStateStore(String name) {
    super(name);
  }

  /** A store whose values begin with a timestamp, as its type tells Kafka. */
  static final class Timestamped extends KeyValueStateStore implements TimestampedBytesStore {
    Timestamped(String name) {
      super(name);
    }
  }

  /** Returns the entries, all that was restored included. */
  private Entries entries() {
    checkUsable();
    return opened();
  }

  private Entries opened() {
    return Objects.requireNonNull(entries);
  }

  // ---------------------------------------------------------------- write

  @Override
  public void put(Bytes key, byte @Nullable [] value) {
    entries().put(Objects.requireNonNull(key, "key"), value);
    notePosition();
  }

  @Override
  public byte @Nullable [] putIfAbsent(Bytes key, byte[] value) {
    byte[] before = get(key);
    if (before == null) {
      put(key, value);
    }
    return before;
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> all) {
    all.forEach(entry -> put(entry.key, entry.value));
  }

  @Override
  public byte @Nullable [] delete(Bytes key) {
    byte[] before = get(key);
    put(key, null);
    return before;
  }

  // ---------------------------------------------------------------- read

  @Override
  public byte @Nullable [] get(Bytes key) {
    Objects.requireNonNull(key, "key");
    return reading(() -> entries().get(key));
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> range(@Nullable Bytes from, @Nullable Bytes to) {
    return range(from, to, true);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseRange(@Nullable Bytes from, @Nullable Bytes to) {
    return range(from, to, false);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> all() {
    return range(null, null, true);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseAll() {
    return range(null, null, false);
  }

  private KeyValueIterator<Bytes, byte[]> range(
      @Nullable Bytes from, @Nullable Bytes to, boolean forward) {
    return reading(() -> entries().range(from, to, true, forward));
  }

  @Override
  public <S extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
      P prefix, S serializer) {
    byte[] bytes = serializer.serialize(null, prefix);
    return reading(
        () -> entries().range(Bytes.wrap(bytes), Entries.endOfPrefix(bytes), false, true));
  }

  @Override
  public long approximateNumEntries() {
    return reading(() -> entries().size());
  }

  @Override
  @Nullable QueryResult<?> answer(Query<?> query) {
    return switch (query) {
      case KeyQuery<?, ?> one -> QueryResult.forResult(get((Bytes) one.getKey()));
      case RangeQuery<?, ?> range ->
          QueryResult.forResult(
              range(
                  (Bytes) range.getLowerBound().orElse(null),
                  (Bytes) range.getUpperBound().orElse(null),
                  range.resultOrder() != ResultOrder.DESCENDING));
      default -> null;
    };
  }

  // ---------------------------------------------------------------- the file

  @Override
  void openEntries(IndexStore opened, boolean holdsBack) {
    entries = new Entries(opened.bytesIndex("entries"), holdsBack);
  }

  @Override
  boolean isEmpty() {
    return opened().isEmpty();
  }

  @Override
  void restore(Collection<KeyValue<byte[], byte[]>> records, RestoreTarget target) {
    records.forEach(record -> target.add(opened(), record.key, record.value));
  }

  @Override
  void addChanges(CommitBatches batches) {
    opened().addChanges(batches);
  }

  @Override
  void forgetChanges() {
    opened().forgetChanges();
  }

  @Override
  long storedCount() {
    return opened().size();
  }

  @Override
  long heldBackCount() {
    return opened().heldBack();
  }
}
