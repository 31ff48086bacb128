// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import static dev.espalier.cli.soak.IndexUnderTest.MISSING;

import dev.espalier.LongIndex;
import dev.espalier.LongNavigable;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Calls of an index, or a view of one, whose answers are compared with those of a map. */
final class Calls {
  private static final ProbeMethod[] METHODS = ProbeMethod.values();

  private final SplittableRandom random;

  Calls(SplittableRandom random) {
    this.random = random;
  }

  private static long orMissing(@Nullable Long value) {
    return value == null ? MISSING : value;
  }

  /** Returns a value; now and then the one that stands for an absent key. */
  private long value() {
    return random.nextInt(16) == 0 ? MISSING : random.nextLong();
  }

  /** Looks one key up. */
  void read(LongNavigable index, NavigableMap<Long, Long> model, long key) {
    Long expected = model.get(key);
    switch (random.nextInt(4)) {
      case 0 -> Differences.checkNumber("get", orMissing(expected), index.get(key));
      case 1 -> {
        long other = value();
        Differences.checkNumber(
            "getOrDefault", expected == null ? other : expected, index.getOrDefault(key, other));
      }
      case 2 -> Differences.check("containsKey", expected != null, index.containsKey(key));
      default -> {
        long[] found = new long[1];
        Differences.check("find", expected != null, index.find(key, found));
        if (expected != null) {
          Differences.checkNumber("the value that find found", expected, found[0]);
        }
      }
    }
  }

  /** Puts an entry, by one of the ways to do that. */
  void insert(LongNavigable index, NavigableMap<Long, Long> model, long key) {
    long value = value();
    switch (random.nextInt(5)) {
      case 0, 1 ->
          Differences.checkNumber("put", orMissing(model.put(key, value)), index.put(key, value));
      case 2 ->
          Differences.checkNumber(
              "putIfAbsent",
              orMissing(model.putIfAbsent(key, value)),
              index.putIfAbsent(key, value));
      case 3 ->
          Differences.check(
              "insert", model.putIfAbsent(key, value) == null, index.insert(key, value));
      default -> {
        index.set(key, value);
        model.put(key, value);
      }
    }
  }

  /** Replaces a value if it is what it is held to be. */
  void replace(LongNavigable index, NavigableMap<Long, Long> model, long key) {
    Long present = model.get(key);
    long expected = present == null || random.nextInt(4) == 0 ? value() : present;
    long value = value();
    Differences.check(
        "replace", model.replace(key, expected, value), index.replace(key, expected, value));
  }

  /** Removes a key, by one of the ways to do that. */
  void remove(LongNavigable index, NavigableMap<Long, Long> model, long key) {
    switch (random.nextInt(4)) {
      case 0, 1 ->
          Differences.checkNumber("remove", orMissing(model.remove(key)), index.remove(key));
      case 2 -> {
        Long present = model.get(key);
        long expected = present == null || random.nextInt(4) == 0 ? value() : present;
        Differences.check(
            "remove of an entry", model.remove(key, expected), index.remove(key, expected));
      }
      default -> {
        index.delete(key);
        model.remove(key);
      }
    }
  }

