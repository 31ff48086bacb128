// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Keys that differ in the last byte, are prefixes of one another, are empty, of 0x00 and 0xff
 * alone, or as long as keys may be; values of no bytes to many. The same seed gives the same.
 */
final class NastyBytes {
  private static final byte[] LETTERS = {0, 1, 'a', 0x7F, (byte) 0x80, (byte) 0xFE, (byte) 0xFF};
  private static final int[] LENGTHS = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 40, 100};

  final Random random;

  NastyBytes(long seed) {
    this.random = new Random(seed);
  }

  /** Returns a key, most of them short. */
  byte[] key() {
    return switch (random.nextInt(8)) {
      case 0 -> filled((byte) 0xFF, random.nextInt(40));
      case 1 -> filled((byte) 0, random.nextInt(40));
      case 2 -> letters(random.nextInt(4));
      case 3 -> extended(filled((byte) 'p', LENGTHS[random.nextInt(LENGTHS.length)]), 2);
      case 4 -> extended("https://example.org/catalogue/item?number=".getBytes(), 3);
      case 5 -> extended(filled((byte) 0xFF, 8), 2);
      case 6 -> letters(LENGTHS[random.nextInt(LENGTHS.length)]);
      default -> letters(random.nextInt(12));
    };
  }

  /** Returns different keys in ascending order. */
  List<byte[]> keys(int count) {
    TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    while (keys.size() < count) {
      keys.add(keys.size() % 50 == 49 ? longKey() : key());
    }
    return new ArrayList<>(keys);
  }

  /** Returns one of the longest keys, or a little shorter; they differ in their last two bytes. */
  byte[] longKey() {
    byte[] key = filled((byte) 'k', BytesIndex.MAX_KEY - random.nextInt(3));
    key[key.length - 1] = letter();
    key[key.length - 2] = letter();
    return key;
  }

  /** Returns a value, one in fifty of them long. */
  byte[] value() {
    return switch (random.nextInt(50)) {
      case 0 -> random(random.nextInt(100_000));
      case 1, 2, 3, 4 -> random(random.nextInt(3000));
      case 5, 6, 7, 8, 9 -> new byte[0];
      default -> random(random.nextInt(30));
    };
  }

  byte[] random(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  <T> T oneOf(List<T> elements) {
    return elements.get(random.nextInt(elements.size()));
  }

  /** Returns a segment with these bytes: in the heap or not, from its beginning or not. */
  MemorySegment segment(byte[] bytes) {
    int before = random.nextInt(3);
    long length = bytes.length;
    MemorySegment around =
        random.nextBoolean()
            ? Arena.ofAuto().allocate(length + before + 1)
            : MemorySegment.ofArray(new byte[bytes.length + before + 1]);
    MemorySegment copy = around.asSlice(before, length);
    copy.copyFrom(MemorySegment.ofArray(bytes));
    return copy.asReadOnly();
  }

  private byte[] letters(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = letter();
    }
    return bytes;
  }

  private byte[] extended(byte[] prefix, int most) {
    byte[] bytes = Arrays.copyOf(prefix, prefix.length + random.nextInt(most + 1));
    for (int i = prefix.length; i < bytes.length; i++) {
      bytes[i] = letter();
    }
    return bytes;
  }

  private byte letter() {
    return LETTERS[random.nextInt(LETTERS.length)];
  }

  static byte[] filled(byte value, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, value);
    return bytes;
  }
}
