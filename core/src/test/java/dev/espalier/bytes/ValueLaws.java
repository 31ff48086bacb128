// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.bytes.BytesContract.Law;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What an index keeps, and what it hands out. */
final class ValueLaws {
  static final List<Law> LAWS =
      List.of(
          new Law("values of every length come back", 1, ValueLaws::valuesOfEveryLengthComeBack),
          new Law("keys of every length come back", 1, ValueLaws::keysOfEveryLengthComeBack),
          new Law("nothing keeps the caller's arrays", 1, ValueLaws::nothingKeepsArrays),
          new Law("windows cannot be written to", 1, ValueLaws::windowsAreReadOnly),
          new Law("reader may throw", 1, ValueLaws::readerMayThrow),
          new Law("threads read at the same time", 1, ValueLaws::threadsReadAtTheSameTime),
          new Law("windows show no other entry", 2, ValueLaws::windowsShowNoOtherEntry));

  private static final int PAGE = 4096;

  private ValueLaws() {}

  private static void valuesOfEveryLengthComeBack(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    try (BytesIndex index = shape.create()) {
      int[] around = {0, 64, 128, 256, 512, 1024, PAGE, 2 * PAGE, 65_536, TestSize.of(0, 40 << 20)};
      for (int border : around) {
        for (int length = Math.max(0, border - 24); length < border + 8; length++) {
          byte[] key = ("value of " + length).getBytes();
          byte[] value = bytes.random(length);
          index.set(key, value);
          model.put(key, value);
          if (border > 1 << 20) {
            break;
          }
        }
      }
      // Each value in turn becomes as long as another one.
      List<byte[]> keys = List.copyOf(model.keySet());
      for (int i = 0; i < 100; i++) {
        byte[] key = bytes.oneOf(keys);
        byte[] value = bytes.random(model.get(bytes.oneOf(keys)).length);
        assertArrayEquals(model.put(key, value), index.put(key, value));
      }
      model.forEach(
          (key, value) -> {
            assertArrayEquals(value, index.get(key));
            Pieces pieces = new Pieces();
            assertTrue(index.get(MemorySegment.ofArray(key), pieces));
            assertArrayEquals(value, pieces.whole());
            byte[] copy = new byte[value.length + 1];
            assertEquals(
                value.length, index.get(MemorySegment.ofArray(key), MemorySegment.ofArray(copy)));
            assertArrayEquals(value, Arrays.copyOf(copy, value.length));
          });
      index.verify();
      model.forEach((key, value) -> assertArrayEquals(value, index.remove(key)));
      assertTrue(index.isEmpty());
      index.verify();
    }
  }

  /** Keys of the longest length, which differ in the last byte, among others. */
  private static void keysOfEveryLengthComeBack(BytesShape shape, long seed) {
    try (BytesIndex index = shape.create()) {
      int[] lengths = {0, 1, 7, 8, 9, 15, 16, 17, 255, 256, 1000, PAGE, 40_000, BytesIndex.MAX_KEY};
      for (int length : lengths) {
        for (int last = 0; last < 256; last += length > PAGE ? 51 : 1) {
          byte[] key = NastyBytes.filled((byte) 'k', length);
          if (length > 0) {
            key[length - 1] = (byte) last;
          }
          byte[] value = {(byte) last, (byte) length};
          index.set(key, value);
        }
      }
      index.verify();
      for (int length : lengths) {
        for (int last = 0; last < 256; last += length > PAGE ? 51 : 1) {
          byte[] key = NastyBytes.filled((byte) 'k', length);
          int expected = length > 0 ? last : 255;
          if (length > 0) {
            key[length - 1] = (byte) last;
          }
          assertArrayEquals(
              new byte[] {(byte) expected, (byte) length},
              index.get(key),
              () -> BytesPair.show(key));
        }
      }
      assertNull(index.get(NastyBytes.filled((byte) 'z', BytesIndex.MAX_KEY)));
    }
  }

  private static void nothingKeepsArrays(BytesShape shape, long seed) {
    try (BytesIndex index = shape.create()) {
      byte[] key = {1, 2, 3};
      byte[] value = {4, 5, 6};
      index.put(key, value);
      index.set(new byte[] {9}, value);
      index.putIfAbsent(new byte[] {8}, value);
      BytesNavigable tail = index.tailView(key, true);
      BytesCursor cursor = index.cursor();
      cursor.ceiling(MemorySegment.ofArray(key));
      Arrays.fill(key, (byte) 0x70);
      Arrays.fill(value, (byte) 0x70);
      for (byte[] stored : new byte[][] {{1, 2, 3}, {8}, {9}}) {
        assertArrayEquals(new byte[] {4, 5, 6}, index.get(stored));
      }
      assertEquals(3, tail.size());
      assertArrayEquals(new byte[] {1, 2, 3}, cursor.keyArray());
      byte[] got = index.get(new byte[] {9});
      assertNotSame(got, index.get(new byte[] {9}));
      Arrays.fill(got, (byte) 0);
      Arrays.fill(cursor.valueArray(), (byte) 0);
      Arrays.fill(cursor.keyArray(), (byte) 0);
      assertArrayEquals(new byte[] {4, 5, 6}, index.get(new byte[] {9}));
      assertArrayEquals(new byte[] {4, 5, 6}, cursor.valueArray());
      assertArrayEquals(new byte[] {1, 2, 3}, cursor.keyArray());
      byte[] previous = index.put(new byte[] {9}, new byte[] {1});
      assertArrayEquals(new byte[] {4, 5, 6}, previous);
    }
  }

