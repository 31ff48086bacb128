// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tuples from one to another, as bytes.
 *
 * @param from the first that is in the range; {@link #FIRST} for all
 * @param to the first after it that is not; null if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // Neither compared nor shown.
record TupleRange(byte[] from, byte @Nullable [] to) implements Serializable {
  /** Greater than the code of every type, so it ends what begins with a part, and with no other. */
  private static final byte AFTER_ALL_PARTS = (byte) 0xFF;

  /** Before every tuple. */
  static final byte[] FIRST = {};

  static final TupleRange ALL = new TupleRange(FIRST, null);

  /** Returns the range of the tuples that begin with some parts. */
  static TupleRange beginningWith(byte[] parts) {
    return new TupleRange(parts, after(parts));
  }

  /** Returns what is greater than all tuples that begin with some parts, and less than others. */
  static byte[] after(byte[] parts) {
    byte[] after = Arrays.copyOf(parts, parts.length + 1);
    after[parts.length] = AFTER_ALL_PARTS;
    return after;
  }

  TupleRange intersect(TupleRange other) {
    byte[] later = Arrays.compareUnsigned(from, other.from) >= 0 ? from : other.from;
    byte[] earlier = other.to == null || isEarlier(to, other.to) ? to : other.to;
    return new TupleRange(later, earlier);
  }

  private static boolean isEarlier(byte @Nullable [] end, byte[] otherEnd) {
    return end != null && Arrays.compareUnsigned(end, otherEnd) < 0;
  }

  boolean contains(byte[] key) {
    return Arrays.compareUnsigned(key, from) >= 0 && !isBefore(key);
  }

  /**
   * Goes to the first key of the range, which may be longer than any key of an index, and no entry.
   *
   * @return whether there is an entry from there on
   */
  boolean goToFirst(BytesCursor cursor) {
    return from.length > BytesIndex.MAX_KEY
        ? cursor.higher(MemorySegment.ofArray(from).asSlice(0, BytesIndex.MAX_KEY))
        : cursor.ceiling(MemorySegment.ofArray(from));
  }

  /** Returns whether the range ends before a key. */
  boolean isBefore(byte[] key) {
    return to != null && Arrays.compareUnsigned(key, to) >= 0;
  }
}
