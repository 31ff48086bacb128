// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fallback-too")
class KeyOrderTest {
  private static final int BEFORE = 8;

  private final SplittableRandom random = new SplittableRandom(3);

  /** Returns a key with other bytes before it, which are to have no influence. */
  private byte[] behindOthers(byte[] key) {
    byte[] all = new byte[BEFORE + key.length];
    random.nextBytes(all);
    System.arraycopy(key, 0, all, BEFORE, key.length);
    return all;
  }

  private byte[] drawKey(int length) {
    byte[] key = new byte[length];
    for (int i = 0; i < length; i++) {
      key[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt() : 0x7f + random.nextInt(2));
    }
    return key;
  }

  @Test
  void headIsMadeOfTheKeyAloneWhereverItLies() {
    for (int length = 0; length <= 12; length++) {
      byte[] key = drawKey(length);
      long expected = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        expected = (expected << Byte.SIZE) | (i < length ? key[i] & 0xff : 0);
      }
      expected ^= Long.MIN_VALUE;
      MemorySegment behind = MemorySegment.ofArray(behindOthers(key));
      assertEquals(expected, KeyOrder.head(MemorySegment.ofArray(key), 0, length), "alone");
      assertEquals(expected, KeyOrder.head(behind, BEFORE, length), "behind others");
      assertEquals(expected, KeyOrder.word(behind, BEFORE, length), "word");
    }
  }

  @Test
  void comparesByWordsAsByBytes() {
    for (int length = 0; length <= 40; length++) {
      byte[] key = drawKey(length);
      for (int change = 0; change <= length; change++) {
        byte[] other = key.clone();
        if (change < length) {
          other[change] = (byte) random.nextInt();
        }
        MemorySegment a = MemorySegment.ofArray(behindOthers(key));
        MemorySegment b = MemorySegment.ofArray(behindOthers(other));
        int order = KeyOrder.compareWords(a, BEFORE, b, BEFORE, length);
        assertEquals(Integer.signum(Arrays.compareUnsigned(key, other)), Integer.signum(order));
      }
    }
  }
}
