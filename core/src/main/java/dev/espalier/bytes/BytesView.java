// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A view of an index between bounds, ascending or descending. It checks bounds as the sub-maps of
 * {@link java.util.TreeMap} do: a narrower view may repeat an exclusive bound, but not go beyond
 * it. A prefix is not a bound: {@link #prefixView} leaves out what lies outside the view.
 *
 * <p>{@link #size} of a bounded view counts its entries. {@link #countRange} and {@link
 * #removeRange} take their bounds in the view's order, and leave out what lies outside the view.
 */
final class BytesView implements BytesNavigable {
  private final BytesIndex index;
  private final BytesRange range;
  private final boolean descending;

  private BytesView(BytesIndex index, BytesRange range, boolean descending) {
    checkOpen(index);
    this.index = index;
    this.range = range;
    this.descending = descending;
  }

  /** Returns the whole of {@code index}, ascending. */
  static BytesView all(BytesIndex index) {
    return new BytesView(index, BytesRange.ALL, false);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return isVisible(key) ? index.get(key) : null;
  }

  @Override
  public boolean get(MemorySegment key, ValueReader reader) {
    return isVisible(key) && index.get(key, reader);
  }

  @Override
  public long get(MemorySegment key, MemorySegment into) {
    return isVisible(key) ? index.get(key, into) : -1;
  }

  @Override
  public boolean containsKey(byte[] key) {
    return isVisible(key) && index.containsKey(key);
  }

  @Override
  public boolean containsKey(MemorySegment key) {
    return isVisible(key) && index.containsKey(key);
  }

  @Override
  public byte @Nullable [] put(byte[] key, byte[] value) {
    checkWritable(key);
    return index.put(key, value);
  }

  @Override
  public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
    checkWritable(key);
    return index.putIfAbsent(key, value);
  }

  @Override
  public byte @Nullable [] remove(byte[] key) {
    return isVisible(key) ? index.remove(key) : null;
  }

  @Override
  public void set(byte[] key, byte[] value) {
    checkWritable(key);
    index.set(key, value);
  }

  @Override
  public void set(MemorySegment key, MemorySegment value) {
    checkWritable(key);
    index.set(key, value);
  }

  @Override
  public boolean delete(byte[] key) {
    return isVisible(key) && index.delete(key);
  }

  @Override
  public boolean delete(MemorySegment key) {
    return isVisible(key) && index.delete(key);
  }

  @Override
  public long size() {
    return range.isAll() ? index.size() : count(index, range);
  }

  @Override
  public boolean isEmpty() {
    return range.isAll() ? index.isEmpty() : !forKeys(cursor()).first();
  }

  @Override
  public void clear() {
    if (range.isAll()) {
      index.clear();
    } else {
      remove(index, range);
    }
  }

  @Override
  public BytesCursor cursor() {
    return new BytesViewCursor(index.cursor(), range, descending);
  }

  @Override
  public long countRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    return count(index, between(from, fromInclusive, to, toInclusive).intersect(range));
  }

  @Override
  public long removeRange(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    return remove(index, between(from, fromInclusive, to, toInclusive).intersect(range));
  }

  @Override
  public BytesNavigable subView(
      byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    BytesRange part = between(from, fromInclusive, to, toInclusive);
    checkBound("from", MemorySegment.ofArray(from), fromInclusive);
    checkBound("to", MemorySegment.ofArray(to), toInclusive);
    return new BytesView(index, part, descending);
  }

  @Override
  public BytesNavigable headView(byte[] to, boolean inclusive) {
    MemorySegment end = copy("to", to);
    checkBound("to", end, inclusive);
    BytesRange head = descending ? range.withFrom(end, inclusive) : range.withTo(end, inclusive);
    return new BytesView(index, head, descending);
  }

  @Override
  public BytesNavigable tailView(byte[] from, boolean inclusive) {
    MemorySegment end = copy("from", from);
    checkBound("from", end, inclusive);
    BytesRange tail = descending ? range.withTo(end, inclusive) : range.withFrom(end, inclusive);
    return new BytesView(index, tail, descending);
  }

  @Override
  public BytesNavigable prefixView(byte[] prefix) {
    Objects.requireNonNull(prefix, "prefix");
    return new BytesView(index, BytesRange.ofPrefix(prefix).intersect(range), descending);
  }

  @Override
  public BytesNavigable descendingView() {
    return new BytesView(index, range, !descending);
  }

  private boolean isVisible(byte[] key) {
    return isVisible(MemorySegment.ofArray(Objects.requireNonNull(key, "key")));
  }

  private boolean isVisible(MemorySegment key) {
    if (range.contains(key)) {
      return true;
    }
    checkOpen(index);
    return false;
  }

  /** Returns a cursor that is asked for no values. */
  static BytesCursor forKeys(BytesCursor cursor) {
    cursor.expectValues(BytesCursor.Expected.NONE);
    return cursor;
  }

  /** Counts the entries of a range; behind a lock, as one call. */
  static long count(BytesIndex index, BytesRange part) {
    if (index instanceof LockedBytesIndex locked) {
      return locked.count(part);
    }
    BytesCursor cursor = new BytesViewCursor(index.cursor(), part, false);
    long count = 0;
    while (cursor.next()) {
      count++;
    }
    return count;
  }

  /** Removes the entries of a range; behind a lock, as one call. Returns how many there were. */
  static long remove(BytesIndex index, BytesRange part) {
    if (index instanceof LockedBytesIndex locked && part.to() == null) {
      return locked.remove(part);
    }
    checkOpen(index);
    MemorySegment to = part.to();
    boolean toInclusive = part.toInclusive();
    if (to == null) {
      BytesCursor cursor = forKeys(index.cursor());
      if (!cursor.last()) {
        return 0;
      }
      to = MemorySegment.ofArray(cursor.keyArray());
      toInclusive = true;
    }
    return KeyOrder.compare(part.from(), to) > 0
        ? 0
        : index.removeRange(array(part.from()), part.fromInclusive(), array(to), toInclusive);
  }

  /** Removes the entries between two keys one by one, which every index can. */
  long removeEach(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    BytesRange part = between(from, fromInclusive, to, toInclusive);
    BytesCursor cursor = new BytesViewCursor(index.cursor(), part, false);
    long removed = 0;
    while (cursor.next()) {
      // Others may have removed it, where they may.
      removed += index.delete(cursor.key()) ? 1 : 0;
    }
    return removed;
  }

  private static byte[] array(MemorySegment key) {
    return key.toArray(ValueLayout.JAVA_BYTE);
  }

  /** Returns the keys between two bounds given in this view's order. */
  private BytesRange between(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    MemorySegment first = copy("from", from);
    MemorySegment last = copy("to", to);
    int order = KeyOrder.compare(first, last);
    if (descending ? order < 0 : order > 0) {
      throw new IllegalArgumentException(
          "from comes after to in the view's order: from="
              + ByteStrings.show(first)
              + ", to="
              + ByteStrings.show(last));
    }
    return descending
        ? new BytesRange(last, toInclusive, first, fromInclusive)
        : new BytesRange(first, fromInclusive, last, toInclusive);
  }

  private static MemorySegment copy(String name, byte[] key) {
    return BytesRange.copy(Objects.requireNonNull(key, name));
  }

  private void checkWritable(byte[] key) {
    checkWritable(MemorySegment.ofArray(Objects.requireNonNull(key, "key")));
  }

  private void checkWritable(MemorySegment key) {
    if (!isVisible(key)) {
      throw new IllegalArgumentException(
          "key " + ByteStrings.show(key) + " is outside the view's bounds " + range);
    }
  }

  private void checkBound(String name, MemorySegment key, boolean inclusive) {
    if (!range.admitsEnd(key, inclusive)) {
      throw new IllegalArgumentException(
          name + " is outside the view's bounds " + range + ": " + ByteStrings.show(key));
    }
  }

  /**
   * Checks that the index is open. For calls that a view answers without calling the index, which
   * would check this itself.
   */
  static void checkOpen(BytesIndex index) {
    if (index.isClosed()) {
      throw new IllegalStateException("the index is closed");
    }
  }
}
