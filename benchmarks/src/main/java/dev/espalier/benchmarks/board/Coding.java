// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Entries as bytes. A long for a key is eight bytes whose unsigned order is that of the longs; a
 * string is {@code user} and sixteen letters from a to p, in the same order. A value begins with
 * its {@link Word}; one of 16 bytes or more ends with the word's complement, and what is between
 * can't be compressed.
 */
public final class Coding {
  static final int STRING_BYTES = Integer.BYTES + 2 * Long.BYTES;

  private static final ValueLayout.OfInt BIG_INT =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong BIG_LONG =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final int USER = 'u' << 24 | 's' << 16 | 'e' << 8 | 'r';
  private static final long LETTERS_A = 0x6161616161616161L;
  private static final long NIBBLES = 0x0F0F0F0F0F0F0F0FL;
  private static final long INT_BITS = 0xFFFFFFFFL;

  private static final int SEED = 7;
  private static final int NOISE_BYTES = 1 << 20;

  /** Odd, so that values begin all over the noise. */
  private static final long STRIDE = 8191;

  private final Setting.Kind kind;
  private final int valueBytes;
  private final boolean isGuarded;
  private final MemorySegment noise;

  /** Prepares the bytes of a kind of entries. */
  public Coding(Setting.Kind kind) {
    this.kind = kind;
    valueBytes = kind.valueBytes();
    isGuarded = valueBytes >= 2 * Long.BYTES;
    noise = Arena.ofAuto().allocate(NOISE_BYTES + (long) valueBytes);
    SplittableRandom random = new SplittableRandom(SEED);
    for (long at = 0; at < noise.byteSize(); at++) {
      noise.set(JAVA_BYTE, at, (byte) random.nextInt());
    }
  }

  /** Returns the bytes of each key. */
  public int keyBytes() {
    return kind.keyBytes();
  }

  /** Returns the bytes of each value. */
  public int valueBytes() {
    return valueBytes;
  }

  /** Writes the key of an entry. */
  public void writeKey(long entry, MemorySegment into) {
    long bits = Setting.key(entry) ^ Long.MIN_VALUE;
    if (kind == Setting.Kind.LONGS) {
      into.set(BIG_LONG, 0, bits);
    } else {
      into.set(BIG_INT, 0, USER);
      into.set(BIG_LONG, Integer.BYTES, letters(bits >>> Integer.SIZE));
      into.set(BIG_LONG, Integer.BYTES + Long.BYTES, letters(bits & INT_BITS));
    }
  }

  /** Returns the key as the long that it stands for. */
  public long key(MemorySegment from) {
    if (kind == Setting.Kind.LONGS) {
      return from.get(BIG_LONG, 0) ^ Long.MIN_VALUE;
    }
    long high = bits(from.get(BIG_LONG, Integer.BYTES));
    long low = bits(from.get(BIG_LONG, Integer.BYTES + Long.BYTES));
    return (high << Integer.SIZE | low) ^ Long.MIN_VALUE;
  }

  /** Returns eight letters for the lower 32 bits, four bits each. */
  private static long letters(long bits) {
    long spread = (bits | bits << 16) & 0x0000FFFF0000FFFFL;
    spread = (spread | spread << 8) & 0x00FF00FF00FF00FFL;
    spread = (spread | spread << 4) & NIBBLES;
    return spread + LETTERS_A;
  }

  private static long bits(long letters) {
    long spread = letters - LETTERS_A & NIBBLES;
    spread = (spread | spread >>> 4) & 0x00FF00FF00FF00FFL;
    spread = (spread | spread >>> 8) & 0x0000FFFF0000FFFFL;
    return (spread | spread >>> 16) & INT_BITS;
  }

  /** Writes the value that begins with a word. */
  public void writeValue(long word, MemorySegment into) {
    into.set(JAVA_LONG_UNALIGNED, 0, word);
    if (isGuarded) {
      long from = word * STRIDE & NOISE_BYTES - 1;
      long end = valueBytes - (long) Long.BYTES;
      MemorySegment.copy(noise, from, into, Long.BYTES, end - Long.BYTES);
      into.set(JAVA_LONG_UNALIGNED, end, ~word);
    }
  }

  /** Returns the word of a value, {@link Word#TORN} if it has another length or another end. */
  public long word(MemorySegment value) {
    if (value.byteSize() != valueBytes) {
      return Word.TORN;
    }
    long word = value.get(JAVA_LONG_UNALIGNED, 0);
    boolean isWhole =
        !isGuarded || value.get(JAVA_LONG_UNALIGNED, valueBytes - (long) Long.BYTES) == ~word;
    return isWhole ? word : Word.TORN;
  }

  /** Returns a new array with the key of an entry. */
  public byte[] keyArray(long entry) {
    byte[] key = new byte[keyBytes()];
    writeKey(entry, MemorySegment.ofArray(key));
    return key;
  }

  /** Returns a new array with the value that begins with a word. */
  public byte[] valueArray(long word) {
    byte[] value = new byte[valueBytes];
    writeValue(word, MemorySegment.ofArray(value));
    return value;
  }
}
