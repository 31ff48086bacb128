// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.NodeMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every kernel at every length of the array, every count and every position. The build runs this
 * with SIMD and without; the scalar kernels are in both runs, and all are held against one plain
 * loop over a Java array.
 */
@Tag("fallback-too")
class KeysTest {
  /** Up to here every length is tried. */
  private static final int MOST_SLOTS = 64;

  /** The words of the widest nodes. */
  private static final int WIDEST = NodeMemory.MAX_LINES * CacheLine.LONGS;

  /** Lengths around those at which a kernel may go another way, up to the widest nodes. */
  private static final long[] LONG = {
    65, 71, 72, 80, 96, 119, 120, 127, 128, 129, 135, 136, 137, 192, 255, 256, 320, 341, WIDEST
  };

  /** Not at the start of the memory, to find a kernel that forgets the offset. */
  private static final long OFFSET = 2 * CacheLine.BYTES;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment nodes =
      arena.allocate(OFFSET + WIDEST * 8 + CacheLine.BYTES, CacheLine.BYTES);

  /** A search over a padded key array. */
  interface Kernel {
    int lowerBound(MemorySegment nodes, long offset, int slots, long key);
  }

  @AfterEach
  void close() {
    arena.close();
  }

  /** Without this, a build where the module got lost would compare scalar code with itself. */
  @Test
  void nativeRunUsesSimdWhereTheMachineHasIt() {
    String run = System.getProperty("espalier.test.run");
    assumeTrue(run != null, "not run by the build");
    if (run.equals("native")) {
      assertTrue(ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent());
      assertEquals(VectorKeys.isWorthwhile(), Keys.SIMD);
      assertTrue(Keys.SIMD || !machineHasAvx2());
    } else {
      assertFalse(Keys.SIMD);
    }
  }