  private static void windowsAreReadOnly(BytesShape shape, long seed) {
    try (BytesIndex index = shape.create()) {
      for (int length : new int[] {0, 1, 100, 50_000}) {
        index.set(new byte[] {1}, new byte[length]);
        BytesCursor cursor = index.cursor();
        assertTrue(cursor.first());
        assertTrue(cursor.key().isReadOnly(), "the key can be written to");
        cursor.value(ValueLaws::assertReadOnly);
        assertTrue(index.get(cursor.key(), ValueLaws::assertReadOnly));
        index.getAll(
            PackedBytes.of(List.of(new byte[] {1})),
            (i, piece, from, bytes, position, total) -> assertTrue(piece.isReadOnly()));
        index.clear();
      }
    }
  }

  private static void assertReadOnly(
      MemorySegment piece, long from, long bytes, long position, long total) {
    assertTrue(piece.isReadOnly(), "a piece can be written to");
    assertTrue(from >= 0 && bytes >= 0 && from + bytes <= piece.byteSize());
  }

  private static void readerMayThrow(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      byte[] key = {1};
      for (int length : new int[] {0, 10, 50_000}) {
        byte[] value = bytes.random(length);
        index.set(key, value);
        BytesCursor cursor = index.cursor();
        assertTrue(cursor.first());
        ArithmeticException thrown = new ArithmeticException("by the reader");
        ValueReader refusing =
            (piece, from, count, position, total) -> {
              throw thrown;
            };
        BatchReader refusingAll =
            (i, piece, from, count, position, total) -> {
              throw thrown;
            };
        for (Runnable call :
            List.<Runnable>of(
                () -> index.get(MemorySegment.ofArray(key), refusing),
                () -> cursor.value(refusing),
                () -> index.getAll(PackedBytes.of(List.of(key, key)), refusingAll))) {
          assertSame(thrown, assertThrows(ArithmeticException.class, call::run));
        }
        assertArrayEquals(value, cursor.valueArray());
        index.verify();
        index.clear();
      }
      assertTrue(index.isEmpty());
    }
  }

  private static void threadsReadAtTheSameTime(BytesShape shape, long seed) throws Exception {
    NastyBytes bytes = new NastyBytes(seed);
    List<byte[]> keys = bytes.keys(200);
    try (BytesIndex index = shape.create();
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      keys.forEach(key -> index.set(key, Arrays.copyOf(key, key.length + 5)));
      List<Callable<Boolean>> readers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        NastyBytes order = new NastyBytes(seed + i);
        readers.add(() -> readAll(index, keys, order));
      }
      for (Future<Boolean> reader : threads.invokeAll(readers)) {
        assertTrue(reader.get());
      }
    }
  }

  /** Returns whether every key has its value, by every way of reading. */
  private static boolean readAll(BytesIndex index, List<byte[]> keys, NastyBytes order) {
    boolean right = true;
    BytesCursor cursor = index.cursor();
    for (int i = 0; i < TestSize.share(1000, 10_000) && right; i++) {
      byte[] key = order.oneOf(keys);
      byte[] value = Arrays.copyOf(key, key.length + 5);
      Pieces pieces = new Pieces();
      Pieces ofBatch = new Pieces();
      Pieces ofCursor = new Pieces();
      MemorySegment sought = MemorySegment.ofArray(key);
      right = index.get(sought, pieces) && cursor.ceiling(sought);
      index.getAll(
          PackedBytes.of(List.of(key)),
          (j, piece, from, count, position, total) ->
              ofBatch.read(piece, from, count, position, total));
      cursor.value(ofCursor);
      right &=
          Arrays.equals(value, index.get(key))
              && Arrays.equals(value, pieces.whole())
              && Arrays.equals(value, ofBatch.whole())
              && Arrays.equals(value, ofCursor.whole())
              && Arrays.equals(key, cursor.keyArray());
    }
    return right;
  }

  /**
   * After a move the cursor shows the next entry in new windows. After the index is closed, windows
   * that were handed out show what they showed, or refuse.
   */
  private static void windowsShowNoOtherEntry(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    List<byte[]> keys = bytes.keys(100);
    BytesIndex index = shape.create();
    keys.forEach(key -> index.set(key, bytes.value()));
    BytesCursor cursor = index.cursor();
    for (byte[] key : keys) {
      assertTrue(cursor.next());
      assertArrayEquals(key, HeapBytesIndex.bytes(cursor.key()));
    }
    assertFalse(cursor.next());
    assertThrows(IllegalStateException.class, cursor::key);
    byte[] middle = keys.get(50);
    assertTrue(cursor.ceiling(bytes.segment(middle)));
    MemorySegment key = cursor.key();
    byte[] shown = cursor.valueArray();
    MemorySegment[] window = new MemorySegment[1];
    long[] place = new long[2];
    cursor.value(
        (piece, from, length, position, total) -> {
          if (position == 0) {
            window[0] = piece;
            place[0] = from;
            place[1] = length;
          }
        });
    index.close();
    assertSameOrRefused(middle, key);
    byte[] start = Arrays.copyOf(shown, (int) place[1]);
    try {
      assertArrayEquals(start, HeapBytesIndex.bytes(window[0].asSlice(place[0], place[1])));
    } catch (IllegalStateException closed) {
      assertTrue(index.isClosed());
    }
  }

  private static void assertSameOrRefused(byte[] expected, MemorySegment window) {
    try {
      assertArrayEquals(expected, HeapBytesIndex.bytes(window));
    } catch (IllegalStateException closed) {
      assertThrows(IllegalStateException.class, () -> HeapBytesIndex.bytes(window));
    }
  }
}
