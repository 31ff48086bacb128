// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The keys of byte strings that a transaction has read. */
class ReadStringRangesTest {
  private static final byte[] BYTES = {0, 1, (byte) 0xff};

  /** A range of keys; without an end if {@code to} is null. */
  private record Range(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    boolean has(byte[] key) {
      return Arrays.compareUnsigned(key, from) > (fromInclusive ? -1 : 0)
          && (to == null || Arrays.compareUnsigned(key, to) < (toInclusive ? 1 : 0));
    }
  }

  private static boolean has(ReadStringRanges ranges, byte[] key) {
    List<byte[]> found = new ArrayList<>();
    ranges.forEach(
        (from, behind) -> {
          if (new Range(from, true, behind, false).has(key)) {
            found.add(from);
          }
        });
    assertTrue(found.size() <= 1, "ranges overlap");
    return !found.isEmpty();
  }

  private static List<byte[]> keys() {
    List<byte[]> keys = new ArrayList<>(List.of(new byte[0]));
    for (int i = 0; keys.size() < 1 + 3 + 9 + 27; i++) {
      for (byte last : BYTES) {
        byte[] next = Arrays.copyOf(keys.get(i), keys.get(i).length + 1);
        next[next.length - 1] = last;
        keys.add(next);
      }
    }
    return keys;
  }

  @Test
  void haveAllThatWasAddedAndNothingElse() {
    List<byte[]> keys = keys();
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ReadStringRanges ranges = new ReadStringRanges();
      List<Range> added = new ArrayList<>();
      for (int i = random.nextInt(12); i > 0; i--) {
        byte[] from = keys.get(random.nextInt(keys.size()));
        byte[] to = random.nextInt(8) == 0 ? null : keys.get(random.nextInt(keys.size()));
        if (!added.isEmpty() && random.nextBoolean() && added.getLast().to != null) {
          from = added.getLast().to; // as a scan goes on
        }
        if (to != null && Arrays.compareUnsigned(from, to) > 0) {
          byte[] first = to;
          to = from;
          from = first;
        }
        Range range = new Range(from, random.nextBoolean(), to, random.nextBoolean());
        ranges.add(range.from, range.fromInclusive, range.to, range.toInclusive);
        added.add(range);
      }
      for (byte[] key : keys) {
        boolean expected = added.stream().anyMatch(range -> range.has(key));
        assertEquals(expected, has(ranges, key), "seed " + seed + ", " + Arrays.toString(key));
      }
    }
  }

  private static byte[] key(int number) {
    return "%06d".formatted(number).getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void scanIsOneRangeInBothDirections() {
    ReadStringRanges ranges = new ReadStringRanges();
    for (int i = 0; i < 1000; i++) {
      ranges.add(key(i), false, key(i + 1), true);
    }
    for (int i = 3000; i > 2000; i--) {
      ranges.add(key(i - 1), true, key(i), false);
    }
    assertEquals(2, ranges.count());
  }

  @Test
  void tooManyGrowCoarserAndNoneIsLost() {
    ReadStringRanges ranges = new ReadStringRanges();
    SplittableRandom random = new SplittableRandom(1);
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 3 * ReadStringRanges.MOST; i++) {
      byte[] key = key(random.nextInt(1_000_000));
      keys.add(key);
      ranges.add(key, true, key, true);
    }
    assertTrue(ranges.count() <= ReadStringRanges.MOST, () -> "" + ranges.count());
    assertTrue(ranges.count() > ReadStringRanges.MOST / 2, () -> "" + ranges.count());
    for (int i = 0; i < keys.size(); i += 50) {
      assertTrue(has(ranges, keys.get(i)));
    }
  }

  @Test
  void longEndsGrowCoarser() {
    ReadStringRanges ranges = new ReadStringRanges();
    for (int i = 0; i < 100; i++) {
      byte[] key = Arrays.copyOf(key(i), 50_000);
      ranges.add(key, true, key, true);
    }
    int count = ranges.count();
    assertTrue(count <= ReadStringRanges.MOST_BYTES / 50_000 && count > 1, () -> "" + count);
    for (int i = 0; i < 100; i++) {
      assertTrue(has(ranges, Arrays.copyOf(key(i), 50_000)));
    }
  }
}
