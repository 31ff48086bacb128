// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys between two ends, in ascending order; none if the ends cross.
 *
 * <p>Ends are kept as they were given, because an exclusive end may itself be an exclusive end of a
 * narrower range, as in {@link java.util.TreeMap}. The least key is the empty one, so there is
 * always a lower end; {@code to} is null if there is no upper one.
 */
record BytesRange(
    MemorySegment from, boolean fromInclusive, @Nullable MemorySegment to, boolean toInclusive) {

  static final BytesRange ALL =
      new BytesRange(MemorySegment.ofArray(new byte[0]), true, null, false);

  /** Returns the keys that begin with {@code prefix}. */
  static BytesRange ofPrefix(byte[] prefix) {
    return new BytesRange(copy(prefix), true, endOfPrefix(prefix), false);
  }

  /** Returns a copy of a key, to be kept as an end. */
  static MemorySegment copy(byte[] key) {
    return MemorySegment.ofArray(key.clone()).asReadOnly();
  }

  /** Returns the first key after all that begin with {@code prefix}, or null if there is none. */
  private static @Nullable MemorySegment endOfPrefix(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
      length--;
    }
    if (length == 0) {
      return null;
    }
    byte[] end = Arrays.copyOf(prefix, length);
    end[length - 1]++;
    return MemorySegment.ofArray(end).asReadOnly();
  }

  boolean isAll() {
    return fromInclusive && from.byteSize() == 0 && to == null;
  }

  boolean contains(MemorySegment key) {
    return !isBelow(key) && !isAbove(key);
  }

  /** Tells whether {@code key} comes before all keys of this range. */
  boolean isBelow(MemorySegment key) {
    int order = KeyOrder.compare(key, from);
    return order < 0 || (order == 0 && !fromInclusive);
  }

  /** Tells whether {@code key} comes after all keys of this range. */
  boolean isAbove(MemorySegment key) {
    if (to == null) {
      return false;
    }
    int order = KeyOrder.compare(key, to);
    return order > 0 || (order == 0 && !toInclusive);
  }

  /** Tells whether a narrower range may end at {@code key}. */
  boolean admitsEnd(MemorySegment key, boolean inclusive) {
    return inclusive
        ? contains(key)
        : KeyOrder.compare(key, from) >= 0 && (to == null || KeyOrder.compare(key, to) <= 0);
  }

  BytesRange withFrom(MemorySegment from, boolean inclusive) {
    return new BytesRange(from, inclusive, to, toInclusive);
  }

  BytesRange withTo(MemorySegment to, boolean inclusive) {
    return new BytesRange(from, fromInclusive, to, inclusive);
  }

  /** Returns the keys that are in both ranges; the ends cross if the two ranges lie apart. */
  BytesRange intersect(BytesRange other) {
    BytesRange lower = startsAfter(other) ? this : other;
    BytesRange upper = endsBefore(other) ? this : other;
    return new BytesRange(lower.from, lower.fromInclusive, upper.to, upper.toInclusive);
  }

  private boolean startsAfter(BytesRange other) {
    int order = KeyOrder.compare(from, other.from);
    return order > 0 || (order == 0 && !fromInclusive);
  }

  private boolean endsBefore(BytesRange other) {
    if (to == null || other.to == null) {
      return other.to == null;
    }
    int order = KeyOrder.compare(to, other.to);
    return order < 0 || (order == 0 && !toInclusive);
  }

  @Override
  public String toString() {
    return (fromInclusive ? "[" : "(")
        + ByteStrings.show(from)
        + ", "
        + (to == null ? "end" : ByteStrings.show(to))
        + (toInclusive ? "]" : ")");
  }
}
