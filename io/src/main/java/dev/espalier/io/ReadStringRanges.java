// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an index of byte strings that a transaction has read, as {@link ReadRanges} has those
 * of longs: disjoint ranges. If there are too many, or their ends are too long, they grow coarser:
 * two neighbours become one with what is between them, and none is lost.
 */
final class ReadStringRanges {
  /** The most ranges, ... */
  static final int MOST = 4096;

  /** ... and the most bytes of all their ends, unless there is one range only. */
  static final int MOST_BYTES = 1 << 20;

  /**
   * Ranges that do not touch: of each its first key, and the first one behind it, null if there is
   * no such key.
   */
  private final TreeMap<byte[], byte @Nullable []> ends = new TreeMap<>(Arrays::compareUnsigned);

  private long bytes;

  /** The range that was added last, which a scan makes longer; none if {@code from} is null. */
  private byte @Nullable [] from;

  private boolean fromInclusive;

  /** Null if it has no end. */
  private byte @Nullable [] to;

  private boolean toInclusive;

  /**
   * Adds a range, which may be empty.
   *
   * @param from is kept, and must not be changed
   * @param to the same, and not before {@code from}; null for no end
   */
  void add(byte[] from, boolean fromInclusive, byte @Nullable [] to, boolean toInclusive) {
    if (this.from != null && follows(from, fromInclusive)) {
      this.to = to;
      this.toInclusive = toInclusive;
    } else if (this.from != null && to != null && precedes(to, toInclusive, this.from)) {
      this.from = from;
      this.fromInclusive = fromInclusive;
    } else {
      settle();
      this.from = from;
      this.fromInclusive = fromInclusive;
      this.to = to;
      this.toInclusive = toInclusive;
    }
  }

  /** Tells whether a range that begins so goes on where the last one ends. */
  private boolean follows(byte[] from, boolean inclusive) {
    return to != null && toInclusive && !inclusive && Arrays.equals(from, to);
  }

  /** Tells whether a range that ends so does where the last one begins. */
  private boolean precedes(byte[] to, boolean inclusive, byte[] first) {
    return fromInclusive && !inclusive && Arrays.equals(to, first);
  }

  /** Puts the last range to the others. */
  private void settle() {
    if (from == null) {
      return;
    }
    byte[] low = fromInclusive ? from : after(from);
    byte[] high = to == null || !toInclusive ? to : after(to);
    from = null;
    if (high != null && Arrays.compareUnsigned(low, high) >= 0) {
      return;
    }
    Map.Entry<byte[], byte @Nullable []> other = ends.floorEntry(low);
    if (other != null && reaches(other.getValue(), low)) {
      low = other.getKey();
      high = later(high, other.getValue());
      remove(other);
    }
    other = ends.higherEntry(low);
    while (other != null && reaches(high, other.getKey())) {
      high = later(high, other.getValue());
      remove(other);
      other = ends.higherEntry(low);
    }
    put(low, high);
    while (ends.size() > 1 && (ends.size() > MOST || bytes > MOST_BYTES)) {
      low = join(low, ends.get(low));
    }
  }

  /** Returns the first key behind a key. */
  private static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /** Tells whether a range that ends before a key touches one that begins at another key. */
  private static boolean reaches(byte @Nullable [] end, byte[] from) {
    return end == null || Arrays.compareUnsigned(end, from) >= 0;
  }

  private static byte @Nullable [] later(byte @Nullable [] end, byte @Nullable [] other) {
    return end == null || other == null
        ? null
        : Arrays.compareUnsigned(end, other) < 0 ? other : end;
  }

  private void put(byte[] low, byte @Nullable [] high) {
    ends.put(low, high);
    bytes += bytesOf(low, high);
  }

  private void remove(Map.Entry<byte[], byte @Nullable []> range) {
    ends.remove(range.getKey());
    bytes -= bytesOf(range.getKey(), range.getValue());
  }

  private static int bytesOf(byte[] low, byte @Nullable [] high) {
    return low.length + (high == null ? 0 : high.length);
  }

  /**
   * Makes one range of a range and the neighbour that shares more of the key between them, which is
   * probably the closer one. Returns its first key.
   */
  private byte[] join(byte[] low, byte @Nullable [] high) {
    Map.Entry<byte[], byte @Nullable []> before = ends.lowerEntry(low);
    Map.Entry<byte[], byte @Nullable []> after = ends.higherEntry(low);
    ends.remove(low);
    bytes -= bytesOf(low, high);
    if (after != null
        && (before == null || common(high, after.getKey()) > common(before.getValue(), low))) {
      remove(after);
      put(low, after.getValue());
      return low;
    }
    if (before == null) {
      throw new IllegalStateException("a range has no neighbour");
    }
    remove(before);
    put(before.getKey(), high);
    return before.getKey();
  }

  /** Returns how many bytes the end of a range and the beginning of the next have in common. */
  private static int common(byte @Nullable [] end, byte[] next) {
    return end == null ? 0 : Arrays.mismatch(end, next);
  }

  /** Calls for each range, with its first key and the first one behind it, null for no end. */
  void forEach(BiConsumer<byte[], byte @Nullable []> action) {
    settle();
    ends.forEach(action);
  }

  /** Returns how many ranges there are. */
  int count() {
    settle();
    return ends.size();
  }
}
