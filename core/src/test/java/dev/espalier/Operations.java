// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Arbitrary calls with arbitrary arguments, the extremes among them. */
final class Operations {
  /** Not the default, so that a tree that forgets its options is found. */
  static final long MISSING = -7;

  /** Keys that may be there are mostly from 0 to this. */
  private static final long DENSE = 3000;

  private static final Arbitrary<Boolean> BOOLEANS = Arbitraries.of(true, false);

  private Operations() {}

  static Arbitrary<Long> keys() {
    return Arbitraries.frequencyOf(
        Tuple.of(4, Arbitraries.longs().between(-9, 60)),
        Tuple.of(3, Arbitraries.longs().between(0, DENSE)),
        Tuple.of(2, extremes()),
        Tuple.of(1, Arbitraries.longs()));
  }

  static Arbitrary<Long> values() {
    return Arbitraries.oneOf(
        extremes(), Arbitraries.longs(), Arbitraries.of(MISSING - 1, MISSING, MISSING + 1));
  }

  private static Arbitrary<Long> extremes() {
    return Arbitraries.of(
        Long.MIN_VALUE,
        Long.MIN_VALUE + 1,
        Long.MIN_VALUE + 2,
        Integer.MIN_VALUE - 1L,
        -2L,
        -1L,
        0L,
        1L,
        Integer.MAX_VALUE + 1L,
        Long.MAX_VALUE - 2,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE);
  }

  static Arbitrary<Narrowing> narrowings() {
    return Combinators.combine(
            Arbitraries.of(Narrowing.Kind.class), keys(), BOOLEANS, keys(), BOOLEANS)
        .as(Narrowing::new);
  }

  /** Calls for one key. */
  static Arbitrary<Operation<LongNavigable>> onKey() {
    return Combinators.combine(keys(), values(), Arbitraries.integers().between(0, 12))
        .as(Operations::onKey);
  }

  private static Operation<LongNavigable> onKey(long key, long value, int kind) {
    return switch (kind) {
      case 0 -> Operation.of("get(" + key + ")", each -> each.get(key));
      case 1 ->
          Operation.of(
              "getOrDefault(" + key + ", " + value + ")", each -> each.getOrDefault(key, value));
      case 2 -> Operation.of("containsKey(" + key + ")", each -> each.containsKey(key));
      case 3 -> Operation.of("put(" + key + ", " + value + ")", each -> each.put(key, value));
      case 4 ->
          Operation.of(
              "putIfAbsent(" + key + ", " + value + ")", each -> each.putIfAbsent(key, value));
      case 5 -> Operation.running("set(" + key + ", " + value + ")", each -> each.set(key, value));
      case 6 -> Operation.of("remove(" + key + ")", each -> each.remove(key));
      case 7 -> Operation.of("find(" + key + ")", each -> find(each, key));
      case 8 ->
          Operation.of(
              "merge(" + key + ", " + value + ")",
              each -> each.merge(key, value, (before, other) -> before ^ other));
      case 9 -> Operation.of("addTo(" + key + ", " + value + ")", each -> each.addTo(key, value));
      case 10 ->
          Operation.of(
              "computeIfAbsent(" + key + ")", each -> each.computeIfAbsent(key, of -> of + value));
      case 11 -> Operation.of("compute(" + key + ")", each -> compute(each, key, value));
      default -> Operation.running("delete(" + key + ")", each -> each.delete(key));
    };
  }

  /** Removes what is odd, and adds to what is even. */
  private static String compute(LongNavigable entries, long key, long value) {
    LongEntry entry = new LongEntry();
    boolean isThere =
        entries.compute(
            key,
            entry,
            (now, was) -> {
              boolean stays = !was || now.value() % 2 == 0;
              now.setValue(was ? now.value() + value : value);
              return stays;
            });
    return shown(isThere, entry);
  }

  private static Optional<Long> find(LongNavigable entries, long key) {
    long[] value = new long[1];
    return entries.find(key, value) ? Optional.of(value[0]) : Optional.empty();
  }

  /** Calls for the neighbour of a key, or of the ends. */
  static Arbitrary<Operation<LongNavigable>> onNeighbour() {
    return Combinators.combine(keys(), Arbitraries.integers().between(0, 9))
        .as(Operations::onNeighbour);
  }

  private static Operation<LongNavigable> onNeighbour(long key, int kind) {
    LongEntry entry = new LongEntry();
    return switch (kind) {
      case 0 -> Operation.of("firstKey", LongNavigable::firstKey);
      case 1 -> Operation.of("lastKey", LongNavigable::lastKey);
      case 2 -> Operation.of("first", each -> shown(each.first(entry), entry));
      case 3 -> Operation.of("last", each -> shown(each.last(entry), entry));
      case 4 -> Operation.of("floor(" + key + ")", each -> shown(each.floor(key, entry), entry));
      case 5 ->
          Operation.of("ceiling(" + key + ")", each -> shown(each.ceiling(key, entry), entry));
      case 6 -> Operation.of("lower(" + key + ")", each -> shown(each.lower(key, entry), entry));
      case 7 -> Operation.of("higher(" + key + ")", each -> shown(each.higher(key, entry), entry));
      case 8 -> Operation.of("pollFirst", each -> shown(each.pollFirst(entry), entry));
      default -> Operation.of("pollLast", each -> shown(each.pollLast(entry), entry));
    };
  }

