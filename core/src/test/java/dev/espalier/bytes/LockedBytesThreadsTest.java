// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What calls on an index behind a lock answer while another thread takes entries away. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LockedBytesThreadsTest {
  private static final int ROUNDS = TestSize.share(3000, 30_000);
  private static final int KEYS = 8;

  private final BytesIndex index =
      PrefixBPlusTree.create(IndexOptions.DEFAULT, 1024).withReadWriteLock();

  /** A call that must not throw, whatever other threads remove. */
  private record Call(String name, Body body) {
    @Override
    public String toString() {
      return name;
    }
  }

  @FunctionalInterface
  private interface Body {
    void on(BytesIndex index, NavigableMap<String, String> map);
  }

  private static byte[] key(int i) {
    return ("k" + i).getBytes(StandardCharsets.UTF_8);
  }

  private static void assertIsValue(Map.@Nullable Entry<String, String> entry) {
    if (entry != null) {
      assertEquals("value of " + entry.getKey(), entry.getValue());
    }
  }

  static Stream<Call> calls() {
    return Stream.of(
        new Call("entrySet", (_, map) -> map.entrySet().forEach(entry -> assertIsValue(entry))),
        new Call("keySet", (_, map) -> map.keySet().forEach(key -> assertTrue(key.length() == 2))),
        new Call(
            "values",
            (_, map) -> map.values().forEach(value -> assertTrue(value.startsWith("value of")))),
        new Call(
            "descending entrySet of a part",
            (_, map) ->
                map.descendingMap()
                    .headMap("k3")
                    .entrySet()
                    .forEach(entry -> assertIsValue(entry))),
        new Call("firstEntry", (_, map) -> assertIsValue(map.firstEntry())),
        new Call("higherEntry", (_, map) -> assertIsValue(map.higherEntry("k4"))),
        new Call("lowerKey", (_, map) -> map.lowerKey("k6")),
        new Call("pollFirstEntry", (_, map) -> assertIsValue(map.pollFirstEntry())),
        new Call("pollLastEntry", (_, map) -> assertIsValue(map.pollLastEntry())),
        new Call("clear of a part", (_, map) -> map.subMap("k2", "k5").clear()),
        new Call("isEmpty of a part", (_, map) -> map.subMap("k2", "k5").isEmpty()),
        new Call(
            "size of a prefix",
            (index, _) -> assertTrue(index.prefixView(new byte[] {'k'}).size() <= KEYS)),
        new Call("clear of a prefix", (index, _) -> index.prefixView(new byte[] {'k'}).clear()),
        new Call("cursor", (index, _) -> scan(index)));
  }

  private static void scan(BytesIndex index) {
    BytesCursor cursor = index.cursor();
    while (cursor.next()) {
      byte[] key = cursor.keyArray();
      String expected = "value of " + new String(key, StandardCharsets.UTF_8);
      assertArrayEquals(key, HeapBytesIndex.bytes(cursor.key()));
      assertArrayEquals(expected.getBytes(StandardCharsets.UTF_8), cursor.valueArray());
      assertEquals(expected.length(), cursor.valueBytes());
      Pieces pieces = new Pieces();
      cursor.value(pieces);
      assertArrayEquals(expected.getBytes(StandardCharsets.UTF_8), pieces.whole());
    }
  }

  /** Takes entries away and puts them back while a call is made again and again. */
  private void besideARemover(BytesIndex entries, byte[][] keys, byte[][] values, Runnable call)
      throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<?> remover =
          threads.submit(
              () -> {
                while (!isDone.get()) {
                  for (int i = 0; i < keys.length; i++) {
                    entries.set(keys[i], values[i]);
                  }
                  for (byte[] key : keys) {
                    entries.delete(key);
                  }
                }
              });
      try {
        for (int round = 0; round < ROUNDS; round++) {
          call.run();
        }
      } finally {
        isDone.set(true);
      }
      remover.get();
      entries.verify();
      entries.close();
    }
  }

  @ParameterizedTest
  @MethodSource("calls")
  void callsNeverThrowBesideARemover(Call call) throws Exception {
    NavigableMap<String, String> map =
        index.asMap(BytesKeyCodec.ofString(), BytesValueCodec.ofString());
    byte[][] keys = new byte[KEYS][];
    byte[][] values = new byte[KEYS][];
    for (int i = 0; i < KEYS; i++) {
      keys[i] = key(i);
      values[i] = ("value of k" + i).getBytes(StandardCharsets.UTF_8);
    }
    besideARemover(index, keys, values, () -> call.body.on(index, map));
  }

  @Test
  void idsOfASecondaryIndexNeverThrowBesideARemover() throws Exception {
    SecondaryIndex<String> ids = SecondaryIndex.over(index, BytesKeyCodec.ofString());
    byte[][] keys = new byte[KEYS][];
    for (int i = 0; i < KEYS; i++) {
      keys[i] = ids.entry("key", i);
    }
    IdCursor cursor = ids.idCursor();
    byte[] encoded = BytesKeyCodec.ofString().encode("key");
    besideARemover(
        index,
        keys,
        new byte[KEYS][0],
        () -> {
          ids.ids("key").forEach(id -> assertTrue(id >= 0 && id < KEYS));
          assertTrue(ids.count("key") <= KEYS);
          ids.range("k", true, "l", true).forEach(entry -> assertEquals("key", entry.key()));
          for (cursor.seek(encoded); cursor.next(); ) {
            assertTrue(cursor.id() >= 0 && cursor.id() < KEYS);
          }
        });
  }

  @Test
  void aCursorKeepsWhatItWasOnAndWritesOnlyToWhatIsThere() {
    byte[] one = {1};
    byte[] two = {2};
    index.set(one, one);
    index.set(two, two);
    BytesCursor cursor = index.cursor();
    assertTrue(cursor.next());
    index.set(one, two);
    index.delete(one);
    assertArrayEquals(one, cursor.keyArray());
    assertArrayEquals(one, cursor.valueArray());
    assertThrows(IllegalStateException.class, () -> cursor.setValue(MemorySegment.ofArray(two)));
    assertThrows(IllegalStateException.class, cursor::remove);
    assertArrayEquals(one, cursor.keyArray());
    assertTrue(cursor.next());
    assertArrayEquals(two, cursor.keyArray());
    cursor.setValue(MemorySegment.ofArray(one));
    assertArrayEquals(one, cursor.valueArray());
    index.close();
  }

  @Test
  void scansSeeEveryWriteBetweenTwoStepsAndWriteToTheEntryThatTheyAreOn() {
    byte[][] keys = new byte[100][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = new byte[] {(byte) i};
      index.set(keys[i], keys[i]);
    }
    for (int steps = 1; steps < keys.length - 2; steps++) {
      BytesCursor cursor = index.cursor();
      step(cursor, steps);
      index.delete(keys[steps]);
      step(cursor, 1);
      assertArrayEquals(keys[steps + 1], cursor.keyArray());
      index.set(keys[steps], keys[7]);
      assertTrue(cursor.previous());
      assertArrayEquals(keys[7], cursor.valueArray());

      BytesCursor writer = index.cursor();
      step(writer, steps + 1);
      writer.setValue(MemorySegment.ofArray(keys[9]));
      assertArrayEquals(keys[9], index.get(keys[steps]));
      assertArrayEquals(keys[9], writer.valueArray());
      step(writer, 1);
      assertArrayEquals(keys[steps + 1], writer.keyArray());

      BytesCursor keysOnly = index.cursor();
      keysOnly.expectValues(BytesCursor.Expected.NONE);
      step(keysOnly, steps + 1);
      assertArrayEquals(keys[9], keysOnly.valueArray());
      step(keysOnly, 1);
      index.delete(keys[steps + 1]);
      assertThrows(IllegalStateException.class, keysOnly::valueArray);
      assertThrows(IllegalStateException.class, keysOnly::remove);
      step(keysOnly, 1);
      assertArrayEquals(keys[steps + 2], keysOnly.keyArray());
      index.set(keys[steps], keys[steps]);
      index.set(keys[steps + 1], keys[steps + 1]);
    }
    BytesCursor end = index.cursor();
    step(end, keys.length);
    index.set(new byte[] {101}, keys[1]);
    step(end, 1);
    assertArrayEquals(keys[1], end.valueArray());
    assertFalse(end.next());
    index.close();
  }

  private static void step(BytesCursor cursor, int steps) {
    for (int i = 0; i < steps; i++) {
      assertTrue(cursor.next());
    }
  }

  /** A copy of any length at each step would be too much: the rest is read when asked for. */
  @Test
  void aLongValueIsReadFromItsEntry() {
    byte[] one = {1};
    byte[] longest = NastyBytes.filled((byte) 'v', LockedBytesCursor.COPIED_BYTES);
    byte[] longer = NastyBytes.filled((byte) 'v', LockedBytesCursor.COPIED_BYTES + 1);
    index.set(one, longer);
    BytesCursor cursor = index.cursor();
    assertTrue(cursor.next());
    assertArrayEquals(longer, cursor.valueArray());
    assertEquals(longer.length, cursor.valueBytes());
    index.delete(one);
    assertArrayEquals(one, cursor.keyArray());
    assertThrows(IllegalStateException.class, cursor::valueArray);
    assertThrows(IllegalStateException.class, cursor::valueBytes);
    index.set(one, longest);
    assertTrue(cursor.first());
    index.delete(one);
    assertArrayEquals(longest, cursor.valueArray());
    index.close();
  }
}
