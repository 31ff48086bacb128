// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.memory.Words;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of searches, each held against a plain one in its own array. */
class GroupSearchTest {
  private static final int MOST_KEYS = 40;

  /** Apart from each other and from the memory's start, so that neither is read by mistake. */
  private static final int ARRAY_BYTES = (MOST_KEYS + 3) * Long.BYTES;

  private static final int FROM = 3;
  private static final long UNTOUCHED = 77;

  private final SplittableRandom random = new SplittableRandom(5);
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment nodes = arena.allocate(Long.SIZE * (long) ARRAY_BYTES);
  private final long[][] arrays = new long[Long.SIZE][];
  private final long[] keys = new long[FROM + Long.SIZE];
  private final long[] searches = new long[FROM + Long.SIZE];

  @AfterEach
  void close() {
    arena.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, MOST_KEYS})
  void arraysOfOneLengthAreSearchedAsByAPlainSearch(int length) {
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < Long.SIZE; i++) {
        begin(i, random.longs(length, -20, 20).toArray(), random.nextLong(-22, 22));
      }
      assertFinished(-1L);
    }
  }

  @Test
  void arraysOfManyLengthsAreSearchedTogether() {
    for (int round = 0; round < 500; round++) {
      for (int i = 0; i < Long.SIZE; i++) {
        int length = random.nextInt(MOST_KEYS + 1);
        begin(i, random.longs(length, -20, 20).toArray(), random.nextLong(-22, 22));
      }
      assertFinished(-1L);
    }
  }

  @Test
  void probesOutsideOfTheGroupStayWhatTheyAre() {
    for (int round = 0; round < 500; round++) {
      long group = random.nextLong() << random.nextInt(Long.SIZE);
      for (int i = 0; i < Long.SIZE; i++) {
        begin(i, random.longs(1 + random.nextInt(9)).toArray(), random.nextLong());
      }
      assertFinished(group);
    }
    assertFinished(0);
  }

  @Test
  void eachProbeIsFoundInAGroupOfItsOwn() {
    for (int i = 0; i < Long.SIZE; i++) {
      long[] array = random.longs(MOST_KEYS).toArray();
      begin(i, array, array[i % MOST_KEYS]);
      assertFinished(1L << i);
    }
  }

  @Test
  void smallestAndLargestKeysAreFoundAndMissed() {
    long[] edges = {
      Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE
    };
    for (int left = 0; left < 1 << edges.length; left++) {
      long[] array = new long[Integer.bitCount(left)];
      int length = 0;
      for (int j = 0; j < edges.length; j++) {
        if ((left >>> j & 1) != 0) {
          array[length++] = edges[j];
        }
      }
      for (int i = 0; i < edges.length; i++) {
        begin(i, array, edges[i]);
      }
      assertFinished((1L << edges.length) - 1);
    }
  }

  @Test
  void keyBehindAnEmptyArrayIsNotInIt() {
    begin(0, new long[0], 5);
    Words.putLong(nodes, offset(0), 5);
    assertFinished(1);
  }

  @Test
  void longestArrayIsSearched() {
    int length = GroupSearch.MOST_KEYS;
    MemorySegment large = arena.allocate((long) length * Long.BYTES);
    for (int i = 0; i < length; i++) {
      Words.putLong(large, (long) i * Long.BYTES, 2L * i);
    }
    for (int i = 0; i < Long.SIZE; i++) {
      keys[FROM + i] = i == 0 ? 2L * (length - 1) : random.nextLong(2L * length);
      searches[FROM + i] = GroupSearch.begin(0, length);
    }
    GroupSearch.finish(large, -1L, keys, FROM, searches, FROM);
    for (int i = 0; i < Long.SIZE; i++) {
      long key = keys[FROM + i];
      assertEquals(key / 2 * Long.BYTES, GroupSearch.offset(searches[FROM + i]));
      assertEquals(key % 2 == 0, GroupSearch.isAt(large, searches[FROM + i], key));
    }
  }

  private static long offset(int probe) {
    return (long) probe * ARRAY_BYTES + Long.BYTES;
  }

  /** Makes distinct keys an array, with what is no key of it on either side, to be searched. */
  private void begin(int probe, long[] unsorted, long key) {
    long[] array = Arrays.stream(unsorted).sorted().distinct().toArray();
    Words.putLong(nodes, offset(probe) - Long.BYTES, key);
    for (int i = 0; i < array.length; i++) {
      Words.putLong(nodes, offset(probe) + (long) i * Long.BYTES, array[i]);
    }
    Words.putLong(nodes, offset(probe) + (long) array.length * Long.BYTES, key);
    arrays[probe] = array;
    keys[FROM + probe] = key;
  }

  private void assertFinished(long group) {
    Arrays.fill(searches, UNTOUCHED);
    for (long rest = group; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      searches[FROM + i] = GroupSearch.begin(offset(i), arrays[i].length);
    }
    GroupSearch.finish(nodes, group, keys, FROM, searches, FROM);
    for (int i = 0; i < FROM; i++) {
      assertEquals(UNTOUCHED, searches[i]);
    }
    for (int i = 0; i < Long.SIZE; i++) {
      if ((group >>> i & 1) != 0) {
        assertFound(i);
      } else {
        assertEquals(UNTOUCHED, searches[FROM + i]);
      }
    }
  }

  private void assertFound(int probe) {
    long key = keys[FROM + probe];
    int slot = Arrays.binarySearch(arrays[probe], key);
    int last = Math.max(slot >= 0 ? slot : -slot - 2, 0);
    long search = searches[FROM + probe];
    assertEquals(offset(probe) + (long) last * Long.BYTES, GroupSearch.offset(search));
    assertEquals(slot >= 0, GroupSearch.isAt(nodes, search, key));
  }
}
