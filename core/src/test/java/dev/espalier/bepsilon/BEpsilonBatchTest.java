// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.node.Bits;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Groups of lookups, in trees with messages of every kind on the way to the leaves. */
class BEpsilonBatchTest {
  private static final int[] COUNTS = {1, 4, 63, 64, 65, 128, 131};

  private static final long KEYS = 3000;

  private static final long[] EDGES = {
    Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE
  };

  private final SplittableRandom random = new SplittableRandom(3);
  private final Map<Long, Long> model = new HashMap<>();

  static Stream<BEpsilonTree> trees() {
    IndexOptions options = IndexOptions.DEFAULT.withMissingValue(-9);
    return Stream.of(
        BEpsilonTree.open(options, options.pagesInMemory(256), new BEpsilonTree.Geometry(4)),
        BEpsilonTree.open(options, options.pagesInMemory(64 << 10), new BEpsilonTree.Geometry(4)),
        BufferedRepositoryTree.open(options, options.pagesInMemory(256)),
        BEpsilonTree.open(options, checked(CheckedPageStore.MIN_PINS)),
        BufferedRepositoryTree.open(options, checked(CheckedPageStore.MIN_PINS)),
        BufferedRepositoryTree.open(options, checked(100)));
  }

  private static CheckedPageStore checked(int pins) {
    return new CheckedPageStore(new MemoryPageStore(256, Long.MAX_VALUE, HugePages.OFF), pins);
  }

  @ParameterizedTest
  @MethodSource("trees")
  void groupsOfAnySizeFindWhatSingleLookupsFind(BEpsilonTree index) {
    try (index) {
      assertGroups(index);
      for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 700; i++) {
          write(index, round % 2 == 0 ? 6 : 3);
        }
        assertGroups(index);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("trees")
  void leavesThatDeletesHaveEmptiedHaveNothing(BEpsilonTree index) {
    try (index) {
      for (long key = 0; key < KEYS; key++) {
        index.set(key, key);
      }
      for (long key = 0; key < KEYS; key++) {
        index.delete(key);
      }
      assertGroups(index);
    }
  }

  private void write(BEpsilonTree index, int puts) {
    long key = random.nextInt(30) == 0 ? edge() : random.nextLong(KEYS);
    long value = random.nextLong();
    int kind = random.nextInt(10);
    if (kind < puts) {
      index.set(key, value);
      model.put(key, value);
    } else if (kind < 8) {
      index.delete(key);
      model.remove(key);
    } else {
      index.add(key, value);
      model.merge(key, value, Long::sum);
    }
  }

  private long edge() {
    return EDGES[random.nextInt(EDGES.length)];
  }

  private void assertGroups(BEpsilonTree index) {
    for (int count : COUNTS) {
      long[] keys = new long[count + 5];
      for (int i = 0; i < keys.length; i++) {
        boolean isAgain = i > 0 && random.nextInt(8) == 0;
        keys[i] = random.nextInt(15) == 0 ? edge() : random.nextLong(-2, KEYS + 2);
        keys[i] = isAgain ? keys[random.nextInt(i)] : keys[i];
      }
      long[] sought = keys.clone();
      long[] values = new long[count + 4];
      long[] found = new long[Bits.words(count)];
      index.getAll(keys, 5, values, 2, count, found);
      for (int i = 0; i < count; i++) {
        assertEquals(model.containsKey(sought[i + 5]), Bits.has(found, i));
        assertEquals(model.containsKey(sought[i + 5]), index.containsKey(sought[i + 5]));
        assertEquals(model.getOrDefault(sought[i + 5], -9L), values[i + 2]);
        assertEquals(values[i + 2], index.get(sought[i + 5]));
      }
      assertEquals(0, values[0] | values[1] | values[count + 2] | values[count + 3]);
      for (int i = 0; i < keys.length; i++) {
        assertEquals(sought[i], keys[i]);
      }
    }
  }
}
