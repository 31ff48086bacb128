// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesContract.Law;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What an index refuses, and that it is as before then. */
final class LimitLaws {
  static final List<Law> LAWS =
      List.of(
          new Law("entry that is too long is refused", 1, LimitLaws::entryThatIsTooLongIsRefused),
          new Law("keys that are too long are absent", 1, LimitLaws::keysThatAreTooLongAreAbsent),
          new Law("wrong offsets are refused", 1, LimitLaws::wrongOffsetsAreRefused),
          new Law("wrong arguments are refused", 1, LimitLaws::wrongArgumentsAreRefused),
          new Law("full index is as it was", 2, LimitLaws::fullIndexIsAsItWas, true),
          new Law("room comes back", 1, LimitLaws::roomComesBack, true),
          new Law(
              "full batch keeps what came before",
              2,
              LimitLaws::fullBatchKeepsWhatCameBefore,
              true),
          new Law("closed index refuses every call", 1, LimitLaws::closedIndexRefusesEveryCall),
          new Law("threads that read are refused", 2, LimitLaws::threadsThatReadAreRefused));

  /** What needs no entries, and the hints, which change no result. */
  private static final Set<String> ALLOWED =
      Set.of(
          "close",
          "isClosed",
          "asMap",
          "typed",
          "checkCodecs",
          "withReadWriteLock",
          "scanTo",
          "expectValues");

  private static final byte[] SOME_KEY = {1, 2, 3};
  private static final byte[] SOME_VALUE = {4, 5};

  private LimitLaws() {}

