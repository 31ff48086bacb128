// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An index or view, and the part of a {@link TreeMap} that it must equal. */
final class BytesPair {

  /** How to come from a view to a view of it. */
  enum Narrowing {
    SUB,
    HEAD,
    TAIL,
    PREFIX,
    DESCENDING
  }

  final BytesIndex index;
  final HeapBytesIndex model = new HeapBytesIndex();
  BytesNavigable view;
  NavigableMap<byte[], byte[]> part = model.entries;

  /** The bounds of the part, in ascending order; null if there is none. */
  private byte @Nullable [] low;

  private boolean lowInclusive;
  private byte @Nullable [] high;
  private boolean highInclusive;
  private boolean descending;

  /** Begins with the whole of an empty index. */
  BytesPair(BytesIndex index) {
    this.index = index;
    this.view = index;
  }

  void put(byte[] key, byte[] value) {
    index.set(key, value);
    model.set(key, value);
  }

  /** Puts entries with values of their own. */
  void fill(NastyBytes bytes, Collection<byte[]> keys) {
    keys.forEach(key -> put(key, bytes.value()));
  }

  /** Narrows view and part, or neither if that is refused. */
  void narrow(Narrowing how, byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    switch (how) {
      case SUB -> {
        if (narrowed(
            v -> v.subView(from, fromInclusive, to, toInclusive),
            p -> p.subMap(from, fromInclusive, to, toInclusive))) {
          bound(from, fromInclusive, true);
          bound(to, toInclusive, false);
        }
      }
      case HEAD -> {
        if (narrowed(v -> v.headView(to, toInclusive), p -> p.headMap(to, toInclusive))) {
          bound(to, toInclusive, false);
        }
      }
      case TAIL -> {
        if (narrowed(v -> v.tailView(from, fromInclusive), p -> p.tailMap(from, fromInclusive))) {
          bound(from, fromInclusive, true);
        }
      }
      case PREFIX -> {
        view = view.prefixView(from);
        cutToPrefix(from);
        part = rebuilt();
      }
      case DESCENDING -> {
        view = view.descendingView();
        part = part.descendingMap();
        descending = !descending;
      }
    }
  }

  private boolean narrowed(
      Function<BytesNavigable, BytesNavigable> ofView,
      Function<NavigableMap<byte[], byte[]>, NavigableMap<byte[], byte[]>> ofPart) {
    NavigableMap<byte[], byte[]> narrower;
    try {
      narrower = ofPart.apply(part);
    } catch (IllegalArgumentException refused) {
      assertEquals(IllegalArgumentException.class, outcome(() -> ofView.apply(view)));
      return false;
    }
    view = ofView.apply(view);
    part = narrower;
    return true;
  }

  private void bound(byte[] key, boolean inclusive, boolean first) {
    if (first != descending) {
      low = key;
      lowInclusive = inclusive;
    } else {
      high = key;
      highInclusive = inclusive;
    }
  }

  /** Cuts the bounds to the keys that begin with a prefix, one comparison after the other. */
  private void cutToPrefix(byte[] prefix) {
    if (low == null || Arrays.compareUnsigned(low, prefix) < 0) {
      low = prefix;
      lowInclusive = true;
    }
    byte[] end = prefix.clone();
    int last = end.length - 1;
    for (; last >= 0 && ++end[last] == 0; last--) {
      // 0xff has become 0x00: carry.
    }
    if (last >= 0) {
      end = Arrays.copyOf(end, last + 1);
      if (high == null || Arrays.compareUnsigned(high, end) >= 0) {
        high = end;
        highInclusive = false;
      }
    }
  }

  private NavigableMap<byte[], byte[]> rebuilt() {
    NavigableMap<byte[], byte[]> cut = model.entries;
    if (low != null && high != null && Arrays.compareUnsigned(low, high) > 0) {
      byte[] nobodysKey = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
      cut = cut.subMap(nobodysKey, false, nobodysKey, false);
    } else {
      cut = low == null ? cut : cut.tailMap(low, lowInclusive);
      cut = high == null ? cut : cut.headMap(high, highInclusive);
    }
    return descending ? cut.descendingMap() : cut;
  }

  /**
   * Returns the keys of the part between two bounds.
   *
   * @throws IllegalArgumentException if {@code from} comes after {@code to} in the part's order
   */
  List<byte[]> keysBetween(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    int sign = descending ? -1 : 1;
    if (sign * Arrays.compareUnsigned(from, to) > 0) {
      throw new IllegalArgumentException("from comes after to");
    }
    return part.keySet().stream()
        .filter(key -> sign * Arrays.compareUnsigned(key, from) >= (fromInclusive ? 0 : 1))
        .filter(key -> sign * Arrays.compareUnsigned(key, to) <= (toInclusive ? 0 : -1))
        .toList();
  }

  /** Checks that both calls answer alike, or both refuse in the same way. */
  static void same(String name, Answer expected, Answer actual) {
    assertEquals(outcome(expected), outcome(actual), name);
  }

  /** A call that may answer bytes. */
  @FunctionalInterface
  interface Answer {
    @Nullable Object get();
  }

  private static @Nullable Object outcome(Answer call) {
    try {
      Object answer = call.get();
      return answer instanceof byte[] bytes ? show(bytes) : answer;
    } catch (IllegalArgumentException | IllegalStateException refused) {
      return refused.getClass();
    }
  }

  static String show(byte[] bytes) {
    String start = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 40));
    return "%s (%d bytes, hash %x)".formatted(start, bytes.length, Arrays.hashCode(bytes));
  }

  /** Checks that the view shows exactly the part, in both directions. */
  void assertSameEntries() {
    BytesCursor ahead = view.cursor();
    for (Map.Entry<byte[], byte[]> entry : part.entrySet()) {
      assertTrue(ahead.next(), () -> "ends before " + show(entry.getKey()));
      assertAt(entry, ahead);
    }
    assertFalse(ahead.next());
    BytesCursor back = view.cursor();
    for (Map.Entry<byte[], byte[]> entry : part.descendingMap().entrySet()) {
      assertTrue(back.previous(), () -> "begins after " + show(entry.getKey()));
      assertAt(entry, back);
    }
    assertFalse(back.previous());
    assertEquals(part.size(), view.size());
    assertEquals(part.isEmpty(), view.isEmpty());
    assertEquals(model.size(), index.size());
    index.verify();
  }

  static void assertAt(Map.Entry<byte[], byte[]> entry, BytesCursor cursor) {
    byte[] key = entry.getKey();
    byte[] value = entry.getValue();
    assertEquals(show(key), show(HeapBytesIndex.bytes(cursor.key())));
    assertArrayEquals(key, cursor.keyArray());
    assertEquals(value.length, cursor.valueBytes());
    assertArrayEquals(value, cursor.valueArray());
    Pieces pieces = new Pieces();
    cursor.value(pieces);
    assertArrayEquals(value, pieces.whole());
  }
}