  /** Asks the operating system, because the JVM's own answer is what is tested. */
  private static boolean machineHasAvx2() {
    Path cpus = Path.of("/proc/cpuinfo");
    try {
      return Files.exists(cpus) && Files.readString(cpus).contains(" avx2 ");
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static Stream<Arguments> kernelsAndSlots() {
    return kernels(LongStream.rangeClosed(1, MOST_SLOTS));
  }

  static Stream<Arguments> kernelsAndManySlots() {
    return kernels(LongStream.of(LONG));
  }

  private static Stream<Arguments> kernels(LongStream lengths) {
    long[] slots = lengths.toArray();
    Map<String, Kernel> ofAnyLength =
        Map.of(
            "lowerBound",
            Keys::lowerBound,
            "ragged",
            Keys::lowerBoundRagged,
            "linear",
            Keys::lowerBoundLinear);
    Map<String, Kernel> ofWholeLines =
        Keys.SIMD
            ? Map.of("byLine", Keys::lowerBoundByLine, "SIMD", VectorKeys::lowerBound)
            : Map.of("byLine", Keys::lowerBoundByLine);
    return Stream.concat(
        arguments(ofAnyLength, LongStream.of(slots)),
        arguments(
            ofWholeLines, LongStream.of(slots).filter(length -> length % CacheLine.LONGS == 0)));
  }

  private static Stream<Arguments> arguments(Map<String, Kernel> kernels, LongStream slots) {
    List<Long> lengths = slots.boxed().toList();
    return new TreeSet<>(kernels.keySet())
        .stream()
            .flatMap(
                name ->
                    lengths.stream()
                        .map(length -> Arguments.of(name, length.intValue(), kernels.get(name))));
  }

  @ParameterizedTest(name = "{0} of {1} slots")
  @MethodSource("kernelsAndSlots")
  void kernelCountsTheSmallerKeys(String name, int slots, Kernel kernel) {
    for (int count = 0; count <= slots; count++) {
      for (long[] keys : keySets(count)) {
        store(keys, slots);
        for (long key : probes(keys)) {
          assertEquals(
              smaller(keys, key),
              kernel.lowerBound(nodes, OFFSET, slots, key),
              () -> keys.length + " keys, probe " + key);
        }
      }
    }
  }

  @ParameterizedTest(name = "{0} of {1} slots")
  @MethodSource("kernelsAndManySlots")
  void kernelOfAWideNodeCountsTheSmallerKeys(String name, int slots, Kernel kernel) {
    for (int count : countsOf(slots)) {
      long[] keys = LongStream.range(0, count).map(i -> 10 * i - 5L * count).toArray();
      store(keys, slots);
      // A kernel that reads on would count what follows.
      nodes.setAtIndex(ValueLayout.JAVA_LONG, OFFSET / 8 + slots, Long.MIN_VALUE);
      for (long key : probes(keys)) {
        assertEquals(
            smaller(keys, key),
            kernel.lowerBound(nodes, OFFSET, slots, key),
            () -> keys.length + " keys, probe " + key);
      }
    }
  }

  @Test
  void binarySearchOfAWideNodeCountsTheSmallerOfTheKeysInUse() {
    for (int count : countsOf(WIDEST)) {
      long[] keys = LongStream.range(0, count).map(i -> 10 * i - 5L * count).toArray();
      store(keys, WIDEST);
      nodes.setAtIndex(ValueLayout.JAVA_LONG, OFFSET / 8 + count, Long.MIN_VALUE);
      for (long key : probes(keys)) {
        assertEquals(smaller(keys, key), Keys.lowerBoundBinary(nodes, OFFSET, count, key));
      }
    }
  }

  /** Returns counts of keys at either end, and a few between. */
  private static int[] countsOf(int slots) {
    return IntStream.of(0, 1, 8, 9, 63, 64, 65, 128, slots / 2, slots - 9, slots - 1, slots)
        .filter(count -> count <= slots)
        .distinct()
        .toArray();
  }

  @Test
  void binarySearchCountsTheSmallerOfTheKeysInUse() {
    for (int count = 0; count <= MOST_SLOTS; count++) {
      for (long[] keys : keySets(count)) {
        store(keys, MOST_SLOTS);
        // What lies behind the count must not be looked at: here it would be counted.
        nodes.setAtIndex(ValueLayout.JAVA_LONG, OFFSET / 8 + count, Long.MIN_VALUE);
        for (long key : probes(keys)) {
          assertEquals(
              smaller(keys, key),
              Keys.lowerBoundBinary(nodes, OFFSET, count, key),
              () -> keys.length + " keys, probe " + key);
        }
      }
    }
  }

  @Test
  void kernelsOfOneLengthCountTheSmallerKeys() {
    for (int count = 0; count <= 4 * CacheLine.LONGS; count++) {
      for (long[] keys : keySets(count)) {
        store(keys, MOST_SLOTS);
        for (long key : probes(keys)) {
          assertEquals(smaller(keys, key), Keys.lowerBoundOf4Lines(nodes, OFFSET, key));
          int ofTwoLines = Math.min(smaller(keys, key), 2 * CacheLine.LONGS);
          assertEquals(ofTwoLines, Keys.lowerBoundOf2Lines(nodes, OFFSET, key));
        }
      }
    }
  }

  @ParameterizedTest(name = "{0} of {1} slots")
  @MethodSource("kernelsAndSlots")
  void whatLiesAroundTheArrayDoesNotCount(String name, int slots, Kernel kernel) {
    nodes.fill((byte) 0x80);
    store(new long[0], slots);
    nodes.setAtIndex(ValueLayout.JAVA_LONG, OFFSET / 8 - 1, Long.MIN_VALUE);
    nodes.setAtIndex(ValueLayout.JAVA_LONG, OFFSET / 8 + slots, Long.MIN_VALUE);
    assertEquals(0, kernel.lowerBound(nodes, OFFSET, slots, Long.MAX_VALUE));
  }

  static Stream<Arguments> headersAndSlots() {
    return LongStream.rangeClosed(1, 7)
        .boxed()
        .flatMap(
            header ->
                LongStream.rangeClosed(1, MOST_SLOTS / 8)
                    .mapToObj(lines -> Arguments.of(header.intValue(), (int) (8 * lines))));
  }

  @ParameterizedTest(name = "{0} words before the keys")
  @ValueSource(ints = {1, 3, 7})
  void wordsBeforeTheKeysOfAWideNodeDoNotCount(int header) {
    for (int slots = MOST_SLOTS + CacheLine.LONGS; slots <= WIDEST; slots += 5 * CacheLine.LONGS) {
      for (int count : countsOf(slots - header)) {
        long[] keys = LongStream.range(0, count).map(i -> 10 * i - 5L * count).toArray();
        store(new long[0], slots);
        MemorySegment.copy(
            keys, 0, nodes, ValueLayout.JAVA_LONG, OFFSET + 8L * header, keys.length);
        for (int i = 0; i < header; i++) {
          nodes.setAtIndex(ValueLayout.JAVA_LONG, OFFSET / 8 + i, i % 2 == 0 ? -1 : 0);
        }
        for (long key : probes(keys)) {
          assertEquals(
              smaller(keys, key),
              Keys.lowerBoundBehindHeader(nodes, OFFSET, header, slots, key),
              () -> keys.length + " keys, probe " + key);
        }
      }
    }
  }

  /** The header's words are below all keys, above all, or in between; none may count. */
  @ParameterizedTest(name = "{0} words before the keys, {1} slots")
  @MethodSource("headersAndSlots")
  void wordsBeforeTheKeysDoNotCount(int header, int slots) {
    for (int count = 0; count <= slots - header; count++) {
      for (long[] keys : keySets(count)) {
        for (long word : new long[] {Long.MIN_VALUE, -1, 1, Long.MAX_VALUE}) {
          store(new long[0], slots);
          for (int i = 0; i < header; i++) {
            nodes.setAtIndex(ValueLayout.JAVA_LONG, OFFSET / 8 + i, i % 2 == 0 ? word : ~word);
          }
          MemorySegment.copy(
              keys, 0, nodes, ValueLayout.JAVA_LONG, OFFSET + 8L * header, keys.length);
          for (long key : probes(keys)) {
            assertEquals(
                smaller(keys, key),
                Keys.lowerBoundBehindHeader(nodes, OFFSET, header, slots, key),
                () -> keys.length + " keys, header " + word + ", probe " + key);
            if (header == 1 && slots == 4 * CacheLine.LONGS) {
              assertEquals(
                  smaller(keys, key), Keys.lowerBoundOf4LinesBehindWord(nodes, OFFSET, key));
            }
            if (header == 1 && slots == 5 * CacheLine.LONGS) {
              assertEquals(
                  smaller(keys, key), Keys.lowerBoundOf5LinesBehindWord(nodes, OFFSET, key));
            }
          }
        }
      }
    }
  }

  /** Ascending keys: spread out, close together, and at either extreme. */
  private static List<long[]> keySets(int count) {
    return List.of(
        LongStream.range(0, count).map(i -> 10 * i - 5L * count).toArray(),
        LongStream.range(0, count).map(i -> Long.MIN_VALUE + i).toArray(),
        LongStream.range(0, count).map(i -> Long.MAX_VALUE - count + 1 + i).toArray(),
        LongStream.range(0, count).map(i -> (i - count / 2) << 56).toArray());
  }

  /** Every key and its neighbours, and the extremes. */
  private static long[] probes(long[] keys) {
    LongStream extremes = LongStream.of(Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE);
    LongStream around =
        LongStream.of(keys).flatMap(key -> LongStream.of(key, before(key), after(key)));
    return LongStream.concat(extremes, around).distinct().toArray();
  }

  private static long before(long key) {
    return key == Long.MIN_VALUE ? key : key - 1;
  }

  private static long after(long key) {
    return key == Long.MAX_VALUE ? key : key + 1;
  }

  private static int smaller(long[] keys, long key) {
    int smaller = 0;
    while (smaller < keys.length && keys[smaller] < key) {
      smaller++;
    }
    return smaller;
  }

  /** Any of the four keys smaller, in any order, beside values of every kind. */
  @Test
  void smallerKeysOfALineOfPairsAreCountedAndNoValues() {
    long[] probes = {Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE};
    for (long probe : probes) {
      for (int choice = 0; choice < 1 << 8; choice++) {
        for (int word = 0; word < CacheLine.LONGS; word++) {
          boolean isSmaller = (choice >> word & 1) != 0;
          long smaller = word % 4 < 2 ? probe - 1 : Long.MIN_VALUE;
          long notSmaller = word % 4 < 2 ? probe : Long.MAX_VALUE;
          nodes.set(ValueLayout.JAVA_LONG, OFFSET + 8L * word, isSmaller ? smaller : notSmaller);
        }
        int expected = Integer.bitCount(choice & 0x55);
        assertEquals(expected, Keys.lowerBoundInPairs(nodes, OFFSET, probe));
        assertEquals(expected, Keys.lowerBoundInPairsByScalars(nodes, OFFSET, probe));
      }
    }
  }

  private void store(long[] keys, int slots) {
    for (int i = 0; i < slots; i++) {
      nodes.setAtIndex(
          ValueLayout.JAVA_LONG, OFFSET / 8 + i, i < keys.length ? keys[i] : Keys.PADDING);
    }
  }
}
