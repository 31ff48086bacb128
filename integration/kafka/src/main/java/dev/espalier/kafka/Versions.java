// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.jspecify.annotations.Nullable;

/**
 * The values of keys over time: the latest ones, and a history of those before them, in segments by
 * the time at which another took their place. One thread writes, others may read.
 *
 * <pre>
 *   latest    the key                          --> since when, 8 bytes | value
 *   history   the key, valid to, valid from    --> 1 | value,  or 0 if there was none
 * </pre>
 *
 * A key that has lost its value has no latest one, but a {@linkplain Version#isOpen version} in the
 * history whose end is not known. What takes several steps adds before it removes: so a reader
 * finds the version before or after, and a put that a crash cut off can be repeated.
 */
final class Versions {
  private static final long LATEST = VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED;

  private final Entries latest;
  private final Segments history;

  /** Whether what is put is committed already. */
  private final boolean restores;

  Versions(Entries latest, Segments history, boolean restores) {
    this.latest = latest;
    this.history = history;
    this.restores = restores;
  }

  // ---------------------------------------------------------------- read

  /** Returns the latest version, or null if the key has no value. */
  @Nullable VersionedRecord<byte[]> get(Bytes key) {
    byte[] bytes = latest.get(key);
    return bytes == null
        ? null
        : new VersionedRecord<>(
            Arrays.copyOfRange(bytes, Long.BYTES, bytes.length), ByteBuffer.wrap(bytes).getLong());
  }

  /**
   * Returns the version of a moment, or null if the key had no value then, or that has expired.
   *
   * @param oldest versions that were valid to an earlier time have expired
   */
  @Nullable VersionedRecord<byte[]> get(Bytes key, long asOf, long oldest) {
    VersionedRecord<byte[]> last = get(key);
    if (last != null && last.timestamp() <= asOf) {
      return last;
    }
    Version version = asOf < oldest - 1 ? null : firstAfter(key, asOf);
    return version == null || version.from() > asOf ? null : version.shown();
  }

  /** Returns the versions of a span of time, both ends included. */
  VersionIterator between(Bytes key, long from, long to, long oldest, boolean ascending) {
    long validTo =
        to < oldest - 1 // As for a moment, what has a history has expired.
            ? Long.MAX_VALUE
            : Math.max(from == Long.MAX_VALUE ? from : from + 1, oldest);
    return new VersionIterator(get(key), ended(key, validTo, ascending), to, ascending);
  }

  /** Returns what was valid to a time, or to a later one. */
  private TimedIterator<TimedKey> ended(Bytes key, long validTo, boolean ascending) {
    Bytes lowest = TimedKey.lowest(key, validTo);
    Bytes highest = TimedKey.highest(key, Long.MAX_VALUE);
    return new TimedIterator<>(
        history,
        history.between(validTo, Long.MAX_VALUE, ascending),
        entries -> entries.range(lowest, highest, true, ascending),
        timed -> timed);
  }

  /** Returns the first version in the history that ends after a time. */
  private @Nullable Version firstAfter(Bytes key, long time) {
    return time == Long.MAX_VALUE ? null : first(ended(key, time + 1, true));
  }

  private static @Nullable Version first(TimedIterator<TimedKey> versions) {
    return versions.hasNext() ? Version.decode(versions.next()) : null;
  }

  // ---------------------------------------------------------------- put

  /**
   * Stores a version, which takes the place of one that begins at the same time.
   *
   * @param value null if the key has none from then on
   * @param oldest a version that was valid to an earlier time is not kept
   * @return the time to which it is valid, or that this is not known
   */
  long put(Bytes key, byte @Nullable [] value, long time, long oldest) {
    VersionedRecord<byte[]> last = get(key);
    Version lost = last == null ? first(ended(key, oldest, false)) : null;
    if (lost != null && !lost.isOpen()) {
      lost = null; // It has expired.
    }
    if (last == null && (lost == null || time >= lost.from())) {
      putLatest(key, value, time, lost, oldest);
      return LATEST;
    }
    if (last != null && time >= last.timestamp()) {
      if (time > last.timestamp()) {
        add(key, new Version(last.timestamp(), time, last.value()), oldest);
      }
      putLatest(key, value, time, null, oldest);
      return LATEST;
    }
    return putIntoHistory(key, value, time, oldest, last == null ? LATEST : last.timestamp());
  }

  /**
   * Stores the latest version.
   *
   * @param lost what says that there was no value before
   */
  private void putLatest(
      Bytes key, byte @Nullable [] value, long time, @Nullable Version lost, long oldest) {
    if (lost != null && time > lost.from()) {
      add(key, new Version(lost.from(), time, null), oldest);
    }
    if (value != null) {
      byte[] bytes =
          ByteBuffer.allocate(Long.BYTES + value.length).putLong(time).put(value).array();
      write(latest, key, bytes);
    } else {
      add(key, new Version(time, time, null), oldest - 1); // Nothing says so but this.
      write(latest, key, null);
    }
    if (lost != null && (value != null || time > lost.from())) {
      remove(key, lost);
    }
  }

  private long putIntoHistory(
      Bytes key, byte @Nullable [] value, long time, long oldest, long latestTime) {
    Version next = firstAfter(key, time);
    if (next == null || next.from() > time) { // There was no version before.
      long to = next == null ? latestTime : next.from();
      add(key, new Version(time, to, value), oldest);
      return to;
    }
    add(key, new Version(time, next.to(), value), oldest);
    if (next.from() < time) {
      add(key, new Version(next.from(), time, next.value()), oldest);
      remove(key, next);
    }
    return next.to();
  }

  private void add(Bytes key, Version version, long oldest) {
    if (version.to() >= oldest) {
      write(history.at(version.to()), version.encodedKey(key), version.encodedValue());
    }
  }

  private void remove(Bytes key, Version version) {
    Entries entries = history.ifThere(version.to());
    if (entries != null) {
      write(entries, version.encodedKey(key), null);
    }
  }

  private void write(Entries entries, Bytes key, byte @Nullable [] value) {
    if (restores) {
      entries.restore(key, value);
    } else {
      entries.put(key, value);
    }
  }
}
