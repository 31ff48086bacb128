// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.Indexes;
import dev.espalier.LongIndex;
import dev.espalier.TreeShape;
import dev.espalier.batch.BufferOptions.Buffers;
import dev.espalier.node.Bits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever the buffers and the virtual nodes, every probe finds what it would find if all was done
 * one by one.
 */
@Tag("fallback-thorough")
class BuffersModelTest {
  private static final int KEYS = 250;
  private static final int PROBES = 300;
  private static final int[] UPDATES_PER_100 = {0, 1, 30};

  private static final List<Buffers> BUFFERS =
      List.of(new Buffers.Variable(), new Buffers.Fixed(1), new Buffers.Fixed(16));

  /** Trees of up to this height are tried with all their virtual nodes. */
  private static final int LOW = 4;

  @RegisterExtension final Indexes indexes = new Indexes();

  private final SplittableRandom random = new SplittableRandom(66);

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallestAndOnCheckedPages")
  void everyProbeIsAnsweredOnceAsIfAllWasDoneOneByOne(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    TreeMap<Long, Long> model = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      long key = random.nextLong(KEYS);
      index.put(key, i);
      model.put(key, (long) i);
    }
    for (int perHundred : UPDATES_PER_100) {
      for (VirtualNodes nodes : virtualNodes(BatchLookup.of(index).levels().height())) {
        for (Buffers buffers : BUFFERS) {
          var options =
              new BufferOptions(buffers, random.nextInt(1, PROBES), random.nextBoolean(), nodes);
          if (nodes.treeHeight() == BatchLookup.of(index).levels().height()) {
            new Run(index, model, options).probe(perHundred);
          }
        }
      }
    }
    assertEquals(model, index.asMap());
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallestAndOnCheckedPages")
  void virtualNodesAreChosenAnewWhenTheTreeHasGrown(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    TreeMap<Long, Long> model = new TreeMap<>();
    for (Buffers buffers : BUFFERS) {
      var options = new BufferOptions(buffers, PROBES / 10, false, null);
      Run run = new Run(index, model, options);
      run.probe(75);
      assertEquals(BatchLookup.of(index).levels().height(), run.lastNodes.treeHeight());
      index.clear();
      model.clear();
    }
  }

  /** One virtual node over all levels has no node above it whose changes could tell. */
  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallestAndOnCheckedPages")
  void probesAreAnsweredWhileTheTreeLosesAndGainsLevels(TreeShape shape) {
    for (Buffers buffers : BUFFERS) {
      LongIndex index = indexes.create(shape);
      TreeMap<Long, Long> model = new TreeMap<>();
      for (long key = 0; key < KEYS; key++) {
        index.put(key, ~key);
        model.put(key, ~key);
      }
      int height = BatchLookup.of(index).levels().height();
      for (VirtualNodes nodes : virtualNodes(height)) {
        var options = new BufferOptions(buffers, 4 * PROBES, false, nodes);
        Run run = new Run(index, model, options);
        run.removeAndInsertAll();
        assertEquals(model, index.asMap());
        if (BatchLookup.of(index).levels().height() != height) {
          break;
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#smallestAndOnCheckedPages")
  void everyMethodOfLookupFindsTheSame(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, KEYS);
    long[] keys = random.longs(5000, -2, KEYS + 2).toArray(); // enough for a choice
    long[] expected = Arrays.stream(keys).map(index::get).toArray();
    for (ProbeMethod method : ProbeMethod.values()) {
      long[] values = new long[keys.length];
      BatchLookup.of(index).getAll(method, keys, 0, values, 0, keys.length);
      assertArrayEquals(expected, values, method::toString);
    }
  }

  /** Returns ways to group levels: all of them, or if there are many, some. */
  private List<VirtualNodes> virtualNodes(int height) {
    if (height <= LOW) {
      return compositions(height).stream().map(VirtualNodes::new).toList();
    }
    List<VirtualNodes> some = new ArrayList<>();
    some.add(VirtualNodes.of(height));
    some.add(VirtualNodes.of(1, height - 1));
    some.add(new VirtualNodes(List.copyOf(Collections.nCopies(height, 1))));
    List<Integer> any = new ArrayList<>();
    for (int left = height; left > 0; left -= any.getLast()) {
      any.add(random.nextInt(1, Math.min(left, 3) + 1));
    }
    some.add(new VirtualNodes(any));
    return some;
  }

  private static List<List<Integer>> compositions(int height) {
    if (height == 0) {
      return List.of(List.of());
    }
    List<List<Integer>> all = new ArrayList<>();
    for (int first = 1; first <= height; first++) {
      for (List<Integer> rest : compositions(height - first)) {
        List<Integer> heights = new ArrayList<>();
        heights.add(first);
        heights.addAll(rest);
        all.add(heights);
      }
    }
    return all;
  }

  /** Probes and updates through the buffers of one kind. */
  private final class Run implements AnswerConsumer.Bulk {
    private final LongIndex index;
    private final TreeMap<Long, Long> model;
    private final BufferOptions options;
    private final long[] expected = new long[PROBES];
    private final long[] answered = new long[PROBES];
    private final BitSet present = new BitSet();
    private final BitSet expectedPresent = new BitSet();
    private final int[] answers = new int[PROBES];
    private VirtualNodes lastNodes = VirtualNodes.of(1);

    Run(LongIndex index, TreeMap<Long, Long> model, BufferOptions options) {
      this.index = index;
      this.model = model;
      this.options = options;
    }

    @Override
    public void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
      for (int i = from; i < to; i++) {
        answered[(int) tags[i]] = values[i];
        present.set((int) tags[i], Bits.has(found, i));
        answers[(int) tags[i]]++;
      }
    }

    void probe(int updatesPerHundred) {
      int probes = 0;
      try (var access = BufferedAccess.over(index, options, this)) {
        while (probes < PROBES) {
          long key = random.nextLong(-2, KEYS + 2);
          if (random.nextInt(100) < updatesPerHundred) {
            update(access, key);
          } else {
            expect(access, key, probes++);
          }
        }
        access.flush();
        lastNodes = access.statistics().nodes();
      }
      int[] once = new int[PROBES];
      Arrays.fill(once, 1);
      assertArrayEquals(once, answers, options::toString);
      assertArrayEquals(expected, answered, options::toString);
      assertEquals(expectedPresent, present, options::toString);
    }

    private void expect(BufferedAccess access, long key, int probe) {
      expected[probe] = model.getOrDefault(key, index.missingValue());
      expectedPresent.set(probe, model.containsKey(key));
      access.get(key, probe);
    }

    /** Removes all entries and inserts them again, with a probe after every update. */
    void removeAndInsertAll() {
      int probes = 0;
      try (var access = BufferedAccess.over(index, options, this)) {
        for (long key = 0; key < KEYS; key++) {
          access.delete(key);
          model.remove(key);
          if (key % 2 == 0) {
            expect(access, random.nextLong(KEYS), probes++);
          }
        }
        for (long key = 0; key < KEYS; key++) {
          access.put(key, key);
          model.put(key, key);
          if (key % 2 == 0) {
            expect(access, random.nextLong(KEYS), probes++);
          }
        }
      }
      assertArrayEquals(Arrays.copyOf(expected, probes), Arrays.copyOf(answered, probes));
      assertEquals(expectedPresent, present);
    }

    private void update(BufferedAccess access, long key) {
      if (random.nextBoolean()) {
        long value = random.nextInt(3) == 0 ? index.missingValue() : random.nextLong();
        access.put(key, value);
        model.put(key, value);
      } else {
        access.delete(key);
        model.remove(key);
      }
    }
  }
}
