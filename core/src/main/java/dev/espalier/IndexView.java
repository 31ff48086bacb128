// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * A view of an index between bounds, ascending or descending. It checks bounds as the sub-maps of
 * {@link java.util.TreeMap} do: a narrower view may repeat an exclusive bound, but not go beyond
 * it.
 *
 * <p>{@link #size} of a bounded view counts its entries. {@link #countRange} and {@link
 * #removeRange} take their bounds in the view's order, and leave out what lies outside the view.
 * Every method makes one call to the index, so it is atomic behind a lock.
 */
final class IndexView implements LongNavigable {
  private final LongIndex index;
  private final KeyRange range;
  private final boolean descending;

  private IndexView(LongIndex index, KeyRange range, boolean descending) {
    Arguments.checkOpen(index);
    this.index = index;
    this.range = range;
    this.descending = descending;
  }

  /** Returns the whole of {@code index}, ascending. */
  static IndexView all(LongIndex index) {
    return new IndexView(index, KeyRange.ALL, false);
  }

  @Override
  public long get(long key) {
    return getOrDefault(key, index.missingValue());
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return isVisible(key) ? index.getOrDefault(key, defaultValue) : defaultValue;
  }

  @Override
  public boolean containsKey(long key) {
    return isVisible(key) && index.containsKey(key);
  }

  @Override
  public boolean find(long key, long[] value) {
    return isVisible(key) && index.find(key, value);
  }

  @Override
  public long missingValue() {
    return index.missingValue();
  }

  @Override
  public long put(long key, long value) {
    checkWritable(key);
    return index.put(key, value);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    checkWritable(key);
    return index.putIfAbsent(key, value);
  }

  @Override
  public long remove(long key) {
    return isVisible(key) ? index.remove(key) : index.missingValue();
  }

  @Override
  public void set(long key, long value) {
    checkWritable(key);
    index.set(key, value);
  }

  @Override
  public void delete(long key) {
    if (isVisible(key)) {
      index.delete(key);
    }
  }

  @Override
  public boolean insert(long key, long value) {
    checkWritable(key);
    return index.insert(key, value);
  }

  @Override
  public boolean replace(long key, long expected, long value) {
    return isVisible(key) && index.replace(key, expected, value);
  }

  @Override
  public boolean remove(long key, long expected) {
    return isVisible(key) && index.remove(key, expected);
  }

  @Override
  public long merge(long key, long value, LongBinaryOperator function) {
    checkWritable(key);
    return index.merge(key, value, function);
  }

  @Override
  public long addTo(long key, long delta) {
    checkWritable(key);
    return index.addTo(key, delta);
  }

  @Override
  public long computeIfAbsent(long key, LongUnaryOperator function) {
    checkWritable(key);
    return index.computeIfAbsent(key, function);
  }

  @Override
  public boolean compute(long key, LongEntry entry, LongUpdate update) {
    checkWritable(key);
    return index.compute(key, entry, update);
  }

  @Override
  public long size() {
    return range.isAll() ? index.size() : count(range);
  }

  @Override
  public boolean isEmpty() {
    return range.isAll() ? index.isEmpty() : !cursor().first();
  }

  @Override
  public void clear() {
    if (range.isAll()) {
      index.clear();
    } else {
      remove(range);
    }
  }

  @Override
  public LongCursor cursor() {
    return new ViewCursor(index.cursor(), range, descending);
  }

  @Override
  public boolean first(LongEntry entry) {
    return descending ? highest(entry) : lowest(entry);
  }

  @Override
  public boolean last(LongEntry entry) {
    return descending ? lowest(entry) : highest(entry);
  }

  @Override
  public boolean floor(long key, LongEntry entry) {
    return descending ? atOrAbove(key, entry) : atOrBelow(key, entry);
  }

  @Override
  public boolean ceiling(long key, LongEntry entry) {
    return descending ? atOrBelow(key, entry) : atOrAbove(key, entry);
  }

  @Override
  public boolean lower(long key, LongEntry entry) {
    return descending ? above(key, entry) : below(key, entry);
  }

  @Override
  public boolean higher(long key, LongEntry entry) {
    return descending ? below(key, entry) : above(key, entry);
  }

  @Override
  public boolean pollFirst(LongEntry entry) {
    if (!range.isAll()) {
      return LongNavigable.super.pollFirst(entry);
    }
    return descending ? index.pollLast(entry) : index.pollFirst(entry);
  }

  @Override
  public boolean pollLast(LongEntry entry) {
    if (!range.isAll()) {
      return LongNavigable.super.pollLast(entry);
    }
    return descending ? index.pollFirst(entry) : index.pollLast(entry);
  }

  // In the order of keys. What the index finds may lie outside the range, on the side sought.

  private boolean lowest(LongEntry entry) {
    return isInside(
        range.fromInclusive()
            ? index.ceiling(range.from(), entry)
            : index.higher(range.from(), entry),
        entry);
  }

  private boolean highest(LongEntry entry) {
    return isInside(
        range.toInclusive() ? index.floor(range.to(), entry) : index.lower(range.to(), entry),
        entry);
  }

  private boolean atOrBelow(long key, LongEntry entry) {
    return range.isAbove(key) ? highest(entry) : isInside(index.floor(key, entry), entry);
  }

  private boolean atOrAbove(long key, LongEntry entry) {
    return range.isBelow(key) ? lowest(entry) : isInside(index.ceiling(key, entry), entry);
  }

  private boolean below(long key, LongEntry entry) {
    return range.isAbove(key) ? highest(entry) : isInside(index.lower(key, entry), entry);
  }

  private boolean above(long key, LongEntry entry) {
    return range.isBelow(key) ? lowest(entry) : isInside(index.higher(key, entry), entry);
  }

  private boolean isInside(boolean found, LongEntry entry) {
    return found && range.contains(entry.key());
  }

  @Override
  public long countRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return count(between(from, fromInclusive, to, toInclusive).intersect(range));
  }

  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return remove(between(from, fromInclusive, to, toInclusive).intersect(range));
  }

  @Override
  public LongNavigable subView(long from, boolean fromInclusive, long to, boolean toInclusive) {
    KeyRange part = between(from, fromInclusive, to, toInclusive);
    checkBound("from", from, fromInclusive);
    checkBound("to", to, toInclusive);
    return new IndexView(index, part, descending);
  }

  @Override
  public LongNavigable headView(long to, boolean inclusive) {
    checkBound("to", to, inclusive);
    KeyRange head = descending ? range.withFrom(to, inclusive) : range.withTo(to, inclusive);
    return new IndexView(index, head, descending);
  }

  @Override
  public LongNavigable tailView(long from, boolean inclusive) {
    checkBound("from", from, inclusive);
    KeyRange tail = descending ? range.withTo(from, inclusive) : range.withFrom(from, inclusive);
    return new IndexView(index, tail, descending);
  }

  @Override
  public LongNavigable descendingView() {
    return new IndexView(index, range, !descending);
  }

  private boolean isVisible(long key) {
    if (range.contains(key)) {
      return true;
    }
    Arguments.checkOpen(index);
    return false;
  }

  private long count(KeyRange part) {
    if (part.isCrossed()) {
      Arguments.checkOpen(index);
      return 0;
    }
    return index.countRange(part.from(), part.fromInclusive(), part.to(), part.toInclusive());
  }

  private long remove(KeyRange part) {
    if (part.isCrossed()) {
      Arguments.checkOpen(index);
      return 0;
    }
    return index.removeRange(part.from(), part.fromInclusive(), part.to(), part.toInclusive());
  }

  /** Returns the keys between two bounds given in this view's order. */
  private KeyRange between(long from, boolean fromInclusive, long to, boolean toInclusive) {
    if (descending ? from < to : from > to) {
      throw new IllegalArgumentException(
          "from comes after to in the view's order: from=" + from + ", to=" + to);
    }
    return descending
        ? new KeyRange(to, toInclusive, from, fromInclusive)
        : new KeyRange(from, fromInclusive, to, toInclusive);
  }

  private void checkWritable(long key) {
    if (!isVisible(key)) {
      throw new IllegalArgumentException("key " + key + " is outside the view's bounds " + range);
    }
  }

  private void checkBound(String name, long key, boolean inclusive) {
    if (!range.admitsEnd(key, inclusive)) {
      throw new IllegalArgumentException(
          name + " is outside the view's bounds " + range + ": " + name + "=" + key);
    }
  }
}
