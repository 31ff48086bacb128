// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesContract.Law;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What cursors do, also while the index changes. */
final class CursorLaws {
  static final List<Law> LAWS =
      List.of(
          new Law("cursor does what the model's does", 16, CursorLaws::cursorDoesWhatTheModelsDoes),
          new Law("scan that removes sees everything", 2, CursorLaws::scanThatRemovesSeesAll),
          new Law("removed entry may come back", 2, CursorLaws::removedEntryMayComeBack),
          new Law("cursor keeps its place", 2, CursorLaws::cursorKeepsItsPlace),
          new Law("scanTo changes no result", 4, CursorLaws::scanToChangesNoResult));

  /** A cursor, and the model's. */
  private record Cursors(BytesCursor actual, BytesCursor model) {}

  private CursorLaws() {}

  private static void cursorDoesWhatTheModelsDoes(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      BytesPair pair = new BytesPair(index);
      List<byte[]> keys = bytes.keys(80);
      pair.fill(bytes, keys.subList(10, 70));
      List<Cursors> cursors = new ArrayList<>();
      cursors.add(cursors(index.cursor(), pair.model.cursor(), index));
      narrow(pair, bytes, keys);
      for (int i = 0; i < 2; i++) {
        BytesCursor model = new HeapBytesCursor(pair.part, pair.model);
        cursors.add(cursors(pair.view.cursor(), model, index));
      }
      for (int i = 0; i < 300; i++) {
        if (bytes.random.nextInt(4) == 0) {
          change(pair, bytes, keys);
        } else {
          run(bytes.oneOf(cursors), bytes, bytes.oneOf(keys));
        }
      }
      pair.assertSameEntries();
    }
  }

  private static Cursors cursors(BytesCursor actual, BytesCursor model, BytesIndex index) {
    return new Cursors(actual, copies(index) ? new CopyingBytesCursor(model) : model);
  }

  /** Tells whether cursors keep copies of entries that others remove, as those behind a lock do. */
  private static boolean copies(BytesIndex index) {
    return index.withReadWriteLock() == index;
  }

  private static void narrow(BytesPair pair, NastyBytes bytes, List<byte[]> keys) {
    byte[] from = keys.get(bytes.random.nextInt(20));
    byte[] to = keys.get(60 + bytes.random.nextInt(20));
    BytesPair.Narrowing how = bytes.oneOf(List.of(BytesPair.Narrowing.values()));
    byte[] begin = how == BytesPair.Narrowing.PREFIX ? new byte[] {'p', 'p'} : from;
    pair.narrow(how, begin, bytes.random.nextBoolean(), to, bytes.random.nextBoolean());
    if (bytes.random.nextBoolean()) {
      pair.narrow(BytesPair.Narrowing.DESCENDING, from, true, to, true);
    }
  }

  /** Changes the index behind the cursors' backs. */
  private static void change(BytesPair pair, NastyBytes bytes, List<byte[]> keys) {
    byte[] key = bytes.oneOf(keys);
    if (bytes.random.nextBoolean()) {
      pair.put(key, bytes.value());
    } else {
      assertEquals(pair.model.delete(key), pair.index.delete(key));
    }
  }

  private static void run(Cursors cursors, NastyBytes bytes, byte[] key) {
    BytesCursor actual = cursors.actual;
    BytesCursor model = cursors.model;
    MemorySegment sought = bytes.segment(key);
    switch (bytes.random.nextInt(15)) {
      case 0 -> same("first", model::first, actual::first);
      case 1 -> same("last", model::last, actual::last);
      case 2 -> same("floor", () -> model.floor(sought), () -> actual.floor(sought));
      case 3 -> same("ceiling", () -> model.ceiling(sought), () -> actual.ceiling(sought));
      case 4 -> same("lower", () -> model.lower(sought), () -> actual.lower(sought));
      case 5 -> same("higher", () -> model.higher(sought), () -> actual.higher(sought));
      case 6, 7, 8 -> same("next", model::next, actual::next);
      case 9, 10, 11 -> same("previous", model::previous, actual::previous);
      case 12 -> {
        MemorySegment value = bytes.segment(bytes.value());
        same("setValue", () -> done(() -> model.setValue(value)), () -> setValue(actual, value));
      }
      case 13 -> same("remove", () -> done(model::remove), () -> done(actual::remove));
      default -> actual.scanTo(sought);
    }
    same("key", model::keyArray, () -> HeapBytesIndex.bytes(actual.key()));
    same("keyArray", model::keyArray, actual::keyArray);
    same("valueArray", model::valueArray, actual::valueArray);
    same("valueBytes", model::valueBytes, actual::valueBytes);
    same(
        "value",
        model::valueArray,
        () -> {
          Pieces pieces = new Pieces();
          actual.value(pieces);
          return pieces.whole();
        });
  }

  private static boolean setValue(BytesCursor cursor, MemorySegment value) {
    cursor.setValue(value);
    return true;
  }

  private static boolean done(Runnable call) {
    call.run();
    return true;
  }

  private static void same(String name, BytesPair.Answer expected, BytesPair.Answer actual) {
    BytesPair.same(name, expected, actual);
  }

  private static void scanThatRemovesSeesAll(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    List<byte[]> keys = bytes.keys(300);
    for (boolean backwards : new boolean[] {false, true}) {
      try (BytesIndex index = shape.create()) {
        keys.forEach(key -> index.set(key, bytes.value()));
        BytesCursor cursor = index.cursor();
        for (byte[] key : backwards ? keys.reversed() : keys) {
          assertTrue(backwards ? cursor.previous() : cursor.next());
          assertArrayEquals(key, cursor.keyArray());
          cursor.remove();
          assertThrows(IllegalStateException.class, cursor::key);
        }
        assertFalse(cursor.next());
        assertTrue(index.isEmpty());
        index.verify();
      }
    }
  }

  /** A cursor is not on the entry that it removed, even once the key has an entry again. */
  private static void removedEntryMayComeBack(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    List<byte[]> keys = bytes.keys(40);
    byte[] place = keys.get(20);
    for (boolean descending : new boolean[] {false, true}) {
      try (BytesIndex index = shape.create()) {
        keys.forEach(key -> index.set(key, key));
        BytesNavigable entries = descending ? index.descendingView() : index;
        BytesCursor cursor = entries.cursor();
        assertTrue(cursor.ceiling(bytes.segment(place)));
        cursor.remove();
        index.set(place, bytes.value());
        assertOnNoEntry(cursor);
        index.set(keys.get(19), bytes.value());
        assertOnNoEntry(cursor);
        assertTrue(cursor.next());
        assertArrayEquals(keys.get(descending ? 19 : 21), cursor.keyArray());
        assertTrue(cursor.previous());
        assertArrayEquals(place, cursor.keyArray());
        cursor.remove();
        index.set(place, bytes.value());
        assertTrue(cursor.floor(bytes.segment(place)));
        assertArrayEquals(place, cursor.keyArray());
        cursor.remove();
        index.set(place, place);
        assertTrue(cursor.previous());
        assertArrayEquals(keys.get(descending ? 21 : 19), cursor.keyArray());
        assertArrayEquals(place, index.get(place));
        assertEquals(keys.size(), index.size());
      }
    }
  }

  private static void assertOnNoEntry(BytesCursor cursor) {
    assertThrows(IllegalStateException.class, cursor::key);
    assertThrows(IllegalStateException.class, cursor::keyArray);
    assertThrows(IllegalStateException.class, cursor::valueArray);
    assertThrows(IllegalStateException.class, cursor::valueBytes);
    assertThrows(IllegalStateException.class, () -> cursor.value(new Pieces()));
    assertThrows(
        IllegalStateException.class, () -> cursor.setValue(MemorySegment.ofArray(new byte[0])));
    assertThrows(IllegalStateException.class, cursor::remove);
  }

  /** Pages split, merge and are emptied around the cursor. */
  private static void cursorKeepsItsPlace(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    List<byte[]> keys = bytes.keys(300);
    try (BytesIndex index = shape.create()) {
      byte[] place = keys.get(150);
      index.set(place, place);
      BytesCursor cursor = index.cursor();
      assertTrue(cursor.ceiling(bytes.segment(place)));
      keys.forEach(key -> index.set(key, key));
      assertArrayEquals(place, cursor.keyArray());
      assertArrayEquals(place, cursor.valueArray());
      assertTrue(cursor.next());
      assertArrayEquals(keys.get(151), cursor.keyArray());
      assertTrue(cursor.previous());
      assertTrue(cursor.previous());
      assertArrayEquals(keys.get(149), cursor.keyArray());
      index.removeRange(keys.get(10), true, keys.get(148), true);
      index.removeRange(keys.get(150), true, keys.get(280), true);
      assertArrayEquals(keys.get(149), cursor.keyArray());
      assertTrue(cursor.next());
      assertArrayEquals(keys.get(281), cursor.keyArray());
      index.delete(keys.get(281));
      if (copies(index)) {
        assertArrayEquals(keys.get(281), cursor.keyArray());
      } else {
        assertThrows(IllegalStateException.class, cursor::keyArray);
      }
      assertTrue(cursor.previous());
      assertArrayEquals(keys.get(149), cursor.keyArray());
      index.verify();
    }
  }

  private static void scanToChangesNoResult(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    List<byte[]> keys = bytes.keys(300);
    try (BytesIndex index = shape.create()) {
      keys.forEach(key -> index.set(key, key));
      for (BytesNavigable entries :
          List.of(index, index.tailView(keys.get(100), false), index.descendingView())) {
        BytesCursor plain = entries.cursor();
        BytesCursor hinted = entries.cursor();
        byte[] end = bytes.oneOf(keys).clone();
        hinted.scanTo(MemorySegment.ofArray(end));
        Arrays.fill(end, (byte) 'x');
        while (plain.next()) {
          assertTrue(hinted.next());
          assertArrayEquals(plain.keyArray(), hinted.keyArray());
        }
        assertFalse(hinted.next());
      }
    }
  }
}
