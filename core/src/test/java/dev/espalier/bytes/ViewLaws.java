// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.bytes.BytesContract.Law;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What an index and its views answer, compared with a map and its sub-maps. */
final class ViewLaws {
  static final List<Law> LAWS =
      List.of(
          new Law("does what a map does", 8, ViewLaws::wholeDoesWhatAMapDoes),
          new Law("view does what the sub-map does", 120, ViewLaws::viewDoesWhatTheSubMapDoes),
          new Law(
              "neighbours are those of the sub-map", 20, ViewLaws::neighboursAreThoseOfTheSubMap),
          new Law("prefix view shows what begins so", 8, ViewLaws::prefixViewShowsWhatBeginsSo));

  private static final List<BytesPair.Narrowing> NARROWINGS = List.of(BytesPair.Narrowing.values());

  private ViewLaws() {}

  private static void wholeDoesWhatAMapDoes(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      BytesPair pair = new BytesPair(index);
      List<byte[]> keys = bytes.keys(200);
      for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 150; i++) {
          run(pair, bytes, keys, bytes.random.nextInt(round == 2 || round == 4 ? 18 : 14));
        }
        pair.assertSameEntries();
      }
      pair.view.clear();
      pair.part.clear();
      pair.assertSameEntries();
    }
  }

  private static void neighboursAreThoseOfTheSubMap(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      BytesPair pair = new BytesPair(index);
      List<byte[]> keys = bytes.keys(80);
      pair.fill(bytes, keys.subList(0, 40));
      byte[] bound = bytes.oneOf(keys);
      pair.narrow(bytes.oneOf(NARROWINGS.subList(1, 3)), bound, true, bound, false);
      if (bytes.random.nextBoolean()) {
        pair.narrow(BytesPair.Narrowing.DESCENDING, bound, true, bound, true);
      }
      NavigableMap<byte[], byte[]> part = pair.part;
      BytesNavigable view = pair.view;
      for (byte[] key : keys) {
        MemorySegment segment = bytes.segment(key);
        same("floor", () -> shown(part.floorEntry(key)), () -> read(to -> view.floor(segment, to)));
        same(
            "ceiling",
            () -> shown(part.ceilingEntry(key)),
            () -> read(to -> view.ceiling(segment, to)));
        same("lower", () -> shown(part.lowerEntry(key)), () -> read(to -> view.lower(segment, to)));
        same(
            "higher",
            () -> shown(part.higherEntry(key)),
            () -> read(to -> view.higher(segment, to)));
      }
      for (boolean isFirst = true; !part.isEmpty(); isFirst = !isFirst) {
        same("first", () -> shown(part.firstEntry()), () -> read(view::first));
        same("last", () -> shown(part.lastEntry()), () -> read(view::last));
        same("firstKey", part::firstKey, view::firstKey);
        same("lastKey", part::lastKey, view::lastKey);
        Predicate<BytesEntryReader> poll = isFirst ? view::pollFirst : view::pollLast;
        String expected = shown(isFirst ? part.pollFirstEntry() : part.pollLastEntry());
        same("poll", () -> expected, () -> read(poll));
      }
      same("first", () -> "none", () -> read(view::first));
      same("poll", () -> "none", () -> read(view::pollLast));
      assertThrows(NoSuchElementException.class, view::firstKey);
      assertThrows(NoSuchElementException.class, view::lastKey);
      pair.assertSameEntries();
    }
  }

  private static String read(Predicate<BytesEntryReader> call) {
    StringBuilder read = new StringBuilder("none");
    boolean isThere =
        call.test(
            entry -> {
              read.setLength(0);
              byte[] key = entry.key().toArray(ValueLayout.JAVA_BYTE);
              read.append(shown(Map.entry(key, entry.valueArray())));
              assertEquals(entry.valueBytes(), entry.valueArray().length);
            });
    assertEquals(isThere, !read.toString().equals("none"));
    return read.toString();
  }

  private static String shown(Map.@Nullable Entry<byte[], byte[]> entry) {
    return entry == null
        ? "none"
        : HexFormat.of().formatHex(entry.getKey())
            + "="
            + HexFormat.of().formatHex(entry.getValue());
  }

  private static void viewDoesWhatTheSubMapDoes(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      BytesPair pair = new BytesPair(index);
      List<byte[]> keys = bytes.keys(40);
      pair.fill(bytes, keys.subList(0, 30));
      for (int i = bytes.random.nextInt(4); i >= 0; i--) {
        byte[] a = bytes.oneOf(keys);
        byte[] b = bytes.oneOf(keys);
        boolean inOrder = Arrays.compareUnsigned(a, b) <= 0;
        BytesPair.Narrowing how = bytes.oneOf(NARROWINGS);
        byte[] from = how == BytesPair.Narrowing.PREFIX ? Arrays.copyOf(a, a.length / 2) : a;
        boolean swap = !inOrder && bytes.random.nextInt(8) > 0;
        pair.narrow(
            how,
            swap ? b : from,
            bytes.random.nextBoolean(),
            swap ? a : b,
            bytes.random.nextBoolean());
      }
      pair.assertSameEntries();
      for (int i = 0; i < 20; i++) {
        run(pair, bytes, keys, bytes.random.nextInt(18));
      }
      pair.assertSameEntries();
      pair.view.clear();
      pair.part.clear();
      pair.assertSameEntries();
    }
  }

  /** Makes one call of the view, and compares its answer with that of the part. */
  private static void run(BytesPair pair, NastyBytes bytes, List<byte[]> keys, int call) {
    BytesNavigable view = pair.view;
    byte[] key = bytes.oneOf(keys);
    byte[] to = bytes.oneOf(keys);
    byte[] value = bytes.value();
    MemorySegment segment = bytes.segment(key);
    boolean fromInclusive = bytes.random.nextBoolean();
    boolean toInclusive = bytes.random.nextBoolean();
    switch (call) {
      case 0 -> same("get", () -> pair.part.get(key), () -> view.get(key));
      case 1 ->
          same(
              "get with a reader",
              () -> pair.part.get(key),
              () -> {
                Pieces pieces = new Pieces();
                return view.get(segment, pieces) ? pieces.whole() : null;
              });
      case 2 -> {
        byte[] into = new byte[bytes.random.nextInt(40)];
        byte[] expected = into.clone();
        byte[] stored = pair.part.get(key);
        if (stored != null) {
          System.arraycopy(stored, 0, expected, 0, Math.min(stored.length, expected.length));
        }
        long length = stored == null ? -1 : stored.length;
        same("get into", () -> length, () -> view.get(segment, MemorySegment.ofArray(into)));
        assertArrayEquals(expected, into);
      }
      case 3 -> same("containsKey", () -> pair.part.containsKey(key), () -> view.containsKey(key));
      case 4 ->
          same("containsKey", () -> pair.part.containsKey(key), () -> view.containsKey(segment));
      case 5, 6 -> same("put", () -> pair.part.put(key, value), () -> view.put(key, value));
      case 7 ->
          same(
              "putIfAbsent",
              () -> pair.part.putIfAbsent(key, value),
              () -> view.putIfAbsent(key, value));
      case 8 ->
          same(
              "set",
              () -> done(() -> pair.part.put(key, value)),
              () -> done(() -> view.set(key, value)));
      case 9, 10 ->
          same(
              "set",
              () -> done(() -> pair.part.put(key, value)),
              () -> done(() -> view.set(segment, bytes.segment(value))));
      case 11 -> same("size", () -> (long) pair.part.size(), view::size);
      case 12 -> same("isEmpty", pair.part::isEmpty, view::isEmpty);
      case 13 ->
          same(
              "countRange",
              () -> (long) pair.keysBetween(key, fromInclusive, to, toInclusive).size(),
              () -> view.countRange(key, fromInclusive, to, toInclusive));
      case 14 -> same("remove", () -> pair.part.remove(key), () -> view.remove(key));
      case 15 -> same("delete", () -> pair.part.remove(key) != null, () -> view.delete(key));
      case 16 -> same("delete", () -> pair.part.remove(key) != null, () -> view.delete(segment));
      default ->
          same(
              "removeRange",
              () -> removeAll(pair, pair.keysBetween(key, fromInclusive, to, toInclusive)),
              () -> view.removeRange(key, fromInclusive, to, toInclusive));
    }
  }

  private static void same(String name, BytesPair.Answer expected, BytesPair.Answer actual) {
    BytesPair.same(name, expected, actual);
  }

  private static boolean done(Runnable call) {
    call.run();
    return true;
  }

  private static long removeAll(BytesPair pair, List<byte[]> keys) {
    keys.forEach(pair.part::remove);
    return keys.size();
  }

  private static void prefixViewShowsWhatBeginsSo(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      List<byte[]> keys = bytes.keys(300);
      keys.forEach(key -> index.set(key, key));
      List<byte[]> prefixes = new ArrayList<>();
      for (int length = 0; length < 12; length++) {
        prefixes.add(NastyBytes.filled((byte) 0xFF, length));
        prefixes.add(Arrays.copyOf(bytes.oneOf(keys), length));
        byte[] nextByteIsFree = NastyBytes.filled((byte) 0xFF, length + 1);
        nextByteIsFree[0] = 'p';
        prefixes.add(nextByteIsFree);
      }
      for (byte[] prefix : prefixes) {
        List<String> expected =
            keys.stream().filter(key -> beginsWith(key, prefix)).map(BytesPair::show).toList();
        BytesNavigable view = index.prefixView(prefix);
        assertEquals(expected, keysOf(view), () -> "prefix " + BytesPair.show(prefix));
        assertEquals(expected.reversed(), keysOf(view.descendingView()));
        assertEquals(expected.size(), view.size());
      }
    }
  }

  private static boolean beginsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  private static List<String> keysOf(BytesNavigable view) {
    List<String> keys = new ArrayList<>();
    BytesCursor cursor = view.cursor();
    while (cursor.next()) {
      keys.add(BytesPair.show(cursor.keyArray()));
    }
    return keys;
  }
}
