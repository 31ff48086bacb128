// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeShape;
import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.cola.DeamortizedCola;
import dev.espalier.memory.CheckedPageStore;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Batches tell which keys are there, also where the value is the one that means "absent". */
@Tag("fallback-thorough")
final class PresenceTest {
  private static final int ENTRIES = 1500;
  private static final int[] COUNTS =
      TestSize.isThorough()
          ? new int[] {0, 1, 2, 63, 64, 65, 127, 128, 129, 1000, 5000}
          : new int[] {0, 1, 64, 65, 1000};

  @RegisterExtension final Indexes indexes = new Indexes();

  private final SplittableRandom random = new SplittableRandom(11);
  private final TreeMap<Long, Long> model = new TreeMap<>();

  /** Makes an index of about as many entries as keys in their range; every third is "missing". */
  private LongIndex create(TreeShape shape, boolean withEdges) {
    LongIndex index = indexes.create(shape);
    for (int i = 0; i < ENTRIES; i++) {
      write(index, random.nextLong(-ENTRIES, ENTRIES), random.nextInt(12));
    }
    if (withEdges) {
      write(index, Long.MIN_VALUE, 0);
      write(index, Long.MAX_VALUE, 3);
      write(index, Long.MAX_VALUE - 1, 1);
    }
    return index;
  }

  private void write(LongIndex index, long key, int kind) {
    long value = kind % 3 == 0 ? index.missingValue() : ~key;
    switch (kind) {
      case 10 -> {
        index.remove(key);
        model.remove(key);
      }
      case 11 -> {
        index.delete(key);
        model.remove(key);
      }
      default -> {
        if (kind < 5) {
          index.put(key, value);
        } else {
          index.set(key, value);
        }
        model.put(key, value);
      }
    }
  }

  private long[] keys(int count) {
    long[] keys = random.longs(count, -ENTRIES - 2, ENTRIES + 2).toArray();
    for (int i = 0; i < count; i++) {
      switch (random.nextInt(20)) {
        case 0 -> keys[i] = keys[random.nextInt(count)];
        case 1 -> keys[i] = Long.MAX_VALUE - random.nextInt(2);
        case 2 -> keys[i] = Long.MIN_VALUE;
        default -> {}
      }
    }
    return keys;
  }

  private BitSet there(long[] keys) {
    BitSet there = new BitSet();
    for (int i = 0; i < keys.length; i++) {
      there.set(i, model.containsKey(keys[i]));
    }
    return there;
  }

  private long[] values(LongIndex index, long[] keys) {
    return Arrays.stream(keys).map(key -> model.getOrDefault(key, index.missingValue())).toArray();
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void everyMethodTellsWhichKeysAreThere(TreeShape shape) {
    for (boolean withEdges : new boolean[] {false, true}) {
      LongIndex index = create(shape, withEdges);
      for (int count : COUNTS) {
        long[] keys = keys(count);
        for (ProbeMethod method : ProbeMethod.values()) {
          check(index, method, keys);
        }
      }
      index.close();
      model.clear();
    }
  }

  /** A message in a buffer may add to a value that is not there, which then is. */
  @ParameterizedTest
  @EnumSource
  void whatIsAddedToIsThere(ProbeMethod method) {
    IndexOptions options = IndexOptions.DEFAULT;
    BEpsilonTree index =
        BEpsilonTree.open(options, options.pagesInMemory(256), new BEpsilonTree.Geometry(4));
    try (index) {
      for (int i = 0; i < ENTRIES; i++) {
        long key = random.nextLong(-ENTRIES, ENTRIES);
        if (random.nextInt(3) == 0) {
          index.delete(key);
          model.remove(key);
        } else {
          index.add(key, i);
          model.merge(key, (long) i, Long::sum);
        }
      }
      check(index, method, keys(1000));
    }
  }

  /** Over pages that do not stay, a group looks at one page for each probe at the same time. */
  @ParameterizedTest
  @EnumSource
  void arraysInPagesThatGoAwayTellWhichKeysAreThere(ProbeMethod method) {
    IndexOptions options = IndexOptions.DEFAULT;
    CheckedPageStore store = new CheckedPageStore(options.pagesInMemory(1024), 8);
    try (LongIndex index = DeamortizedCola.open(options, store, new DeamortizedCola.Geometry(2))) {
      for (int i = 0; i < ENTRIES; i++) {
        write(index, random.nextLong(-ENTRIES, ENTRIES), random.nextInt(12));
      }
      check(index, method, keys(1000));
    }
  }

  /** Words behind those of the keys stay as they are, bits behind the last key are cleared. */
  private void check(LongIndex index, ProbeMethod method, long[] keys) {
    long[] padded = new long[keys.length + 7];
    System.arraycopy(keys, 0, padded, 7, keys.length);
    long[] values = new long[keys.length + 3];
    int words = (keys.length + 63) / 64;
    long[] found = new long[words + 1];
    Arrays.fill(found, -1);
    BatchLookup lookup = BatchLookup.of(index);
    int count = lookup.getAll(method, padded, 7, values, 3, keys.length, found);
    assertEquals(there(keys), BitSet.valueOf(Arrays.copyOf(found, words)), method::toString);
    assertEquals(there(keys).cardinality(), count);
    assertEquals(-1, found[words]);
    assertArrayEquals(values(index, keys), Arrays.copyOfRange(values, 3, values.length));
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void valuesMayTakeThePlaceOfTheirKeys(TreeShape shape) {
    LongIndex index = create(shape, true);
    for (int count : COUNTS) {
      long[] keys = keys(count);
      for (ProbeMethod method : ProbeMethod.values()) {
        long[] both = keys.clone();
        long[] found = new long[(count + 63) / 64];
        int sum = BatchLookup.of(index).getAll(method, both, 0, both, 0, count, found);
        assertEquals(there(keys), BitSet.valueOf(found), method::toString);
        assertEquals(there(keys).cardinality(), sum);
        assertArrayEquals(values(index, keys), both);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaults")
  void indexAndItsLockedFormTellTheSame(TreeShape shape) {
    LongIndex index = create(shape, true);
    long[] keys = keys(300);
    for (LongIndex each : new LongIndex[] {index, index.withReadWriteLock()}) {
      long[] values = new long[keys.length];
      long[] found = new long[5];
      assertEquals(there(keys).cardinality(), each.getAll(keys, values, found));
      assertEquals(there(keys), BitSet.valueOf(found));
      assertArrayEquals(values(index, keys), values);
    }
  }

  /** A level above the leaves answers as the root does, in groups that begin at any bit. */
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#allAndOnCheckedPages")
  void bitsBeginWhereTheyAreAsked(TreeShape shape) {
    LongIndex index = create(shape, true);
    TreeLevels tree = BatchLookup.of(index).levels();
    long[] keys = keys(150);
    for (int from : new int[] {0, 1, 63, 64, 100}) {
      long[] places = new long[keys.length];
      Arrays.fill(places, tree.root());
      long[] found = new long[5];
      found[0] = 1;
      int first = from + 1;
      tree.answer(tree.height() - 1, keys, 0, places, 0, keys.length, found, first);
      BitSet expected = new BitSet();
      expected.set(0);
      there(keys).stream().forEach(i -> expected.set(first + i));
      assertEquals(expected, BitSet.valueOf(found));
    }
  }
}
