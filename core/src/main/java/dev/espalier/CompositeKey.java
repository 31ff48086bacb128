// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * Packs two or more signed numbers into one long key that sorts by the first number, then by the
 * second, and so on: an int and an int, a short and an int, or any other widths that add up to at
 * most 64 bits.
 *
 * {@snippet :
 * record OrderLine(int order, short line) {}
 *
 * CompositeKey lines = CompositeKey.of(Integer.SIZE, Short.SIZE);
 *
 * // With longs
 * index.put(lines.encode(4711, 2), 12);
 * long count = index.countRange(lines.least(4711), true, lines.greatest(4711), true);
 *
 * // With objects
 * KeyCodec<OrderLine> codec =
 *     lines.codec(
 *         OrderLine::order,
 *         OrderLine::line,
 *         (order, line) -> new OrderLine((int) order, (short) line));
 * NavigableMap<OrderLine, Long> map = index.asMap(codec, ValueCodec.ofLong());
 * }
 *
 * <p>Parts are signed: 16 bits hold -32768 to 32767. For an unsigned part, allow one bit more. All
 * methods take O(1) time; encoding two or three parts and {@link #part} allocate nothing.
 * Immutable, and safe for use by several threads.
 */
public final class CompositeKey {
  private final int[] bits;

  /** For each part, the number of bits of all parts after it. */
  private final int[] shifts;

  private CompositeKey(int[] bits, int[] shifts) {
    this.bits = bits;
    this.shifts = shifts;
  }

  /**
   * Returns a layout with the given number of bits for each part, the most significant part first.
   *
   * @param bits two or more widths, each at least 1, at most 64 in total
   * @throws IllegalArgumentException if there are fewer than two widths, one is below 1, or their
   *     sum is above 64
   */
  public static CompositeKey of(int... bits) {
    int[] widths = bits.clone();
    int[] shifts = new int[widths.length];
    int total = 0;
    boolean valid = widths.length >= 2;
    for (int i = widths.length - 1; i >= 0 && valid; i--) {
      shifts[i] = total;
      valid = widths[i] >= 1 && widths[i] <= Long.SIZE - total;
      total += widths[i];
    }
    if (!valid) {
      throw new IllegalArgumentException(
          "bits is "
              + Arrays.toString(widths)
              + "; it must be two or more positive widths with a sum of at most "
              + Long.SIZE);
    }
    return new CompositeKey(widths, shifts);
  }

  /** Returns the number of parts. */
  public int parts() {
    return bits.length;
  }

  /**
   * Returns the key made of two parts.
   *
   * @throws IllegalArgumentException if this layout does not have two parts, or a part does not fit
   *     into its bits; the message names the part and its range
   */
  public long encode(long first, long second) {
    checkParts(2);
    return place(0, first) | place(1, second);
  }

  /**
   * Returns the key made of three parts.
   *
   * @throws IllegalArgumentException if this layout does not have three parts, or a part does not
   *     fit into its bits; the message names the part and its range
   */
  public long encode(long first, long second, long third) {
    checkParts(3);
    return place(0, first) | place(1, second) | place(2, third);
  }

  /**
   * Returns the key made of any number of parts. Unlike the other forms, this one allocates an
   * array.
   *
   * @throws IllegalArgumentException if this layout has another number of parts, or a part does not
   *     fit into its bits; the message names the part and its range
   */
  public long encode(long... parts) {
    checkParts(parts.length);
    return least(parts);
  }

  /**
   * Returns a part of a key.
   *
   * @param key a key made by this layout
   * @param i number of the part, from 0, the most significant
   * @throws IndexOutOfBoundsException if there is no part {@code i}
   * @throws IllegalArgumentException if {@code key} has bits outside this layout
   */
  public long part(long key, int i) {
    int width = bits[Objects.checkIndex(i, bits.length)];
    if (i > 0) {
      return (key >>> shifts[i] & mask(width)) - half(width);
    }
    long part = key >> shifts[0];
    if (!fits(part, width)) {
      throw new IllegalArgumentException(
          "key is " + key + "; it has bits outside the layout " + this);
    }
    return part;
  }

  /**
   * Returns the least key that begins with the given parts. A range scan over all keys that begin
   * with them starts here.
   *
   * @param prefix one or more leading parts, at most {@link #parts()}
   * @throws IllegalArgumentException if there are none or too many, or one does not fit
   */
  public long least(long... prefix) {
    if (prefix.length < 1 || prefix.length > bits.length) {
      throw new IllegalArgumentException(
          "prefix has " + prefix.length + " parts; it must have 1 to " + bits.length);
    }
    long key = 0;
    for (int i = 0; i < prefix.length; i++) {
      key |= place(i, prefix[i]);
    }
    return key;
  }

  /**
   * Returns the greatest key that begins with the given parts. A range scan over all keys that
   * begin with them ends here, inclusive.
   *
   * @param prefix one or more leading parts, at most {@link #parts()}
   * @throws IllegalArgumentException if there are none or too many, or one does not fit
   */
  public long greatest(long... prefix) {
    return least(prefix) | mask(shifts[prefix.length - 1]);
  }

  /**
   * Returns a codec for objects made of two numbers, sorted by the first, then by the second.
   *
   * @param first reads the first part of an object
   * @param second reads the second part of an object
   * @param make creates an object from both parts
   * @throws IllegalArgumentException if this layout does not have two parts
   */
  public <K> KeyCodec<K> codec(
      ToLongFunction<? super K> first, ToLongFunction<? super K> second, OfTwo<? extends K> make) {
    checkParts(2);
    Comparator<K> order = Comparator.<K>comparingLong(first).thenComparingLong(second);
    return new Codecs.CompositeCodec<>(
        key -> encode(first.applyAsLong(key), second.applyAsLong(key)),
        stored -> make.make(part(stored, 0), part(stored, 1)),
        order);
  }

  /**
   * Returns a codec for objects made of three numbers, sorted by the first, then by the second,
   * then by the third.
   *
   * @param first reads the first part of an object
   * @param second reads the second part of an object
   * @param third reads the third part of an object
   * @param make creates an object from all parts
   * @throws IllegalArgumentException if this layout does not have three parts
   */
  public <K> KeyCodec<K> codec(
      ToLongFunction<? super K> first,
      ToLongFunction<? super K> second,
      ToLongFunction<? super K> third,
      OfThree<? extends K> make) {
    checkParts(3);
    Comparator<K> order =
        Comparator.<K>comparingLong(first).thenComparingLong(second).thenComparingLong(third);
    return new Codecs.CompositeCodec<>(
        key -> encode(first.applyAsLong(key), second.applyAsLong(key), third.applyAsLong(key)),
        stored -> make.make(part(stored, 0), part(stored, 1), part(stored, 2)),
        order);
  }

  /** Creates an object from two parts. */
  @FunctionalInterface
  public interface OfTwo<K> {
    /** Returns the object made of two parts. */
    K make(long first, long second);
  }

  /** Creates an object from three parts. */
  @FunctionalInterface
  public interface OfThree<K> {
    /** Returns the object made of three parts. */
    K make(long first, long second, long third);
  }

  /** Returns the widths in bits, such as {@code [32, 16]}. */
  @Override
  public String toString() {
    return Arrays.toString(bits);
  }

  /**
   * Returns a part, shifted to its place in the key. The first part keeps its sign, which is also
   * the key's. The others are stored without a sign, so that the bits of their least value are all
   * 0.
   */
  private long place(int i, long part) {
    int width = bits[i];
    if (!fits(part, width)) {
      throw new IllegalArgumentException(
          "part %d is %d; its %d bits hold %d to %d"
              .formatted(i, part, width, -half(width), half(width) - 1));
    }
    return (i == 0 ? part : part + half(width)) << shifts[i];
  }

  private void checkParts(int given) {
    if (given != bits.length) {
      throw new IllegalArgumentException(
          given + " parts were given, but the layout " + this + " has " + bits.length);
    }
  }

  private static boolean fits(long part, int width) {
    return part >= -half(width) && part < half(width);
  }

  /** Returns half the number of values that {@code width} bits can hold, for widths below 64. */
  private static long half(int width) {
    return 1L << (width - 1);
  }

  private static long mask(int width) {
    return (1L << width) - 1;
  }
}
