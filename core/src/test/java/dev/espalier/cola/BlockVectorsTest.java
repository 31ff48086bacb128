// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The SIMD kernels; what is built on them is tested with and without. */
class BlockVectorsTest {
  private final SplittableRandom random = new SplittableRandom(7);

  @BeforeEach
  void onlyWithVectors() {
    assumeTrue(Ordered.SIMD, "this machine has no vectors of 8 longs");
  }

  @Test
  void countsKeysBelow() {
    long[] keys = random.longs(64, -50, 50).toArray();
    keys[9] = Long.MAX_VALUE;
    keys[10] = Long.MIN_VALUE;
    for (long key = -51; key <= 51; key++) {
      long bound = key;
      long expected = Arrays.stream(keys).filter(k -> k < bound).count();
      assertEquals(expected, BlockVectors.countBelow(keys, key));
    }
  }

  @Test
  void keepsTheWordsThatBitsSay() {
    for (int turn = 0; turn < 1000; turn++) {
      int count = random.nextInt(65);
      int from = random.nextInt(20);
      int to = random.nextInt(from + 1);
      long kept = random.nextLong() & (random.nextBoolean() ? -1 : random.nextLong());
      long[] words = random.longs(from + count).toArray();
      long[] expected = Arrays.copyOf(words, to + count);
      int end = to;
      for (int i = 0; i < count; i++) {
        if ((kept >>> i & 1) != 0) {
          expected[end++] = words[from + i];
        }
      }
      long[] oneByOne = words.clone();
      assertEquals(end, Ordered.compressOneByOne(oneByOne, from, count, kept, to));
      assertArrayEquals(Arrays.copyOf(expected, end), Arrays.copyOf(oneByOne, end));
      assertEquals(end, BlockVectors.compress(words, from, count, kept, to));
      assertArrayEquals(Arrays.copyOf(expected, end), Arrays.copyOf(words, end));
    }
  }

  @Test
  void mergesWholeVectorsOfTheLowestKeys() {
    for (int turn = 0; turn < 1000; turn++) {
      long[] newer = random.longs(random.nextInt(1, 300)).sorted().toArray();
      long[] older = random.longs(random.nextInt(1, 300)).sorted().toArray();
      long[] keys = new long[3 + random.nextInt(400)];
      long[] values = new long[keys.length];
      int end =
          MergeNetwork.merge(
              newer, newer, 0, newer.length, older, older, 0, older.length, keys, values, 3);
      long[] both = Arrays.copyOf(newer, newer.length + older.length);
      System.arraycopy(older, 0, both, newer.length, older.length);
      Arrays.sort(both);
      long[] expected = Arrays.copyOf(both, end - 3);
      assertArrayEquals(expected, Arrays.copyOfRange(keys, 3, end));
      assertArrayEquals(expected, Arrays.copyOfRange(values, 3, end));
      int most = Math.min(keys.length - 3, Math.min(newer.length, older.length));
      assertTrue(end - 3 >= most / 8 * 8, "nothing was merged");
    }
  }

  @Test
  void findsTwins() {
    for (int count = 0; count < 60; count++) {
      long[] keys = random.longs(count + 2L).sorted().toArray();
      assertFalse(MergeNetwork.hasTwins(keys, 1, count + 1));
      for (int i = 1; i < count; i++) {
        long[] twins = keys.clone();
        twins[i] = twins[i + 1];
        assertTrue(MergeNetwork.hasTwins(twins, 1, count + 1));
      }
      keys[0] = keys[1];
      keys[count + 1] = keys[count];
      assertFalse(MergeNetwork.hasTwins(keys, 1, count + 1), "looked beyond its part");
    }
  }
}