  /** Looks up a batch, by one of the ways to do that. */
  void readAll(LongIndex index, NavigableMap<Long, Long> model, long[] keys) {
    if (random.nextInt(4) == 0) {
      Arrays.sort(keys);
    }
    switch (random.nextInt(4)) {
      case 0 -> {
        int from = random.nextInt(keys.length + 1);
        long[] values = new long[keys.length + 2];
        index.getAll(keys, from, values, 1, keys.length - from);
        checkBatch("getAll", model, keys, from, values, 1);
      }
      case 1 -> {
        long[] found = new long[(keys.length + 63) / 64];
        long[] values = new long[keys.length];
        int there = index.getAll(keys, values, found);
        checkBatch("getAll with presence", model, keys, 0, values, 0);
        checkPresence(model, keys, found, there);
      }
      case 2 -> {
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment probes = arena.allocateFrom(ValueLayout.JAVA_LONG, keys);
          MemorySegment answers = arena.allocate(ValueLayout.JAVA_LONG, keys.length);
          index.getAll(probes, answers);
          checkBatch(
              "getAll of a segment", model, keys, 0, answers.toArray(ValueLayout.JAVA_LONG), 0);
        }
      }
      default -> {
        ProbeMethod method = METHODS[random.nextInt(METHODS.length)];
        long[] values = new long[keys.length];
        BatchLookup.of(index).getAll(method, keys, 0, values, 0, keys.length);
        checkBatch("getAll by " + method, model, keys, 0, values, 0);
      }
    }
  }

  private static void checkBatch(
      String what,
      NavigableMap<Long, Long> model,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom) {
    for (int i = 0; i < keys.length - keysFrom; i++) {
      long expected = orMissing(model.get(keys[keysFrom + i]));
      if (expected != values[valuesFrom + i]) {
        Differences.checkNumber(
            "%s of %d keys, the one at %d".formatted(what, keys.length - keysFrom, i),
            expected,
            values[valuesFrom + i]);
      }
    }
  }

  private static void checkPresence(
      NavigableMap<Long, Long> model, long[] keys, long[] found, int count) {
    long[] expected = new long[found.length];
    int there = 0;
    for (int i = 0; i < keys.length; i++) {
      if (model.containsKey(keys[i])) {
        expected[i / 64] |= 1L << i;
        there++;
      }
    }
    Differences.checkNumber("the count of getAll with presence", there, count);
    Differences.check("the bits of getAll with presence", asText(expected), asText(found));
  }

  private static String asText(long[] words) {
    return Arrays.toString(words);
  }

  /** Puts a batch. */
  void insertAll(LongIndex index, NavigableMap<Long, Long> model, long[] keys) {
    if (random.nextInt(4) == 0) {
      Arrays.sort(keys);
    }
    long[] values = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = value();
      model.put(keys[i], values[i]);
    }
    index.putAll(keys, values);
  }

  /** Counts the entries of a range. */
  void count(LongNavigable index, NavigableMap<Long, Long> model, long from, long to) {
    boolean fromInclusive = random.nextBoolean();
    boolean toInclusive = random.nextBoolean();
    Differences.checkNumber(
        "countRange",
        model.subMap(from, fromInclusive, to, toInclusive).size(),
        index.countRange(from, fromInclusive, to, toInclusive));
  }

  /** Removes the entries of a range, of the index or through a view. */
  void removeRange(LongNavigable index, NavigableMap<Long, Long> model, long from, long to) {
    boolean fromInclusive = random.nextBoolean();
    boolean toInclusive = random.nextBoolean();
    NavigableMap<Long, Long> range = model.subMap(from, fromInclusive, to, toInclusive);
    if (random.nextInt(3) == 0) {
      index.subView(from, fromInclusive, to, toInclusive).clear();
    } else {
      Differences.checkNumber(
          "removeRange", range.size(), index.removeRange(from, fromInclusive, to, toInclusive));
    }
    range.clear();
  }

  /** Calls of a view of a range, or of a view of that. */
  void inView(LongIndex index, NavigableMap<Long, Long> model, long from, long to, KeyChoice keys) {
    LongNavigable view = index.subView(from, true, to, true);
    NavigableMap<Long, Long> range = model.subMap(from, true, to, true);
    boolean isDescending = random.nextInt(3) == 0;
    if (isDescending) {
      view = view.descendingView();
      range = range.descendingMap();
    }
    int calls = random.nextInt(1, 8);
    for (int i = 0; i < calls; i++) {
      long key = from == to ? from : random.nextLong(from, to);
      switch (random.nextInt(7)) {
        case 0 -> read(view, range, key);
        case 1 -> insert(view, range, key);
        case 2 -> remove(view, range, key);
        case 3 -> Differences.checkNumber("size of a view", range.size(), view.size());
        case 4 -> Differences.checkEntries(range, view);
        case 5 -> {
          LongNavigable half = random.nextBoolean() ? view.headView(key, true) : null;
          NavigableMap<Long, Long> expected =
              half == null ? range.tailMap(key, false) : range.headMap(key, true);
          Differences.checkEntries(expected, half == null ? view.tailView(key, false) : half);
        }
        default -> new CursorPair(view.cursor(), range, false).walk(random, 20, 1);
      }
    }
    long outside = keys.any();
    if (outside < from || outside > to) {
      Differences.checkNumber("get outside of a view", MISSING, view.get(outside));
    }
  }

  /** Calls of the index as a map. */
  void asMap(LongIndex index, NavigableMap<Long, Long> model, long key) {
    NavigableMap<Long, Long> map = index.asMap();
    switch (random.nextInt(8)) {
      case 0 -> Differences.check("floorEntry", model.floorEntry(key), map.floorEntry(key));
      case 1 -> Differences.check("higherKey", model.higherKey(key), map.higherKey(key));
      case 2 -> Differences.check("firstEntry", model.firstEntry(), map.firstEntry());
      case 3 -> Differences.check("lastEntry", model.lastEntry(), map.lastEntry());
      case 4 -> Differences.check("pollFirstEntry", model.pollFirstEntry(), map.pollFirstEntry());
      case 5 -> Differences.check("pollLastEntry", model.pollLastEntry(), map.pollLastEntry());
      case 6 ->
          Differences.check(
              "merge", model.merge(key, 1L, Long::sum), map.merge(key, 1L, Long::sum));
      default -> {
        Map.Entry<Long, Long> expected = model.ceilingEntry(key);
        Differences.check("ceilingEntry", expected, map.ceilingEntry(key));
      }
    }
  }

  /** Tries to bulkload an index that is not empty, which is refused. */
  static void bulkloadRefused(LongIndex index) {
    try {
      index.bulkload(new long[] {1}, new long[] {1});
    } catch (IllegalStateException expected) {
      return;
    }
    throw new AssertionError("bulkload into an index with entries was not refused");
  }
}
