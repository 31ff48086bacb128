// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** What {@link LongCursor} says, over any map: also over sub-maps and descending ones. */
final class ModelCursor implements LongCursor {
  private static final int LONGEST_RUN = 3;

  private final NavigableMap<Long, Long> map;
  private final Runnable checkOpen;

  /** The key the cursor is at, or null if it is nowhere. */
  private @Nullable Long place;

  /** Whether {@link #remove} took away the entry that the cursor was on. */
  private boolean removed;

  ModelCursor(NavigableMap<Long, Long> map, Runnable checkOpen) {
    this.map = map;
    this.checkOpen = checkOpen;
  }

  @Override
  public boolean first() {
    checkOpen.run();
    return moveTo(map.isEmpty() ? null : map.firstKey());
  }

  @Override
  public boolean last() {
    checkOpen.run();
    return moveTo(map.isEmpty() ? null : map.lastKey());
  }

  @Override
  public boolean floor(long key) {
    checkOpen.run();
    return moveTo(map.floorKey(key));
  }

  @Override
  public boolean ceiling(long key) {
    checkOpen.run();
    return moveTo(map.ceilingKey(key));
  }

  @Override
  public boolean lower(long key) {
    checkOpen.run();
    return moveTo(map.lowerKey(key));
  }

  @Override
  public boolean higher(long key) {
    checkOpen.run();
    return moveTo(map.higherKey(key));
  }

  @Override
  public boolean next() {
    return place == null ? first() : higher(place);
  }

  @Override
  public boolean previous() {
    return place == null ? last() : lower(place);
  }

  @Override
  public long key() {
    return entry().getKey();
  }

  @Override
  public long value() {
    return entry().getValue();
  }

  @Override
  public void setValue(long value) {
    map.put(key(), value);
  }

  @Override
  public void remove() {
    map.remove(key());
    removed = true;
  }

  private Map.Entry<Long, Long> entry() {
    checkOpen.run();
    Map.Entry<Long, Long> entry = place == null ? null : map.ceilingEntry(place);
    if (entry == null || removed || !entry.getKey().equals(place)) {
      throw new IllegalStateException("the cursor is on no entry");
    }
    return entry;
  }

  @Override
  public boolean nextRun(LongRun run) {
    List<Long> keys = new ArrayList<>();
    List<Long> values = new ArrayList<>();
    boolean found = next();
    while (found) {
      keys.add(key());
      values.add(value());
      found = keys.size() < LONGEST_RUN && key() != map.lastKey() && next();
    }
    int count = keys.size();
    keys.addAll(values);
    long[] entries = keys.stream().mapToLong(Long::longValue).toArray();
    run.set(
        MemorySegment.ofArray(entries).asReadOnly(),
        0,
        (long) count * Long.BYTES,
        Long.BYTES,
        count);
    return count > 0;
  }

  private boolean moveTo(@Nullable Long key) {
    place = key;
    removed = false;
    return key != null;
  }
}
