// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.WindowRangeQuery;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.jspecify.annotations.Nullable;

/** A store of sessions: values by key, and by the times at which their session ends and starts. */
final class SessionStateStore extends TimedStateStore implements SessionStore<Bytes, byte[]> {
  SessionStateStore(EspalierStores.SessionSupplier supplier) {
    super(supplier.name(), supplier.retentionPeriod(), supplier.segmentIntervalMs());
  }

  /** Reads key, end in 8 bytes, start in 8. */
  @Override
  TimedKey changelogKey(byte[] bytes) {
    int end = bytes.length - 2 * Long.BYTES;
    ByteBuffer numbers = ByteBuffer.wrap(bytes, end, 2 * Long.BYTES);
    return new TimedKey(
        Bytes.wrap(Arrays.copyOf(bytes, end)), numbers.getLong(), numbers.getLong());
  }

  @Override
  public void put(Windowed<Bytes> sessionKey, byte @Nullable [] aggregate) {
    put(timedKey(sessionKey), aggregate);
  }

  @Override
  public void remove(Windowed<Bytes> sessionKey) {
    remove(timedKey(sessionKey));
  }

  private static TimedKey timedKey(Windowed<Bytes> sessionKey) {
    return new TimedKey(
        Objects.requireNonNull(sessionKey.key(), "key"),
        sessionKey.window().end(),
        sessionKey.window().start());
  }

  @Override
  public byte @Nullable [] fetchSession(Bytes key, long sessionStartTime, long sessionEndTime) {
    Objects.requireNonNull(key, "key");
    Bytes encoded = new TimedKey(key, sessionEndTime, sessionStartTime).encode();
    return get(sessionEndTime, entries -> entries.get(encoded));
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
      long earliestSessionEndTime, long latestSessionEndTime) {
    return ofKeys(
        null,
        null,
        earliestSessionEndTime,
        latestSessionEndTime,
        true,
        SessionStateStore::windowed);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
      Bytes key, long earliestSessionEndTime, long latestSessionStartTime) {
    return ofKey(key, earliestSessionEndTime, true, startingBy(latestSessionStartTime));
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
      Bytes key, long earliestSessionEndTime, long latestSessionStartTime) {
    return ofKey(key, earliestSessionEndTime, false, startingBy(latestSessionStartTime));
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> findSessions(
      @Nullable Bytes keyFrom,
      @Nullable Bytes keyTo,
      long earliestSessionEndTime,
      long latestSessionStartTime) {
    return ofKeys(
        keyFrom,
        keyTo,
        earliestSessionEndTime,
        Long.MAX_VALUE,
        true,
        startingBy(latestSessionStartTime));
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFindSessions(
      @Nullable Bytes keyFrom,
      @Nullable Bytes keyTo,
      long earliestSessionEndTime,
      long latestSessionStartTime) {
    return ofKeys(
        keyFrom,
        keyTo,
        earliestSessionEndTime,
        Long.MAX_VALUE,
        false,
        startingBy(latestSessionStartTime));
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(Bytes key) {
    return findSessions(key, 0, Long.MAX_VALUE);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(Bytes key) {
    return backwardFindSessions(key, 0, Long.MAX_VALUE);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo) {
    return findSessions(keyFrom, keyTo, 0, Long.MAX_VALUE);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo) {
    return backwardFindSessions(keyFrom, keyTo, 0, Long.MAX_VALUE);
  }

  private static Function<TimedKey, @Nullable Windowed<Bytes>> startingBy(long latest) {
    return key -> key.second() <= latest ? windowed(key) : null;
  }

  private static Windowed<Bytes> windowed(TimedKey key) {
    return new Windowed<>(key.key(), new SessionWindow(key.second(), key.time()));
  }

  @Override
  @Nullable QueryResult<?> answer(Query<?> query) {
    return query instanceof WindowRangeQuery<?, ?> range && range.getKey().isPresent()
        ? QueryResult.forResult(fetch((Bytes) range.getKey().get()))
        : null;
  }
}
