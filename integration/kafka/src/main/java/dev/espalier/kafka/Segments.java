// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.io.IndexStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries by time: those of one interval are in one index of the file, which goes as a whole when
 * all of them have expired. One thread writes, others may read.
 */
final class Segments {
  private static final String NAME = "segment ";

  private final IndexStore file;
  private final boolean holdsBack;
  private final long intervalMs;

  /** By the number of the interval; time 0 begins interval 0. */
  private final ConcurrentSkipListMap<Long, Entries> byNumber = new ConcurrentSkipListMap<>();

  Segments(IndexStore file, boolean holdsBack, long intervalMs) {
    this.file = file;
    this.holdsBack = holdsBack;
    this.intervalMs = intervalMs;
    for (String name : file.names()) {
      if (name.startsWith(NAME)) {
        open(Long.parseLong(name.substring(NAME.length())));
      }
    }
  }

  private Entries open(long number) {
    Entries entries = new Entries(file.bytesIndex(NAME + number), holdsBack);
    byNumber.put(number, entries);
    return entries;
  }

  private long number(long time) {
    return Math.floorDiv(time, intervalMs);
  }

  /** Returns the segment of a time, which is made if there is none. */
  Entries at(long time) {
    Entries entries = ifThere(time);
    return entries != null ? entries : open(number(time));
  }

  @Nullable Entries ifThere(long time) {
    return byNumber.get(number(time));
  }

  /** Returns the segments of a span of time, both ends included. */
  Collection<Entries> between(long from, long to, boolean forward) {
    if (from > to) {
      return byNumber.headMap(Long.MIN_VALUE).values();
    }
    NavigableMap<Long, Entries> span = byNumber.subMap(number(from), true, number(to), true);
    return (forward ? span : span.descendingMap()).values();
  }

  /** Returns the segments that {@link #dropBefore} leaves. */
  Collection<Entries> since(long time) {
    return byNumber.tailMap(number(time), true).values();
  }

  Collection<Entries> all() {
    return byNumber.values();
  }

  /** Returns about how many entries there are; any thread may ask. */
  long size() {
    return all().stream().mapToLong(this::size).sum();
  }

  /** Returns how many a segment has that was returned: none if it has gone since. */
  long size(Entries entries) {
    try {
      return entries.size();
    } catch (IllegalStateException e) {
      if (isDropped(entries)) {
        return 0;
      }
      throw e;
    }
  }

  /** Returns whether a segment that was returned has gone since. */
  boolean isDropped(Entries entries) {
    return !byNumber.containsValue(entries);
  }

  /** Drops the segments that end before a time, and returns them. */
  List<Entries> dropBefore(long time) {
    List<Entries> dropped = new ArrayList<>();
    while (!byNumber.isEmpty() && byNumber.firstKey() < number(time)) {
      long number = byNumber.firstKey();
      dropped.add(Objects.requireNonNull(byNumber.remove(number)));
      file.drop(NAME + number);
    }
    return dropped;
  }
}
