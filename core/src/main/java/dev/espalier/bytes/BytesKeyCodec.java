// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores keys of type {@code K} as byte strings, keeping their order: {@code encode(a)} comes
 * before {@code encode(b)}, as unsigned bytes, exactly when {@code a} sorts before {@code b}.
 *
 * <p>Every codec throws {@link NullPointerException} for a null key, and may be used by several
 * threads at once. Time and memory are proportional to the number of bytes of a key.
 */
public interface BytesKeyCodec<K> {

  /**
   * Returns the bytes to store for {@code key}, in an array that the caller only reads.
   *
   * @throws IllegalArgumentException if the key can't be stored
   */
  byte[] encode(K key);

  /**
   * Returns the key for which {@link #encode} returned {@code stored}, an array that the caller
   * hands over to this codec.
   *
   * @throws IllegalArgumentException if {@code encode} never returns these bytes
   */
  K decode(byte[] stored);

  /** Returns the order of the keys, or null if it is the natural order of {@code K}. */
  default @Nullable Comparator<? super K> comparator() {
    return null;
  }

  /**
   * Returns the name by which an index remembers this codec, so as to refuse others, or null if it
   * does not: see {@link dev.espalier.CodecMarks}. A codec that reads what another one has written
   * may have its mark. Never change the mark of a codec that is in use.
   */
  default @Nullable String mark() {
    return null;
  }

  /**
   * Returns a codec for strings, in UTF-8 and therefore in the order of their code points. The
   * natural order of strings, that of UTF-16, differs from it where a character above U+FFFF is
   * compared with one from U+E000 to U+FFFF. A string with half of a surrogate pair can't be
   * stored.
   */
  static BytesKeyCodec<String> ofString() {
    return BytesCodecs.StringCodec.INSTANCE;
  }

  /**
   * Returns a codec for byte arrays in unsigned order. As keys of a map, arrays are found by
   * content, but {@code equals} of maps and sets compares arrays by identity.
   */
  static BytesKeyCodec<byte[]> ofBytes() {
    return BytesCodecs.ArrayCodec.INSTANCE;
  }

  /** Returns a codec for longs in signed order, in 8 bytes. */
  static BytesKeyCodec<Long> ofLong() {
    return BytesCodecs.LongKeyCodec.INSTANCE;
  }

  /** Returns a codec for ints in signed order, in 4 bytes. */
  static BytesKeyCodec<Integer> ofInt() {
    return BytesCodecs.IntKeyCodec.INSTANCE;
  }

  /**
   * Returns a codec for UUIDs, in 16 bytes and in the order of their digits. {@link UUID#compareTo}
   * uses another order: it compares the halves as signed numbers.
   */
  static BytesKeyCodec<UUID> ofUuid() {
    return BytesCodecs.UuidCodec.INSTANCE;
  }

  /**
   * Returns a codec for tuples, encoded by {@link dev.espalier.tuple.TupleWriter}: lists of the
   * parts that its {@code add(Object)} takes, in the order that its Javadoc describes. Integers
   * come back as longs; decoding does not tell whether a part is descending.
   */
  static BytesKeyCodec<List<@Nullable Object>> ofTuple() {
    return BytesCodecs.TupleCodec.INSTANCE;
  }
}
