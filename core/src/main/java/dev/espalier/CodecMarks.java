// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The names by which an index remembers the codecs of its keys and values, so that it can refuse
 * others. An index of an {@code IndexStore} that was made with codecs has them; others have none.
 *
 * <p>A mark is a word of letters, digits and any of {@code .-_}. Two codecs may have the same mark
 * if each reads what the other writes. A codec without a mark is taken for any other.
 *
 * @param keys the mark of the codec of the keys, or null if it has none or is not known
 * @param values the same of the values
 */
public record CodecMarks(@Nullable String keys, @Nullable String values) {
  /** No marks: any codecs will do. */
  public static final CodecMarks NONE = new CodecMarks(null, null);

  private static final int MOST_CHARACTERS = 100;

  /**
   * Makes a pair of marks.
   *
   * @throws IllegalArgumentException if one is no such word, or longer than 100 characters
   */
  public CodecMarks {
    check("keys", keys);
    check("values", values);
  }

  private static void check(String name, @Nullable String mark) {
    if (mark != null && (mark.length() > MOST_CHARACTERS || !mark.matches("[A-Za-z0-9._-]+"))) {
      throw new IllegalArgumentException(
          "the mark of the codec of %s is '%s'; it must be a word of letters, digits and any of .-_"
              .formatted(name, mark));
    }
  }

  /** Returns the marks of a pair of codecs. */
  public static CodecMarks of(KeyCodec<?> keyCodec, ValueCodec<?> valueCodec) {
    return new CodecMarks(
        Objects.requireNonNull(keyCodec, "keyCodec").mark(),
        Objects.requireNonNull(valueCodec, "valueCodec").mark());
  }

  /**
   * Checks that codecs with other marks can be used where codecs with these were.
   *
   * @param index what messages call the index that has these marks
   * @throws IllegalArgumentException if they can't; the message names both
   */
  public void check(Object index, CodecMarks others) {
    check(index, "keys", keys, others.keys);
    check(index, "values", values, others.values);
  }

  private static void check(
      Object index, String what, @Nullable String mark, @Nullable String other) {
    if (mark != null && other != null && !mark.equals(other)) {
      throw new IllegalArgumentException(
          "%s has %s stored by the codec '%s'; the codec given is '%s'"
              .formatted(index, what, mark, other));
    }
  }
}