  private static String shown(boolean isThere, LongEntry entry) {
    return isThere ? entry.toString() : "none";
  }

  /** Calls for a range of keys, or all. */
  static Arbitrary<Operation<LongNavigable>> onRange() {
    return Combinators.combine(
            keys(), BOOLEANS, keys(), BOOLEANS, Arbitraries.integers().between(0, 10))
        .as(Operations::onRange);
  }

  private static Operation<LongNavigable> onRange(
      long from, boolean fromInclusive, long to, boolean toInclusive, int kind) {
    String range = (fromInclusive ? "[" : "(") + from + ", " + to + (toInclusive ? "]" : ")");
    return switch (kind) {
      case 0 -> Operation.of("size", LongNavigable::size);
      case 1 -> Operation.of("isEmpty", LongNavigable::isEmpty);
      case 2 -> Operation.running("clear", LongNavigable::clear);
      case 3, 4, 5 ->
          Operation.of(
              "removeRange" + range,
              each -> each.removeRange(from, fromInclusive, to, toInclusive));
      default ->
          Operation.of(
              "countRange" + range, each -> each.countRange(from, fromInclusive, to, toInclusive));
    };
  }

  /** Calls for many keys. */
  static Arbitrary<Operation<LongIndex>> onBatch() {
    Arbitrary<Long> strides = Arbitraries.of(-3L, -2L, -1L, 0L, 1L, 2L, 3L, 17L, 1L << 60);
    return Combinators.combine(
            keys(),
            strides,
            Arbitraries.integers().between(0, 200),
            Arbitraries.integers().between(0, 6))
        .as(Operations::onBatch);
  }

  private static Operation<LongIndex> onBatch(long from, long stride, int count, int kind) {
    long[] keys = LongStream.range(0, count).map(i -> from + i * stride).toArray();
    String some = "(" + count + " keys from " + from + " by " + stride + ")";
    return switch (kind) {
      case 0 -> Operation.of("getAll" + some, each -> getAll(each, keys));
      case 1 -> Operation.of("getAll of a segment" + some, each -> getAllOfSegment(each, keys));
      case 2 -> Operation.of("getAll in place" + some, each -> getAllInPlace(each, keys));
      case 3, 4 ->
          Operation.running(
              "putAll" + some,
              each -> each.putAll(keys, Arrays.stream(keys).map(key -> ~key).toArray()));
      case 5 ->
          Operation.running("delete" + some, each -> Arrays.stream(keys).forEach(each::delete));
      default -> Operation.running("bulkload" + some, each -> each.bulkload(keys, keys.clone()));
    };
  }

  private static long[] getAll(LongIndex index, long[] keys) {
    int from = keys.length / 3;
    long[] answers = new long[keys.length + 2];
    long[] found = new long[(keys.length + 63) / 64];
    answers[0] = index.getAll(keys, from, answers, 1, keys.length - from, found);
    return LongStream.concat(Arrays.stream(answers), Arrays.stream(found)).toArray();
  }

  private static long[] getAllInPlace(LongIndex index, long[] keys) {
    long[] both = Arrays.copyOf(keys, keys.length + 5);
    index.getAll(both, 0, both, keys.length % 5, keys.length);
    return both;
  }

  private static long[] getAllOfSegment(LongIndex index, long[] keys) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment probes = arena.allocateFrom(JAVA_LONG, keys);
      MemorySegment answers = arena.allocate(JAVA_LONG, keys.length);
      index.getAll(probes, answers);
      return answers.toArray(JAVA_LONG);
    }
  }

  /** Moves of cursors, and reads and writes through them. */
  static Arbitrary<Operation<LongCursor>> onCursor() {
    return Combinators.combine(keys(), Arbitraries.integers().between(0, 15))
        .as(Operations::onCursor);
  }

  private static Operation<LongCursor> onCursor(long key, int kind) {
    return switch (kind) {
      case 0 -> Operation.of("first", LongCursor::first);
      case 1 -> Operation.of("last", LongCursor::last);
      case 2 -> Operation.of("floor(" + key + ")", each -> each.floor(key));
      case 3 -> Operation.of("ceiling(" + key + ")", each -> each.ceiling(key));
      case 4 -> Operation.of("lower(" + key + ")", each -> each.lower(key));
      case 5 -> Operation.of("higher(" + key + ")", each -> each.higher(key));
      case 6 -> Operation.of("key", LongCursor::key);
      case 7 -> Operation.of("value", LongCursor::value);
      case 8 -> Operation.running("setValue(" + key + ")", each -> each.setValue(key));
      case 9, 10 -> Operation.running("remove", LongCursor::remove);
      case 11, 12 -> Operation.of("previous", LongCursor::previous);
      default -> Operation.of("next", LongCursor::next);
    };
  }
}