  private static void entryThatIsTooLongIsRefused(BytesShape shape, long seed) throws IOException {
    byte[] longest = NastyBytes.filled((byte) 'k', BytesIndex.MAX_KEY);
    byte[] tooLong = NastyBytes.filled((byte) 'k', BytesIndex.MAX_KEY + 1);
    try (BytesIndex index = shape.create()) {
      index.set(longest, SOME_VALUE);
      MemorySegment segment = MemorySegment.ofArray(tooLong);
      assertRefused(() -> index.put(tooLong, SOME_VALUE));
      assertRefused(() -> index.putIfAbsent(tooLong, SOME_VALUE));
      assertRefused(() -> index.set(tooLong, SOME_VALUE));
      assertRefused(() -> index.set(segment, segment));
      assertRefused(
          () ->
              index.putAll(PackedBytes.of(List.of(tooLong)), PackedBytes.of(List.of(SOME_VALUE))));
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment hugeValue = hugeValue(arena);
        MemorySegment key = MemorySegment.ofArray(SOME_KEY);
        assertRefused(() -> index.set(key, hugeValue));
        BytesCursor cursor = index.cursor();
        assertTrue(cursor.first());
        assertRefused(() -> cursor.setValue(hugeValue));
      }
      assertEquals(1, index.size());
      assertArrayEquals(SOME_VALUE, index.get(longest));
      index.verify();
    }
  }

  /** Returns one byte more than a value may have, of a file that takes no room on the disk. */
  private static MemorySegment hugeValue(Arena arena) throws IOException {
    Path file = Files.createTempFile("huge", "value");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, BytesIndex.MAX_VALUE + 1L, arena);
    } finally {
      Files.delete(file);
    }
  }

  /** They have a place in the order, as all keys have that are not there. */
  private static void keysThatAreTooLongAreAbsent(BytesShape shape, long seed) {
    byte[] longest = NastyBytes.filled((byte) 'k', BytesIndex.MAX_KEY);
    byte[] behind = longest.clone();
    behind[BytesIndex.MAX_KEY - 1]++;
    byte[] last = NastyBytes.filled((byte) 0xFF, BytesIndex.MAX_KEY + 1);
    List<byte[]> tooLong =
        List.of(
            new byte[BytesIndex.MAX_KEY + 1],
            Arrays.copyOf(longest, BytesIndex.MAX_KEY + 1),
            Arrays.copyOf(behind, 3 * BytesIndex.MAX_KEY),
            last);
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.create()) {
      BytesPair pair = new BytesPair(index);
      pair.fill(bytes, bytes.keys(60));
      for (byte[] key : List.of(longest, behind, new byte[BytesIndex.MAX_KEY], new byte[] {'k'})) {
        pair.put(key, SOME_VALUE);
      }
      for (byte[] key : tooLong) {
        assertAbsent(index, key);
        assertAbsent(index.tailView(new byte[0], true), key);
        assertSamePlaces(pair, key);
        pair.narrow(BytesPair.Narrowing.DESCENDING, key, true, key, true);
        assertSamePlaces(pair, key);
        pair.narrow(BytesPair.Narrowing.DESCENDING, key, true, key, true);
      }
      pair.assertSameEntries();
      assertSameLookups(pair, tooLong);
      for (byte[] key : tooLong) {
        byte[] to = key[0] == 'k' ? last : key;
        assertEquals(
            pair.model.removeRange(key, true, to, true), index.removeRange(key, true, to, true));
        pair.assertSameEntries();
      }
      assertEquals(
          pair.model.removeRange(new byte[0], true, last, false),
          index.removeRange(new byte[0], true, last, false));
      pair.assertSameEntries();
    }
  }

  private static void assertAbsent(BytesNavigable entries, byte[] key) {
    MemorySegment segment = MemorySegment.ofArray(key);
    assertNull(entries.get(key));
    assertFalse(entries.get(segment, new Pieces()));
    assertEquals(-1, entries.get(segment, MemorySegment.ofArray(new byte[10])));
    assertFalse(entries.containsKey(key));
    assertFalse(entries.containsKey(segment));
    assertNull(entries.remove(key));
    assertFalse(entries.delete(key));
    assertFalse(entries.delete(segment));
  }

  /** Checks what is beside a key, and how many entries are on each side of it. */
  private static void assertSamePlaces(BytesPair pair, byte[] key) {
    MemorySegment segment = MemorySegment.ofArray(key);
    BytesCursor cursor = pair.view.cursor();
    BytesPair.same("floor", () -> pair.part.floorKey(key), () -> at(cursor, cursor.floor(segment)));
    BytesPair.same("lower", () -> pair.part.lowerKey(key), () -> at(cursor, cursor.lower(segment)));
    BytesPair.same(
        "ceiling", () -> pair.part.ceilingKey(key), () -> at(cursor, cursor.ceiling(segment)));
    BytesPair.same(
        "higher", () -> pair.part.higherKey(key), () -> at(cursor, cursor.higher(segment)));
    for (boolean inclusive : new boolean[] {true, false}) {
      int before = pair.part.headMap(key, inclusive).size();
      assertEquals(before, pair.view.headView(key, inclusive).size());
      if (before > 0) {
        assertEquals(before, pair.view.countRange(pair.view.firstKey(), true, key, inclusive));
      }
      assertEquals(
          pair.part.tailMap(key, inclusive).size(), pair.view.tailView(key, inclusive).size());
      assertEquals(0, pair.view.subView(key, inclusive, key, inclusive).size());
      assertEquals(0, pair.view.countRange(key, inclusive, key, inclusive));
    }
    assertTrue(pair.view.prefixView(key).isEmpty());
  }

  private static byte @Nullable [] at(BytesCursor cursor, boolean isOn) {
    return isOn ? cursor.keyArray() : null;
  }

  private static void assertSameLookups(BytesPair pair, List<byte[]> others) {
    List<byte[]> keys = new ArrayList<>(pair.model.entries.keySet());
    for (int i = 0; i < others.size(); i++) {
      keys.add(7 * i, others.get(i));
    }
    BitSet expected = new BitSet();
    BitSet shown = new BitSet();
    for (int i = 0; i < keys.size(); i++) {
      expected.set(i, pair.model.containsKey(keys.get(i)));
    }
    int found =
        pair.index.getAll(PackedBytes.of(keys), (i, piece, from, count, at, total) -> shown.set(i));
    assertEquals(expected, shown);
    assertEquals(expected.cardinality(), found);
  }

  private static void wrongOffsetsAreRefused(BytesShape shape, long seed) {
    try (BytesIndex index = shape.create()) {
      index.set(SOME_KEY, SOME_VALUE);
      MemorySegment four = MemorySegment.ofArray(new byte[4]);
      for (int[] offsets : new int[][] {{0, 3, 2}, {0, 4, 5}, {-1, 2, 4}, {5, 5, 5}, {0, 4, 0}}) {
        PackedBytes wrong = new PackedBytes(four, MemorySegment.ofArray(offsets), 2);
        PackedBytes right = PackedBytes.of(List.of(SOME_KEY, SOME_KEY));
        for (Runnable call :
            List.<Runnable>of(
                () -> index.getAll(wrong, (i, piece, from, bytes, position, total) -> {}),
                () -> index.putAll(wrong, right),
                () -> index.putAll(right, wrong))) {
          RuntimeException refused = assertThrows(RuntimeException.class, call::run);
          assertTrue(
              refused instanceof IllegalArgumentException
                  || refused instanceof IndexOutOfBoundsException,
              refused::toString);
        }
      }
      index.verify();
    }
  }

  @SuppressWarnings("NullAway") // Null is what this is about.
  private static void wrongArgumentsAreRefused(BytesShape shape, long seed) {
    try (BytesIndex index = shape.create()) {
      index.set(SOME_KEY, SOME_VALUE);
      byte[] after = {2};
      for (BytesNavigable entries : List.of(index, index.tailView(new byte[0], true))) {
        assertRefused(() -> entries.countRange(after, true, SOME_KEY, true));
        assertRefused(() -> entries.removeRange(after, true, SOME_KEY, true));
        assertRefused(() -> entries.subView(after, true, SOME_KEY, true));
        assertNullRefused(() -> entries.get((byte[]) null));
        assertNullRefused(() -> entries.containsKey((byte[]) null));
        assertNullRefused(() -> entries.put(null, SOME_VALUE));
        assertNullRefused(() -> entries.put(SOME_KEY, null));
        assertNullRefused(() -> entries.putIfAbsent(after, null));
        assertNullRefused(() -> entries.set(SOME_KEY, (byte[]) null));
        assertNullRefused(() -> entries.remove(null));
        assertNullRefused(() -> entries.delete((byte[]) null));
        assertNullRefused(() -> entries.prefixView(null));
        assertNullRefused(() -> entries.headView(null, true));
      }
      assertEquals(1, index.size());
      assertArrayEquals(SOME_VALUE, index.get(SOME_KEY));
      assertNull(index.get(after));
      index.verify();
    }
  }

  private static void fullIndexIsAsItWas(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.createSmall()) {
      BytesPair pair = new BytesPair(index);
      List<byte[]> keys = bytes.keys(100);
      List<byte[]> shortKeys = keys.stream().filter(key -> key.length < 200).toList();
      shortKeys.forEach(key -> pair.put(key, SOME_VALUE));
      int refused = 0;
      for (int i = 0; i < 3000 && refused < 60; i++) {
        byte[] key = bytes.oneOf(keys);
        byte[] value = bytes.random(bytes.random.nextInt(12_000));
        try {
          index.set(key, value);
          pair.model.set(key, value);
        } catch (MemoryLimitException full) {
          refused++;
          byte[] stored = pair.model.get(key);
          assertArrayEquals(stored, index.get(key));
        }
      }
      assertTrue(refused > 0, "the index never gets full");
      pair.assertSameEntries();
      // There is room again once something has gone.
      for (byte[] key : List.copyOf(pair.model.entries.keySet())) {
        assertTrue(index.delete(key));
      }
      pair.model.clear();
      shortKeys.forEach(key -> pair.put(key, SOME_VALUE));
      pair.assertSameEntries();
    }
  }

  /** Neither what is replaced or removed nor what is refused takes room for ever. */
  private static void roomComesBack(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    try (BytesIndex index = shape.createSmall()) {
      long written = 0;
      while (written < 20 * shape.limit()) {
        byte[] key = bytes.random(1 + bytes.random.nextInt(3000));
        byte[] value = bytes.random(bytes.random.nextInt(30_000));
        index.set(key, value);
        index.set(key, bytes.random(bytes.random.nextInt(30_000)));
        assertTrue(index.delete(key));
        written += value.length;
      }
      index.verify();
      long first = fill(index, new NastyBytes(seed));
      assertTrue(first > 0);
      for (int i = 0; i < 200; i++) {
        byte[] tooMuch = new byte[Math.toIntExact(shape.limit())];
        assertThrows(MemoryLimitException.class, () -> index.set(SOME_KEY, tooMuch));
      }
      for (int i = 0; i < 5; i++) {
        index.clear();
        assertEquals(first, fill(index, new NastyBytes(seed)));
      }
      index.verify();
    }
  }

  /** Puts entries until one finds no room, and returns how many there are. */
  private static long fill(BytesIndex index, NastyBytes bytes) {
    try {
      while (true) {
        index.set(bytes.random(40), bytes.random(bytes.random.nextInt(9000)));
      }
    } catch (MemoryLimitException full) {
      return index.size();
    }
  }

  private static void fullBatchKeepsWhatCameBefore(BytesShape shape, long seed) {
    NastyBytes bytes = new NastyBytes(seed);
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      keys.add("%08d".formatted(i).getBytes());
      values.add(bytes.random(1000));
    }
    try (BytesIndex index = shape.createSmall()) {
      assertThrows(
          MemoryLimitException.class,
          () -> index.putAll(PackedBytes.of(keys), PackedBytes.of(values)));
      int stored = Math.toIntExact(index.size());
      assertTrue(stored > 0 && stored < 1000, () -> stored + " are stored");
      for (int i = 0; i < 1000; i++) {
        assertArrayEquals(i < stored ? values.get(i) : null, index.get(keys.get(i)));
      }
      index.verify();
      index.clear();
      assertTrue(index.isEmpty());
      BytesPair pair = new BytesPair(shape.create());
      for (int i = 0; i < 1000; i++) {
        pair.put(keys.get(i), values.get(i));
      }
      assertThrows(
          MemoryLimitException.class,
          () -> index.bulkload(pair.index.cursor(), 1, 1000, ProgressListener.NONE));
      assertTrue(index.isEmpty());
      assertFalse(index.cursor().first());
      index.verify();
      pair.index.close();
    }
  }

  private static void closedIndexRefusesEveryCall(BytesShape shape, long seed)
      throws ReflectiveOperationException {
    BytesIndex index = shape.create();
    for (int i = 0; i < 100; i++) {
      index.set(new byte[] {(byte) i}, SOME_VALUE);
    }
    List<BytesNavigable> views =
        List.of(
            index.subView(SOME_KEY, true, new byte[] {9}, true),
            index.prefixView(SOME_KEY),
            index.descendingView());
    List<BytesCursor> cursors = new ArrayList<>();
    for (BytesNavigable entries : List.of(index, index.tailView(SOME_KEY, true), views.get(2))) {
      cursors.add(entries.cursor());
      BytesCursor placed = entries.cursor();
      assertTrue(placed.first());
      cursors.add(placed);
    }
    assertFalse(index.isClosed());
    index.close();
    index.close();
    assertTrue(index.isClosed());
    assertRefusesAll(index, BytesIndex.class);
    for (BytesNavigable view : views) {
      assertRefusesAll(view, BytesNavigable.class);
    }
    for (BytesCursor cursor : cursors) {
      assertRefusesAll(cursor, BytesCursor.class);
    }
  }

  private static void threadsThatReadAreRefused(BytesShape shape, long seed) throws Exception {
    NastyBytes bytes = new NastyBytes(seed);
    BytesIndex index = shape.create();
    List<byte[]> keys = bytes.keys(200);
    keys.forEach(key -> index.set(key, bytes.value()));
    List<Consumer<BytesIndex>> readings =
        List.of(
            open -> open.get(keys.get(7)),
            open -> open.get(MemorySegment.ofArray(keys.get(150)), new Pieces()),
            open -> open.getAll(PackedBytes.of(keys), (i, piece, from, count, at, total) -> {}),
            LimitLaws::scan);
    CountDownLatch reading = new CountDownLatch(readings.size());
    try (ExecutorService threads = Executors.newFixedThreadPool(readings.size())) {
      List<Future<?>> readers = new ArrayList<>();
      for (Consumer<BytesIndex> read : readings) {
        readers.add(threads.submit(() -> readOn(index, read, reading)));
      }
      assertTrue(reading.await(1, TimeUnit.MINUTES), "a reader has ended early");
      index.close();
      for (Future<?> reader : readers) {
        ExecutionException end = assertThrows(ExecutionException.class, reader::get);
        assertInstanceOf(IllegalStateException.class, end.getCause());
      }
    }
  }

  private static void scan(BytesIndex index) {
    BytesCursor cursor = index.cursor();
    while (cursor.next()) {
      assertTrue(cursor.key().byteSize() >= 0);
      cursor.value(new Pieces());
    }
  }

  /** Ends by itself when nothing refuses, long after the index is closed. */
  private static void readOn(BytesIndex index, Consumer<BytesIndex> read, CountDownLatch reading) {
    int turnsSinceClose = 0;
    for (int turn = 0; turnsSinceClose < 1000; turn++) {
      turnsSinceClose += index.isClosed() ? 1 : 0;
      try {
        read.accept(index);
      } finally {
        if (turn == 10) {
          reading.countDown();
        }
      }
    }
  }

  private static void assertRefusesAll(Object target, Class<?> type)
      throws ReflectiveOperationException {
    int called = 0;
    for (Method method : type.getMethods()) {
      if (ALLOWED.contains(method.getName()) || Modifier.isStatic(method.getModifiers())) {
        continue;
      }
      called++;
      Object[] arguments =
          Arrays.stream(method.getParameterTypes()).map(LimitLaws::argument).toArray();
      InvocationTargetException thrown =
          assertThrows(
              InvocationTargetException.class,
              () -> method.invoke(target, arguments),
              () -> target.getClass().getSimpleName() + " answers " + method);
      assertInstanceOf(IllegalStateException.class, thrown.getCause(), method::toString);
    }
    assertTrue(called > 10);
  }

  private static Object argument(Class<?> type) {
    return switch (type.getSimpleName()) {
      case "boolean" -> true;
      case "long" -> 1L;
      case "double" -> 1.0;
      case "byte[]" -> SOME_KEY.clone();
      case "MemorySegment" -> MemorySegment.ofArray(SOME_KEY.clone());
      case "PackedBytes" -> PackedBytes.of(List.of(SOME_KEY));
      case "ValueReader" -> (ValueReader) (piece, from, bytes, position, total) -> {};
      case "BytesEntryReader" -> (BytesEntryReader) _ -> {};
      case "BatchReader" -> (BatchReader) (index, piece, from, bytes, position, total) -> {};
      case "ProgressListener" -> ProgressListener.NONE;
      case "BytesEntrySource" -> new HeapBytesIndex().cursor();
      default -> throw new AssertionError("no argument of " + type);
    };
  }

  private static void assertRefused(Runnable call) {
    assertThrows(IllegalArgumentException.class, call::run);
  }

  private static void assertNullRefused(Runnable call) {
    assertThrows(NullPointerException.class, call::run);
  }
}
