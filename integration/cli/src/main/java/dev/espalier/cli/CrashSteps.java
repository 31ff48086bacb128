// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.IndexStore;
import dev.espalier.io.WriteBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the steps of {@link CrashImages} write, which follows from the seed and their numbers alone.
 * Each is a batch over three indexes, of which each has the number of the step as well; and half of
 * them write one long value into a fourth index, which makes the log go on in other segments, and
 * often in one that has to be made for it.
 */
final class CrashSteps {
  /** How many steps there are, numbered from 1. */
  static final int COUNT = 60;

  private static final int INDEXES = 3;
  private static final long COUNTER = Long.MIN_VALUE;
  private static final int KEYS = 400;
  private static final int MOST_WRITES = 40;

  /** A half more than a segment of the log has. */
  private static final int MOST_VALUE_BYTES = 24 << 10;

  private static final byte[] VALUE_KEY = {0};

  private final long seed;

  /** The entries of each of the three indexes after each step; at first there are none. */
  private final List<List<Map<Long, Long>>> states = new ArrayList<>();

  CrashSteps(long seed) {
    this.seed = seed;
    for (int i = 0; i < INDEXES; i++) {
      states.add(states(i));
    }
  }

  private List<Map<Long, Long>> states(int index) {
    Map<Long, Long> entries = new TreeMap<>();
    List<Map<Long, Long>> states = new ArrayList<>();
    states.add(Map.of());
    for (int step = 1; step <= COUNT; step++) {
      for (Write write : writes(step, index)) {
        if (write.isDelete()) {
          entries.remove(write.key());
        } else {
          entries.put(write.key(), write.value());
        }
      }
      entries.put(COUNTER, (long) step);
      states.add(new TreeMap<>(entries));
    }
    return states;
  }

  private record Write(long key, long value, boolean isDelete) {}

  /** Returns what a step writes to an index, besides its number. */
  private List<Write> writes(int step, int index) {
    SplittableRandom random = new SplittableRandom(seed * 31 + step * 7L + index);
    List<Write> writes = new ArrayList<>();
    int count = random.nextInt(MOST_WRITES);
    for (int i = 0; i < count; i++) {
      writes.add(
          new Write(random.nextInt(KEYS), random.nextInt(1_000_000), random.nextInt(3) == 0));
    }
    return writes;
  }

  /** Returns the long value that a step writes, null if it writes none. */
  private byte @Nullable [] value(int step) {
    SplittableRandom random = new SplittableRandom(~seed * 31 + step);
    if (random.nextBoolean()) {
      return null;
    }
    byte[] value = new byte[random.nextInt(MOST_VALUE_BYTES)];
    random.nextBytes(value);
    return value;
  }

  /**
   * The indexes of an open store.
   *
   * @param three those whose entries are counted
   * @param values that of the long value
   */
  record Indexes(List<CrashIndex> three, BytesIndex values) {
    static Indexes of(IndexStore store, CrashKind kind) {
      List<CrashIndex> three = new ArrayList<>();
      for (int i = 0; i < INDEXES; i++) {
        three.add(kind.open(store, "index " + i));
      }
      return new Indexes(three, store.bytesIndex("values"));
    }

    /** Returns the step that a store says it is of. */
    int step() {
      long step = three.getFirst().get(COUNTER).orElse(0);
      if (step < 0 || step > COUNT) {
        throw new IllegalStateException("the counter is " + step);
      }
      return (int) step;
    }
  }

  /** Returns what a step writes. */
  WriteBatch batch(int step, Indexes indexes) {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < INDEXES; i++) {
      CrashIndex index = indexes.three.get(i);
      index.addSet(batch, COUNTER, step);
      for (Write write : writes(step, i)) {
        if (write.isDelete()) {
          index.addDelete(batch, write.key());
        } else {
          index.addSet(batch, write.key(), write.value());
        }
      }
    }
    byte[] value = value(step);
    if (value != null) {
      batch.set(indexes.values, VALUE_KEY, value);
    }
    return batch;
  }

  /** Returns how indexes differ from what there was after the step that they say, if they do. */
  String difference(Indexes indexes) {
    int step = indexes.step();
    for (int i = 0; i < INDEXES; i++) {
      Map<Long, Long> found = new TreeMap<>();
      indexes.three.get(i).forEach(found::put);
      if (!found.equals(states.get(i).get(step))) {
        return "index %d is not as it was after step %d".formatted(i, step);
      }
    }
    byte[] last = null;
    for (int before = step; before > 0 && last == null; before--) {
      last = value(before);
    }
    return Arrays.equals(last, indexes.values.get(VALUE_KEY))
        ? ""
        : "the long value is not as it was after step " + step;
  }
}
